"""The first moments of a command: little is imported, and Ctrl-C ends it without a traceback."""

from __future__ import annotations

import subprocess
import sys

import pytest

from .conftest import environment

#: Modules that are too slow to import before a command needs them.
HEAVY = ("numpy", "rich", "pydantic", "asyncio", "email", "importlib.metadata", "unittest", "bytemill._core")


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["train", "--help"]], ids=" ".join)
def test_nothing_heavy_is_imported(arguments):
    code = (
        "import sys; before = set(sys.modules); from bytemill.cli.app import run; code = run(sys.argv[1:]);"
        f"print([m for m in {HEAVY} if m in sys.modules and m not in before], code)"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, env=environment())
    assert done.stdout.decode().splitlines()[-1] == "[] 0"


@pytest.mark.parametrize("module", ["click", "bytemill.cli.app", "numpy", "bytemill._core"])
def test_ctrl_c_while_something_is_imported(folder, module):
    code = f"""
import os, signal, sys
from bytemill.cli import main

class Hook:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Hook())
sys.argv[1:] = ["count", "words.mill", "corpus.txt"]
sys.exit(main())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment())
    assert (done.returncode, done.stderr) == (130, b"interrupted\n")


def test_a_missing_module_is_named():
    code = "import sys; sys.modules['click'] = None; from bytemill.cli import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment())
    assert done.returncode == 2
    assert done.stderr == (
        "error: the bytemill command needs click, which is not installed\nhint: python -m pip install click rich\n"
    )
