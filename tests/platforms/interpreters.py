"""`python -m tests.platforms.interpreters PYTHON...`: the same build of the package on every interpreter that is named.

The build is for the stable ABI and is not compiled again. What the tests need beside it is installed for each version
into a folder of its own by this interpreter's pip, since another may have none.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from . import ROOT, note

#: What touches the objects of an interpreter: lists, integers, strings, arrays, iterators.
TESTS = ("id_lists", "encode", "decode", "ragged", "numpy_numbers", "specials")
PACKAGES = ("numpy", "click", "rich", "pytest", "hypothesis", "xxhash", "jinja2", "typing_extensions")
#: What the tests need on 3.10 alone: pip looks at its own version for that.
OLDER = ("exceptiongroup", "tomli")
ASK = """
import json, sys, sysconfig
print(json.dumps([sys.implementation.name, ".".join(map(str, sys.version_info[:3])), sysconfig.get_platform(),
                  bool(sysconfig.get_config_var("Py_GIL_DISABLED"))]))
"""


def main() -> int:
    if len(sys.argv) < 2:
        print("name the interpreters to run the tests on", file=sys.stderr)
        return 2
    # All of them, in spite of a failure: the record says how each did.
    passed = [try_out(python) for python in sys.argv[1:]]
    return 0 if all(passed) else 1


def try_out(python: str) -> bool:
    asked = subprocess.run([python, "-c", ASK], capture_output=True, text=True, check=True)
    name, version, platform, free_threaded = json.loads(asked.stdout)
    if free_threaded:
        print(f"{python}: an interpreter without a lock has no stable ABI; build for it alone", file=sys.stderr)
        return False
    packages = installed(version)
    paths = os.pathsep.join(map(str, (ROOT / "python", packages, ROOT)))
    variables = {**os.environ, "PYTHONPATH": paths, "PYTHONNOUSERSITE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    tests = [f"tests/unit/test_{test}.py" for test in TESTS]
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not long and not shared and not peer"]
    run = subprocess.run([*command, *tests], cwd=ROOT, env=variables, capture_output=True, text=True)
    said = run.stdout.strip().splitlines()[-1:] or run.stderr.strip().splitlines()[-1:]
    outcome = re.sub(r" in [\d.]+s.*", "", "".join(said))
    note("interpreters", f"{name} {version}", {"platform": platform, "outcome": outcome})
    print(f"{name} {version}: {outcome}", flush=True)
    if run.returncode:
        print(run.stdout[-4000:], run.stderr[-2000:], file=sys.stderr)
    return run.returncode == 0


def installed(version: str) -> Path:
    """The folder with what the tests need on a version of Python."""
    minor = ".".join(version.split(".")[:2])
    folder = ROOT / ".venv" / "interpreters" / minor
    if not (folder / "numpy").exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
        where = ["--target", str(folder), "--python-version", minor, "--only-binary", ":all:"]
        # What is for newer versions alone is refused for this interpreter's sake, which does not run it.
        if tuple(map(int, minor.split("."))) > sys.version_info:
            where.append("--ignore-requires-python")
        subprocess.run([*pip, *where, *PACKAGES, *OLDER], check=True)
    return folder


if __name__ == "__main__":
    sys.exit(main())
