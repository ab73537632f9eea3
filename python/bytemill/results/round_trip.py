"""RoundTrip: whether a text comes back from its ids, and where it first differs."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .._arguments.types import Specials
    from ..tokenizer import Tokenizer

#: Characters shown before and after the first difference.
CONTEXT = 20


@dataclasses.dataclass(frozen=True)
class RoundTrip:
    """What `Tokenizer.check_round_trip` found. It is true if the text came back exactly.

    `position` is the index of the first character that differs, from 0; `expected` and `found` are the text and the
    decoded text around it.
    """

    exact: bool
    tokens: int
    position: int | None = None
    expected: str = ""
    found: str = ""

    def __bool__(self) -> bool:
        return self.exact

    def __str__(self) -> str:
        if self.exact:
            return f"exact: {self.tokens:,} tokens decode to the same text"
        return f"differs at character {self.position:,}: expected {self.expected!r}, found {self.found!r}"


def round_trip(tok: Tokenizer, text: str, specials: Specials) -> RoundTrip:
    ids = tok.encode(text, specials=specials)
    back = tok.decode(ids)
    if back == text:
        return RoundTrip(True, len(ids))
    position = next((i for i, (a, b) in enumerate(zip(text, back, strict=False)) if a != b), min(len(text), len(back)))
    around = slice(max(0, position - CONTEXT), position + CONTEXT)
    return RoundTrip(False, len(ids), position, text[around], back[around])
