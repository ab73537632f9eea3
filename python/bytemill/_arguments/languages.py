"""Programming languages, by any name that people give them."""

from __future__ import annotations

from typing import overload

from .. import _core
from ..errors import SpecError
from .names import unknown_name


@overload
def language_name(name: str) -> str: ...
@overload
def language_name(name: str | None) -> str | None: ...
def language_name(name: str | None) -> str | None:
    """The name that a language has here, from that in any case, the ending of its files, or another usual one.

    >>> language_name("js"), language_name("C#"), language_name("Python")
    ('javascript', 'csharp', 'python')
    """
    if name is None:
        return None
    if not isinstance(name, str):
        raise TypeError(f"language is a str or None, not {name!r}")
    found = _core.language_name(name)
    if found is None:
        raise SpecError(unknown_name("language", name, dict.fromkeys(_core.code_names()[0])))
    return found
