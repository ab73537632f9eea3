"""Encodings by name: those of OpenAI, and those of plugins in the namespace `tiktoken_ext`."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

from .. import tiktoken_ext
from .core import Encoding

_lock = threading.RLock()
ENCODINGS: dict[str, Encoding] = {}
ENCODING_CONSTRUCTORS: dict[str, Callable[[], dict[str, Any]]] | None = None


@functools.lru_cache
def _available_plugin_modules() -> Sequence[str]:
    # Where the stand-in is installed, plugins go by the name that they know themselves.
    name = "tiktoken_ext" if sys.modules.get("tiktoken_ext") is tiktoken_ext else tiktoken_ext.__name__
    return [found.name for found in pkgutil.iter_modules(tiktoken_ext.plugin_path(), f"{name}.")]


def _find_constructors() -> None:
    global ENCODING_CONSTRUCTORS
    with _lock:
        if ENCODING_CONSTRUCTORS is not None:
            return
        found: dict[str, Callable[[], dict[str, Any]]] = {}
        for module_name in _available_plugin_modules():
            constructors = getattr(importlib.import_module(module_name), "ENCODING_CONSTRUCTORS", None)
            if constructors is None:
                raise ValueError(f"tiktoken plugin {module_name} does not define ENCODING_CONSTRUCTORS")
            for name in constructors:
                if name in found:
                    raise ValueError(f"Duplicate encoding name {name} in tiktoken plugin {module_name}")
            found.update(constructors)
        ENCODING_CONSTRUCTORS = found


def get_encoding(encoding_name: str) -> Encoding:
    """Returns the encoding of a name. Raises a ValueError if there is none."""
    if not isinstance(encoding_name, str):
        raise ValueError(f"Expected a string in get_encoding, got {type(encoding_name)}")
    known = ENCODINGS.get(encoding_name)
    if known is not None:
        return known
    with _lock:
        if encoding_name in ENCODINGS:
            return ENCODINGS[encoding_name]
        names = list_encoding_names()
        assert ENCODING_CONSTRUCTORS is not None
        if encoding_name not in names:
            raise ValueError(
                f"Unknown encoding {encoding_name}.\nThere are: {', '.join(names)}.\n"
                f"Plugins found: {_available_plugin_modules()}"
            )
        made = Encoding(**ENCODING_CONSTRUCTORS[encoding_name]())
        ENCODINGS[encoding_name] = made
        return made


def list_encoding_names() -> list[str]:
    """Returns the names of all encodings."""
    with _lock:
        _find_constructors()
        assert ENCODING_CONSTRUCTORS is not None
        return list(ENCODING_CONSTRUCTORS)
