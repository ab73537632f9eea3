"""Programming languages, by any name that people give them."""

from __future__ import annotations

import warnings
from typing import overload

from .. import _core
from ..errors import SpecError, UnknownLanguage
from .names import nearest, unknown_name

#: The languages that have a grammar: those of the package, then those of wheels.
KNOWN: tuple[str, ...] = (*_core.code_names()[0], *_core.code_names()[1])


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
        raise SpecError(unknown_name("language", name, dict.fromkeys(KNOWN)))
    return found


#: The language of sources that are split by their characters alone.
TEXT = "text"


@overload
def grammar_name(name: str) -> str: ...
@overload
def grammar_name(name: str | None) -> str | None: ...
def grammar_name(name: str | None) -> str | None:
    """The same for what is to be split: a language that has no grammar here is text, and a warning says so.

    A name that is nearly a known one is still an error: it is more likely to be misspelt.
    """
    if not isinstance(name, str) or _core.language_name(name) is not None or nearest(name, KNOWN) is not None:
        return language_name(name)
    warnings.warn(
        f"there is no grammar for the language {name!r} here; its sources are split by their characters alone, as with "
        f"language={TEXT!r} (known: {', '.join(KNOWN)})",
        UnknownLanguage,
        stacklevel=4,
    )
    return TEXT
