"""What tests may need from outside: the shared folder, and other tokenizer libraries.

Where one of them is absent, tests skip, visibly; with CI set in the environment they fail instead.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import pytest

ROOT = Path(__file__).resolve().parents[1]


def absent(what: str) -> NoReturn:
    if os.environ.get("CI"):
        pytest.fail(f"{what}, and CI must not skip what needs it")
    pytest.skip(what, allow_module_level=True)


def need(name: str) -> ModuleType:
    """Another library, or the end of the test."""
    try:
        return importlib.import_module(name)
    except ImportError:
        absent(f"the library {name} is not installed")


def shared_folder() -> Path:
    """`BYTEMILL_SHARED`, a path from the root of the repository; `../shared` without it."""
    return (ROOT / os.environ.get("BYTEMILL_SHARED", "../shared")).resolve()


@pytest.fixture(scope="session")
def shared() -> Path:
    folder = shared_folder()
    if not folder.is_dir():
        absent(f"there is no shared folder at {folder} (BYTEMILL_SHARED)")
    return folder
