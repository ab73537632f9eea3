"""What the tests of engines share. Properties have as many examples here as elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.property import conftest as examples

__all__ = ["examples", "home"]


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One home for all: Ray writes its token there once for a process, and every cluster that it starts reads it."""
    return tmp_path_factory.mktemp("home")
