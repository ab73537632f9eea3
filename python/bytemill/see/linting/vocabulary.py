"""Checks of the vocabulary: twins, parts of characters, ids and bytes without a token, tokens that texts do not use."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...results.visible import visible
from .findings import Finding, some

if TYPE_CHECKING:
    from .subject import Subject

#: Tokens of text for each token of the vocabulary from which on an unused token says something.
ENOUGH = 20
#: Uses that are hardly any.
HARDLY = 2


def check_twins(subject: Subject) -> Iterator[Finding]:
    """Tokens that look the same: they differ in how characters are composed, in width, or in what nobody sees."""
    looks: dict[str, list[int]] = defaultdict(list)
    for id, token in subject.ordinary.items():
        if not token.isascii() and (text := _whole(token)) is not None:
            looks[look(text)].append(id)
    for id, token in subject.ordinary.items():
        if token.isascii() and token.decode() in looks:
            looks[token.decode()].append(id)
    found = [" = ".join(map(subject.shown, sorted(ids))) for ids in looks.values() if len(ids) > 1]
    yield from some(
        "near-duplicate",
        "note",
        found,
        "groups of tokens that look the same: {}",
        "normalize the text (NFC or NFKC) before training, if the difference means nothing",
    )


#: Decompositions of Unicode that change hardly anything for the eye; raised or circled characters look different.
ALIKE = ("<compat>", "<wide>", "<narrow>", "<noBreak>", "<initial>", "<medial>", "<final>", "<isolated>")


def look(text: str) -> str:
    """A text as a reader sees it.

    >>> look("ﬁ\\u200b²"), look("e\\u0301") == look("é")
    ('fi²', True)
    """
    return "".join(map(_look_of, unicodedata.normalize("NFC", text)))


@lru_cache(maxsize=1 << 16)
def _look_of(character: str) -> str:
    if unicodedata.category(character) == "Cf":
        return ""
    if unicodedata.decomposition(character).startswith(ALIKE):
        return unicodedata.normalize("NFKC", character)
    return character


def _whole(token: bytes) -> str | None:
    try:
        return token.decode()
    except UnicodeDecodeError:
        return None


def check_partial(subject: Subject) -> Iterator[Finding]:
    """Tokens of several bytes that begin or end inside a character."""
    partial = {id: token for id, token in subject.ordinary.items() if len(token) > 1 and _whole(token) is None}
    mixed = [subject.shown(id) for id, token in partial.items() if any(byte < 0x80 for byte in token)]
    advice = "decode whole sequences, or with stream(): one such token alone is no text"
    yield from some(
        "partial-character",
        "note",
        [*map(subject.shown, partial)],
        "tokens that begin or end inside a character: {}",
        advice,
    )
    yield from some(
        "mixed-partial-character",
        "note",
        mixed,
        "tokens with an ASCII character and a part of another one: {}",
        "if offsets or constrained decoding matter, train with a pretokenizer that keeps spaces apart from characters",
    )


def check_ids(subject: Subject) -> Iterator[Finding]:
    """Ids below the size of the vocabulary that have no token."""
    tok = subject.tok
    empty = [id for id in range(tok.vocab_size) if tok.id_to_bytes(id) is None]
    ranges = [f"{a}" if a == b else f"{a} to {b}" for a, b in _ranges(empty)]
    yield from some(
        "hole-in-ids",
        "warning",
        ranges,
        "ranges of ids without a token: {}",
        "give them to new tokens, or renumber: a model that predicts such an id cannot be decoded",
    )


def _ranges(ids: list[int]) -> list[tuple[int, int]]:
    """Numbers in order as ranges, the last of each included.

    >>> _ranges([3, 4, 5, 9])
    [(3, 5), (9, 9)]
    """
    ranges: list[tuple[int, int]] = []
    for id in ids:
        start = ranges.pop()[0] if ranges and ranges[-1][1] == id - 1 else id
        ranges.append((start, id))
    return ranges


def check_bytes(subject: Subject) -> Iterator[Finding]:
    """Bytes that a byte-level vocabulary has no token for: texts with them are refused, or unknown."""
    symbols = subject.symbols
    if subject.tok.family != "bpe" or symbols["unit"] != "bytes" or symbols["suffix"] or symbols["prefix"]:
        return
    single = {token for token in subject.tok.vocab_bytes() if len(token) == 1}
    # UTF-8 has no others.
    needed = [*range(0xC0), *range(0xC2, 0xF5)]
    missing = [
        f"<0x{byte:02X}> {visible(chr(byte)) if byte < 0x80 else ''}".rstrip()
        for byte in needed
        if bytes([byte]) not in single
    ]
    yield from some(
        "missing-byte",
        "error" if subject.tok.unk_id is None else "warning",
        missing,
        "bytes without a token: {}",
        "add a token for each of the 256 bytes; texts with the missing ones cannot be encoded",
    )


def check_use(subject: Subject, counts: NDArray[np.int64], unreachable: set[int]) -> Iterator[Finding]:
    """Tokens that given texts never or hardly use: candidates for embeddings that were hardly trained."""
    total = int(counts.sum())
    tokens = [id for id in subject.ordinary if id not in unreachable and len(subject.ordinary[id]) > 1]
    if total < ENOUGH * len(tokens):
        yield Finding(
            "text-too-short",
            "note",
            f"the texts have {total:,} tokens, too few to tell which of {len(tokens):,} are hardly used",
            f"give texts with at least {ENOUGH * len(tokens):,} tokens",
        )
        return
    rare = sorted(
        (id for id in tokens if counts[id] <= HARDLY), key=lambda id: (counts[id], -len(subject.ordinary[id]), id)
    )
    examples = [f"{subject.shown(id)}: {counts[id]} times" for id in rare]
    yield from some(
        "undertrained-token",
        "note",
        examples,
        f"tokens that occur at most {HARDLY} times among {total:,}: {{}}",
        "a model that saw as little of them behaves oddly when they occur; train on text like that of the model",
    )
