"""Source code: the words of its identifiers."""

from __future__ import annotations

from . import _core

__all__ = ["split_identifier"]


def split_identifier(name: str) -> list[str]:
    """The words that a name is made of, and what separates them; joined, they are the name.

    >>> split_identifier("getHTTPServer_v2")
    ['get', 'HTTP', 'Server', '_', 'v2']
    """
    if not isinstance(name, str):
        raise TypeError(f"name is a str, not {type(name).__name__}")
    return _core.split_identifier(name)
