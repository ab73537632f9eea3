"""Private folders with packages of Debian: compilers for other machines, an emulator to run what they make, a source.

Nothing is installed and no privilege is needed: apt looks up what a package needs beyond what this machine has, and
dpkg unpacks it into the folder.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
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


#: Where newer sources are than in the release that this machine has, and who signs them.
SUITES = ("testing", "unstable")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


class Apt:
    """apt with a state, a cache and a folder of archives of its own, where its commands run."""

    def __init__(self, folder: Path, more: str = "") -> None:
        if missing := [tool for tool in ("apt-get", "dpkg") if shutil.which(tool) is None]:
            sys.exit(f"{missing[0]} is not there: what this target needs comes from packages of Debian")
        for part in ("state/lists/partial", "packages/archives/partial"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        configuration = folder / "apt.conf"
        configuration.write_text(CONFIGURATION.format(folder=folder) + more, encoding="utf-8")
        self.archives = folder / "packages" / "archives"
        self._variables = {**os.environ, "APT_CONFIG": str(configuration)}

    def get(self, *arguments: str, check: bool = True) -> bool:
        command = ["apt-get", "-qq", *arguments]
        return subprocess.run(command, env=self._variables, cwd=self.archives, check=check).returncode == 0

    def ask(self, *command: str) -> str:
        return subprocess.run(command, env=self._variables, capture_output=True, text=True, check=True).stdout


def unpacked() -> Path:
    """The folder that stands for `/`, filled at the first call."""
    root = FOLDER / "root"
    if root.exists():
        return root
    apt = Apt(FOLDER)
    apt.get("update")
    apt.get("install", "--yes", "--no-install-recommends", "--download-only", *WITH_DEPENDENCIES)
    apt.get("download", *ALONE)
    # Under another name until it is whole.
    growing = FOLDER / "growing"
    shutil.rmtree(growing, ignore_errors=True)
    for package in sorted(apt.archives.glob("*.deb")):
        subprocess.run(["dpkg", "-x", str(package), str(growing)], check=True)
    growing.rename(root)
    return root


def source(folder: Path, names: Sequence[str]) -> Path:
    """The source of the first of some packages that the archive gives, in its newest version there, unpacked."""
    listed = folder / "sources.list"
    apt = Apt(folder, f'Dir::Etc::sourcelist "{listed}";\nDir::Etc::sourceparts "-";\n')
    archives = [f"deb-src [signed-by={KEYRING}] {mirror()} {suite} main\n" for suite in SUITES]
    listed.write_text("".join(archives), encoding="utf-8")
    apt.get("update")
    for name in names:
        for version in versions(apt, name):
            # The archive may lack what its index names.
            if apt.get("source", "--download-only", "--only-source", f"{name}={version}", check=False):
                return untarred(apt.archives, f"{name}_{version.rpartition('-')[0]}.orig.tar.*", folder / "source")
            print(f"{name} {version} is in the index of the archive, and the archive does not give it", flush=True)
    sys.exit(f"the archive gives none of the sources {', '.join(names)}")


def mirror() -> str:
    """Where this machine has its packages from."""
    options = ("Created-By: Packages", "Component: main", "Origin: Debian")
    asked = ["apt-get", "indextargets", "--format", "$(REPO_URI)", *options]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()[0]


def versions(apt: Apt, name: str) -> list[str]:
    """Those of a source, the newest first."""
    found = re.findall(r"^Version: (.+)$", apt.ask("apt-cache", "showsrc", "--only-source", name), re.MULTILINE)
    return sorted(set(found), key=lambda version: [int(number) for number in re.findall(r"\d+", version)], reverse=True)


def untarred(folder: Path, name: str, to: Path) -> Path:
    """The one folder of an archive."""
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir()
    [archive] = folder.glob(name)
    subprocess.run(["tar", "-xf", str(archive), "-C", str(to)], check=True)
    [unpacked] = to.iterdir()
    return unpacked
