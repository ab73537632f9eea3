"""Every public name, attribute and parameter of `tokenizers` is there in its stand-in."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from types import ModuleType
from typing import Any

import pytest
import tokenizers as theirs

import bytemill.compat.tokenizers as ours

pytestmark = pytest.mark.peer

MODULES = ["", *(f".{found.name}" for found in pkgutil.iter_modules(theirs.__path__) if found.name != "tokenizers")]
#: What the library has for itself.
PRIVATE = {"Enum", "List", "Tuple", "Union"}


def public(thing: Any) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")} - PRIVATE


def classes(module: ModuleType) -> list[str]:
    return [name for name in sorted(public(module)) if inspect.isclass(getattr(module, name))]


@pytest.mark.parametrize("name", MODULES)
def test_names(name: str) -> None:
    library, stand_in = (importlib.import_module(f"{package.__name__}{name}") for package in (theirs, ours))
    # A module of the library has itself as a member.
    assert not public(library) - public(stand_in) - {name.removeprefix(".")}


@pytest.mark.parametrize("name", MODULES)
def test_members_and_parameters(name: str) -> None:
    library, stand_in = (importlib.import_module(f"{package.__name__}{name}") for package in (theirs, ours))
    for kind in classes(library):
        first, second = getattr(library, kind), getattr(stand_in, kind)
        assert not public(first) - public(second), kind
        for member in sorted(public(first)):
            asked, offered = (_parameters(getattr(thing, member)) for thing in (first, second))
            if asked is not None and offered is not None:
                assert offered == asked, (kind, member)


def _parameters(member: Any) -> list[str] | None:
    if not callable(member):
        return None
    try:
        parameters = inspect.signature(member).parameters.values()
        return [p.name for p in parameters if p.name != "self" and p.kind is not p.VAR_KEYWORD]
    except (TypeError, ValueError):
        return None


def test_the_version_is_that_of_the_library() -> None:
    assert ours.__version__ == theirs.__version__
