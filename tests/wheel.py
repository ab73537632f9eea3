"""`python -m tests.wheel dist/NAME.whl`: does the wheel work for somebody who has Python and nothing else?

The wheel is installed in a new environment, in a folder outside of the source tree, with a `PATH` on which there is
neither Rust nor a C compiler nor make. There the command runs, and the README from top to bottom.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

#: What only somebody who builds has.
BUILD_TOOLS = ("cargo", "rustc", "rustup", "maturin", "make", "gmake", "cc", "c++", "gcc", "g++", "clang", "ld", "zig")
#: What the runner of the README reads; not `python/` and `crates/`, because the package must come from the wheel.
COPIED = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs", "tests", "pyproject.toml")
CHECK = """
import importlib.metadata, shutil, sys
import bytemill
assert any("sboms" in file.parts for file in importlib.metadata.files("bytemill")), "no bill of materials"
assert bytemill.__file__.startswith(sys.prefix), bytemill.__file__
found = [tool for tool in sys.argv[1:] if shutil.which(tool)]
assert not found, f"on the PATH: {found}"
"""


def main() -> int:
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_file():
        print("give one wheel: make wheel writes it to dist/", file=sys.stderr)
        return 2
    wheel = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="bytemill-wheel-") as name:
        folder = Path(name)
        try_out(wheel, folder, environment(folder))
    print(f"{wheel.name}: installs, runs and keeps the README's word")
    return 0


def environment(folder: Path) -> dict[str, str]:
    """An environment variable or two, and a PATH of the new environment and the system's tools."""
    tools = folder / "tools"
    tools.mkdir()
    for place in ("/bin", "/usr/bin"):
        for tool in Path(place).iterdir():
            if tool.name not in BUILD_TOOLS and not (tools / tool.name).exists():
                (tools / tool.name).symlink_to(tool)
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "LANG", "CI"))}
    return {**kept, "PATH": f"{folder / 'venv' / 'bin'}:{tools}", "HOME": str(folder)}


def try_out(wheel: Path, folder: Path, variables: dict[str, str]) -> None:
    def run(*command: str) -> None:
        print("$", *(part if "\n" not in part else "…" for part in command), flush=True)
        subprocess.run(command, cwd=folder, env=variables, check=True)

    venv.create(folder / "venv", with_pip=True)
    python = str(folder / "venv" / "bin" / "python")
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel))
    run(python, "-c", CHECK, *BUILD_TOOLS)
    run("bytemill", "--version")
    run("bytemill", "demo")
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements())
    for name in COPIED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)
    run(
        python,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "tests/docs/test_blocks.py",
        "-k",
        "blocks_run and README",
    )


def requirements() -> list[str]:
    """pytest, of the version that the other tests use."""
    lines = (ROOT / "requirements-test.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith("pytest==")]


if __name__ == "__main__":
    sys.exit(main())
