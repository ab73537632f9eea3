"""The public surface of a module: every name and signature of one library, held against the stand-in for it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any


def differences(theirs: ModuleType, ours: ModuleType, left_out: frozenset[str] = frozenset()) -> list[str]:
    """What a module has and its stand-in has not, or has otherwise; `left_out` are names that are not meant."""
    return list(_of_members(theirs, ours, theirs.__name__, left_out))


def _of_members(theirs: Any, ours: Any, where: str, left_out: frozenset[str]) -> Iterator[str]:
    package = where.split(".")[0]
    for name, member in vars(theirs).items():
        path = f"{where}.{name}"
        foreign = inspect.ismodule(member) or getattr(member, "__module__", package).split(".")[0] in STANDARD
        if name.startswith("__") or name == "TYPE_CHECKING" or path in left_out or foreign:
            continue
        if not hasattr(ours, name):
            yield f"{path} is missing"
            continue
        mine = getattr(ours, name)
        if inspect.isclass(member):
            yield from _of_members(member, mine, path, left_out)
            if "__init__" in vars(member):
                yield from _of_signature(member.__init__, mine.__init__, f"{path}.__init__")
        elif callable(member) or isinstance(member, (staticmethod, classmethod)):
            yield from _of_signature(getattr(theirs, name), mine, path)
        elif isinstance(member, property) and not isinstance(vars(ours).get(name), property):
            yield f"{path} is a property"


#: Modules whose names a module has imported.
STANDARD = frozenset({"typing", "collections", "concurrent", "functools", "__future__", "re", "importlib"})


def _of_signature(theirs: Any, ours: Any, where: str) -> Iterator[str]:
    try:
        wanted = [(p.name, p.kind, p.default) for p in inspect.signature(theirs).parameters.values()]
    except (TypeError, ValueError):
        return  # Compiled code that does not tell.
    if not callable(ours):
        yield f"{where} cannot be called"
        return
    mine = [(p.name, p.kind, p.default) for p in inspect.signature(ours).parameters.values()]
    if wanted != mine:
        yield f"{where} takes {inspect.signature(ours)}, not {inspect.signature(theirs)}"
