"""`python -m tests.platforms.freethreaded [PYTHON]`: the package on an interpreter without a lock.

The interpreter is the one that is named, or is compiled from Debian's source into a private folder. The package is
built for it alone and installed into an environment of it. What is checked first is that importing it leaves the lock
off. The tests then run with the lock off whatever they import.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from . import ROOT, note
from .debian import source
from .interpreters import ASK, PACKAGES, TESTS

FOLDER = ROOT / ".cache" / "freethreaded"
#: The newest first.
SOURCES = ("python3.14", "python3.13")
#: PyO3 refuses older ones, with which it is no longer tried.
OLDEST_OF_PYO3 = (3, 14)
#: What an interpreter has if these were there when it was compiled, and Debian's packages for them.
PARTS = {"ssl": "libssl-dev", "ctypes": "libffi-dev", "zlib": "zlib1g-dev"}
#: Beside what touches the interpreter's objects: what several threads use at the same time.
SHARED = (
    "unit/test_threads.py",
    "unit/test_compat_threads.py",
    "unit/test_asynchronous.py",
    "property/test_sessions.py",
)
IS_OFF = "import sys, bytemill, bytemill.compat.tokenizers; assert not sys._is_gil_enabled(), 'the lock is on'"


def main() -> int:
    if len(sys.argv) > 2:
        print("name one interpreter, or none to have one compiled", file=sys.stderr)
        return 2
    base = sys.argv[1] if len(sys.argv) == 2 else str(compiled())
    name, version, platform, free_threaded = json.loads(run(base, "-c", ASK))
    if not free_threaded:
        print(f"{base} has a lock: make test-interpreters is for such", file=sys.stderr)
        return 2
    python = environment(base, version)
    run(python, "-W", "error", "-c", IS_OFF)
    tests = [*(f"unit/test_{test}.py" for test in TESTS), *SHARED]
    passed, outcome = tried(python, tests)
    how = "PyO3 as it is" if is_supported(version) else "PyO3 made to take a version that it no longer supports"
    how += "; compiled from Debian's source" if len(sys.argv) == 1 else ""
    note("freethreaded", f"{name} {version}", {"platform": platform, "how": how, "outcome": outcome})
    print(f"{name} {version} without a lock: {outcome}")
    return 0 if passed else 1


def run(*command: str | Path, cwd: Path = ROOT, **more: str) -> str:
    """What a command prints; if it fails, all that it said goes with the error."""
    variables = {**os.environ, "PYTHONNOUSERSITE": "1", **more}
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=variables, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


def compiled() -> Path:
    """An interpreter of the newest source that the archive gives, compiled at the first call."""
    python = FOLDER / "python" / "bin" / "python3"
    if python.exists():
        return python
    tree = source(FOLDER, SOURCES)
    options = ("--disable-gil", "--disable-test-modules", "--with-ensurepip=install", f"--prefix={FOLDER / 'growing'}")
    run("./configure", "--quiet", *options, cwd=tree)
    run("make", "--silent", f"--jobs={os.cpu_count() or 1}", cwd=tree)
    run("make", "--silent", "install", cwd=tree)
    for module, package in PARTS.items():
        if subprocess.run([FOLDER / "growing" / "bin" / "python3", "-c", f"import {module}"]).returncode:
            sys.exit(f"the interpreter was compiled without {module}: install {package}, and try again")
    # Under another name until it is whole; it finds its files from where it lies.
    (FOLDER / "growing").rename(FOLDER / "python")
    return python


def is_supported(version: str) -> bool:
    return tuple(map(int, version.split(".")[:2])) >= OLDEST_OF_PYO3


def environment(base: str, version: str) -> Path:
    """The interpreter of a new environment with the package, built for it alone, and what the tests need."""
    folder, wheels = FOLDER / "environment", FOLDER / "wheels"
    run(base, "-m", "venv", "--clear", folder)
    python = folder / "bin" / "python"
    for wheel in wheels.glob("*.whl"):
        wheel.unlink()
    skip = {} if is_supported(version) else {"UNSAFE_PYO3_SKIP_VERSION_CHECK": "1"}
    maturin = ROOT / ".venv" / "bin" / "maturin"
    run(maturin, "build", "--profile", "quick", "--quiet", "--interpreter", python, "--out", wheels, **skip)
    [wheel] = wheels.glob("*.whl")
    if not re.search(r"-cp(\d+)-cp\1t-", wheel.name):
        sys.exit(f"{wheel.name} is not for an interpreter without a lock")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    # The newest numpy need not have a wheel for the interpreter, and would be compiled.
    run(*pip, "--only-binary", ":all:", *PACKAGES, wheel)
    return python


def tried(python: Path, tests: Sequence[str]) -> tuple[bool, str]:
    """Whether the tests pass, and what pytest says last."""
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not long and not shared and not peer"]
    variables = {**os.environ, "PYTHON_GIL": "0", "PYTHONNOUSERSITE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(
        [*command, *(f"tests/{test}" for test in tests)], cwd=ROOT, env=variables, capture_output=True, text=True
    )
    if run.returncode:
        print(run.stdout[-8000:], run.stderr[-4000:], file=sys.stderr)
    said = run.stdout.strip().splitlines()[-1:] or run.stderr.strip().splitlines()[-1:]
    return run.returncode == 0, re.sub(r" in [\d.]+s.*", "", "".join(said))


if __name__ == "__main__":
    sys.exit(main())
