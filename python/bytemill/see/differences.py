"""Where two tokenizers cut the same text in different places, and what their vocabularies share."""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from .measures import Placed

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

#: Differences that are shown of each pair.
FIRST = 5


@dataclasses.dataclass(frozen=True)
class Difference:
    """A stretch of a text that both tokenizers begin and end a token with, and cut differently in between."""

    file: str
    #: The number of the document in its file, from 0, and the place of the stretch in it, in characters.
    document: int
    start: int
    left: list[str]
    right: list[str]


@dataclasses.dataclass(frozen=True)
class Overlap:
    """The tokens that two vocabularies share."""

    left: str
    right: str
    shared: int
    #: As a share of the tokens that either has.
    share: float


def differing(text: str, left: Placed, right: Placed) -> Iterator[tuple[int, list[str], list[str]]]:
    """Each stretch in which the borders differ: where it begins, and the parts that either cuts it into."""
    ours, theirs = _borders(text, left), _borders(text, right)
    common, only = sorted(ours & theirs), sorted(ours ^ theirs)
    end = -1
    for border in only:
        if border < end:
            continue
        place = bisect_left(common, border)
        start, end = common[place - 1], common[place]
        inner = only[bisect_left(only, start) : bisect_left(only, end)]
        yield start, _parts(text, start, end, ours & set(inner)), _parts(text, start, end, theirs & set(inner))


def _borders(text: str, placed: Placed) -> set[int]:
    """Where tokens end. What no token covers, as the spaces of WordPiece, belongs to the token after it."""
    ends = placed[1][:, 1].tolist()
    return {0, *ends[:-1], len(text)}


def _parts(text: str, start: int, end: int, inner: set[int]) -> list[str]:
    cuts = [start, *sorted(inner), end]
    return [text[a:b] for a, b in pairwise(cuts)]


def token_texts(tok: Tokenizer) -> set[bytes]:
    """The vocabulary as the bytes that tokens stand for, without special tokens; `▁` stands for a space."""
    special = set(tok.special_tokens.values())
    marker = "▁".encode()
    return {token.replace(marker, b" ") for token, id in tok.vocab_bytes().items() if id not in special}


def overlap(left: tuple[str, set[bytes]], right: tuple[str, set[bytes]]) -> Overlap:
    shared, either = len(left[1] & right[1]), len(left[1] | right[1])
    return Overlap(left[0], right[0], shared, shared / either if either else 0.0)
