"""Which tokens texts lead to: a text for each that is reached, a proof for each that is not."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from ..errors import BytemillError
from ..see.linting.reach import unreachable
from ..see.linting.subject import Subject
from ..tokenizer import Tokenizer

MARK = "▁"
#: What may stand before a token so that it continues a word, or does not begin the text.
BEFORE = ("a", "b", "x", "e", "1", "的", "а", "中", ".", " ", "  ", "\n")
BEGINNINGS = 8
AFTER = ("a", "z", " ", ".", "1", "的")
#: How characters of two, three and four bytes begin, and how those go on that begin in any way.
FIRST = (
    b"\xc3",
    b"\xd0",
    b"\xe2",
    b"\xe4",
    b"\xe6",
    b"\xe2\x80",
    b"\xe4\xb8",
    b"\xf0\x9f",
    b"\xf0\x9f\x98",
    b"\xf0\xa0",
)
REST = (
    b"\x80",
    b"\xbf",
    b"\x80\x80",
    b"\xa0\x80",
    b"\xb8\xad",
    b"\x98\x80",
    b"\x80\x80\x80",
    b"\x90\x80\x80",
    b"\x9f\x98\x80",
)


@dataclass(frozen=True)
class Reach:
    """Which tokens of the model texts are encoded to.

    Attributes:
        reached: The ids that a text was found for.
        unreachable: The ids that no text is encoded to, each with the reason: a proof.
        undecided: The ids for which neither a text nor a proof was found.
    """

    reached: frozenset[int] = field(repr=False)
    unreachable: dict[int, str]
    undecided: frozenset[int]


def reach(tok: Tokenizer) -> Reach:
    """Looks for a text for each token of the model; for the others, for a proof that there is none."""
    return reach_among(Subject(tok), None)


def reach_among(subject: Subject, among: Collection[int] | None) -> Reach:
    """The same for some tokens."""
    wanted = {id for id in subject.ordinary if among is None or id in among}
    found = witnessed(subject, wanted)
    missing = wanted - found
    proven = unreachable(subject, missing) if missing else {}
    return Reach(frozenset(found), proven, frozenset(missing - {*proven}))


def witnessed(subject: Subject, wanted: Collection[int]) -> set[int]:
    """Those of some ids for which a text is found."""
    found: set[int] = set()
    missing = {*wanted}
    for look in _looks():
        texts = look(subject, [subject.ordinary[id] for id in sorted(missing)])
        found |= _ids_of(subject.tok, texts) & missing
        missing -= found
    return found


def witnesses(subject: Subject, ids: Collection[int]) -> dict[int, str]:
    """A text for each of a few ids, if one is among those by which the tokens of the whole vocabulary are found."""
    found: dict[int, str] = {}
    for look in _looks():
        missing = {*ids} - {*found}
        if not missing:
            break
        for text in dict.fromkeys(look(subject, subject.ordinary.values())):
            for id in missing & {*(_ids(subject.tok, text) or ())}:
                found.setdefault(id, text)
    return found


def leads_to(tok: Tokenizer, text: str, id: int) -> bool:
    """Whether a text is encoded to an id, among others."""
    return id in (_ids(tok, text) or ())


def _ids(tok: Tokenizer, text: str) -> list[int] | None:
    """The ids of a text; None if the vocabulary refuses it."""
    try:
        return tok.encode(text, specials="none")
    except BytemillError:
        return None


def _looks() -> tuple[Callable[[Subject, Iterable[bytes]], Iterator[str]], ...]:
    """Where texts for tokens are looked for, one after another."""
    return (_alone, _around, _completed, _completed_in_every_way)


def spellings(subject: Subject, token: bytes) -> Iterable[bytes]:
    """A token as it may stand in a text: with and without the marks of the model."""
    byte = subject.byte_of(token)
    spelt = token if byte is None else bytes([byte])
    suffix = subject.symbols["suffix"].encode()
    prefix = str((subject.definition.get("subwords") or subject.symbols)["prefix"]).encode()
    return dict.fromkeys((spelt, spelt.removesuffix(suffix), spelt.removeprefix(prefix).removesuffix(suffix)))


def texts_of(subject: Subject, token: bytes) -> Iterator[str]:
    """The same as texts: none for a part of a character."""
    for part in spellings(subject, token):
        try:
            text = part.decode()
        except UnicodeDecodeError:
            continue
        yield text
        if MARK in text:
            yield text.replace(MARK, " ")


def _alone(subject: Subject, tokens: Iterable[bytes]) -> Iterator[str]:
    for token in tokens:
        yield from texts_of(subject, token)


def _around(subject: Subject, tokens: Iterable[bytes]) -> Iterator[str]:
    beginnings = [*BEFORE, *_beginnings(subject)]
    for text in _alone(subject, tokens):
        yield from (before + text for before in beginnings)
        yield from (text + after for after in AFTER)
        yield from (before + text + after for before in BEFORE[:4] for after in AFTER[:2])


def _beginnings(subject: Subject) -> list[str]:
    """The shortest tokens of the vocabulary that begin a word."""
    prefix = str((subject.definition.get("subwords") or subject.symbols)["prefix"]).encode()
    found = [token for token in subject.ordinary.values() if not (prefix and token.startswith(prefix))]
    texts = (next(texts_of(subject, token), "") for token in sorted(found, key=len)[:BEGINNINGS])
    return [text for text in texts if text]


def _completed(subject: Subject, tokens: Iterable[bytes]) -> Iterator[str]:
    """Texts that hold tokens which begin or end inside a character."""
    return _between(subject, tokens, FIRST, REST)


def _completed_in_every_way(subject: Subject, tokens: Iterable[bytes]) -> Iterator[str]:
    """The same with characters of every block: some pretokenizers ask for letters."""
    going_on = [bytes([byte]) for byte in range(0x80, 0xC0)]
    rest = [*going_on, *(one + other for one in going_on for other in (b"\x80", b"\xa1"))]
    two = [bytes([byte]) for byte in range(0xC2, 0xE0)]
    three = [bytes([byte, inner]) for byte in range(0xE1, 0xED) for inner in (0x80, 0xA0, 0xB8)]
    cut = [token for token in tokens if _is_cut(token)]
    yield from _between(subject, cut, (), rest)
    yield from _between(subject, cut, [*two, *three], ())


def _is_cut(token: bytes) -> bool:
    """Whether a token begins or ends inside a character."""
    try:
        token.decode()
    except UnicodeDecodeError:
        return True
    return False


def _between(
    subject: Subject, tokens: Iterable[bytes], before: Iterable[bytes], after: Iterable[bytes]
) -> Iterator[str]:
    """Tokens with bytes around them, where that is a text."""
    for spelt in (part for token in tokens for part in spellings(subject, token)):
        for first, rest in product((b"", *before), (b"", *after)):
            try:
                yield (first + spelt + rest).decode()
            except UnicodeDecodeError:
                continue


def _ids_of(tok: Tokenizer, texts: Iterable[str]) -> set[int]:
    """Every id that one of the texts has."""
    listed = [text for text in dict.fromkeys(texts) if text]
    try:
        return {*np.unique(tok.encode_batch(listed, specials="none").ids).tolist()}
    except BytemillError:
        # A vocabulary without an unknown token refuses some of them.
        return {id for text in listed for id in _ids(tok, text) or ()}
