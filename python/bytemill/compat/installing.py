"""`install` and `uninstall`: the stand-ins under the names of the libraries that they stand in for."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
import sys
import threading
from types import ModuleType

from ..errors import SpecError

#: The top-level packages of each library; a package of that name in `bytemill.compat` stands in for each.
STAND_INS: dict[str, tuple[str, ...]] = {
    "sentencepiece": ("sentencepiece",),
    "tiktoken": ("tiktoken", "tiktoken_ext"),
    "tokenizers": ("tokenizers",),
}

_lock = threading.RLock()
#: What was in `sys.modules` under the names of an installed library.
_replaced: dict[str, dict[str, ModuleType]] = {}


def install(*libraries: str) -> None:
    """Puts the stand-ins of libraries into `sys.modules`: every import of one of them from now on gets bytemill's.

    Call it before anything imports the library. A module that has imported it already keeps what it has.

    Args:
        libraries: `"tiktoken"`, `"tokenizers"`, `"sentencepiece"`; all that there are if none is named.
    """
    with _lock:
        for library in _checked(libraries):
            if library not in _replaced:
                ours = {name: module for top in STAND_INS[library] for name, module in _modules(top).items()}
                _replaced[library] = _taken_out(library)
                sys.modules.update(ours)


def uninstall(*libraries: str) -> None:
    """Takes the stand-ins of libraries out of `sys.modules`, and puts back what was there.

    Args:
        libraries: As in `install`. One that is not installed is left as it is.
    """
    with _lock:
        for library in _checked(libraries):
            if library in _replaced:
                _taken_out(library)
                sys.modules.update(_replaced.pop(library))


def _checked(libraries: tuple[str, ...]) -> tuple[str, ...]:
    for library in libraries:
        if library not in STAND_INS:
            known = ", ".join(repr(name) for name in STAND_INS)
            close = difflib.get_close_matches(str(library), STAND_INS, n=1)
            meant = f"; did you mean {close[0]!r}?" if close else ""
            raise SpecError(f"there is no stand-in for {library!r}, only for {known}{meant}")
    return libraries or tuple(STAND_INS)


def _modules(top: str) -> dict[str, ModuleType]:
    """A stand-in and its submodules, by the names of the original's."""
    package = importlib.import_module(f".{top}", __package__)
    modules = {top: package}
    for found in pkgutil.walk_packages(package.__path__[:1], f"{package.__name__}."):
        try:
            modules[found.name.removeprefix(f"{__package__}.")] = importlib.import_module(found.name)
        except ModuleNotFoundError as error:
            # One that needs a package which is not there: a module that imports it is told so.
            if error.name is None or error.name.startswith("bytemill"):
                raise
    return modules


def _taken_out(library: str) -> dict[str, ModuleType]:
    tops = STAND_INS[library]
    names = [name for name in sys.modules if name.split(".", 1)[0] in tops]
    return {name: sys.modules.pop(name) for name in names}
