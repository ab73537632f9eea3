"""A private folder with packages of Debian: compilers for other machines, and an emulator to run what they make.

Nothing is installed and no privilege is needed: apt looks up what a package needs beyond what this machine has, and
dpkg unpacks it into the folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from . import ROOT

#: With everything that they need.
WITH_DEPENDENCIES = (
    "rustc-web",
    "cargo-web",
    "gcc-aarch64-linux-gnu",
    "libc6-dev-arm64-cross",
    "qemu-user",
    "musl-tools",
)
#: Alone: Rust's library for 64-bit ARM, and its source, from which that for musl is compiled.
ALONE = ("libstd-rust-web-dev:arm64", "rust-web-src")
FOLDER = ROOT / ".cache" / "debian"
CONFIGURATION = """
Dir::State "{folder}/state";
Dir::State::status "/var/lib/dpkg/status";
Dir::Cache "{folder}/packages";
APT::Architectures "amd64,arm64";
APT::Sandbox::User "";
Debug::NoLocking "true";
"""


def unpacked() -> Path:
    """The folder that stands for `/`, filled at the first call."""
    root = FOLDER / "root"
    if root.exists():
        return root
    if missing := [tool for tool in ("apt-get", "dpkg") if shutil.which(tool) is None]:
        sys.exit(f"{missing[0]} is not there: the compilers for other machines come from packages of Debian")
    for part in ("state/lists/partial", "packages/archives/partial"):
        (FOLDER / part).mkdir(parents=True, exist_ok=True)
    configuration = FOLDER / "apt.conf"
    configuration.write_text(CONFIGURATION.format(folder=FOLDER), encoding="utf-8")
    archives = FOLDER / "packages" / "archives"

    def apt(*arguments: str) -> None:
        variables = {**os.environ, "APT_CONFIG": str(configuration)}
        subprocess.run(["apt-get", "-qq", *arguments], env=variables, cwd=archives, check=True)

    apt("update")
    apt("install", "--yes", "--no-install-recommends", "--download-only", *WITH_DEPENDENCIES)
    apt("download", *ALONE)
    # Under another name until it is whole.
    growing = FOLDER / "growing"
    shutil.rmtree(growing, ignore_errors=True)
    for package in sorted(archives.glob("*.deb")):
        subprocess.run(["dpkg", "-x", str(package), str(growing)], check=True)
    growing.rename(root)
    return root
