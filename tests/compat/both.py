"""The same call on a library and on what stands in for it: what each gives, or raises, as plain values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tokenizers as theirs

import bytemill.compat.tokenizers as ours

Library = Any
BOTH = (theirs, ours)

LETTERS = {letter: id for id, letter in enumerate("abcdefghijkl")}
VOCAB = {**LETTERS, "ab": 12, "abc": 13, "[UNK]": 14}


def letters(m: Library) -> Any:
    """A small tokenizer: BPE of letters."""
    tok = m.Tokenizer(m.models.BPE(VOCAB, [("a", "b"), ("ab", "c")], unk_token="[UNK]"))
    tok.pre_tokenizer = m.pre_tokenizers.Whitespace()
    return tok


def pair(m: Library) -> Any:
    """The encoding of a pair of texts."""
    return letters(m).encode("abc a b ab", "a c")


def plain(value: Any) -> Any:
    """A value without the classes of a library."""
    name = type(value).__name__
    if name == "Encoding":
        parts = ("ids", "type_ids", "tokens", "offsets", "attention_mask", "special_tokens_mask", "word_ids")
        listed = [getattr(value, part) for part in (*parts, "sequence_ids", "n_sequences")]
        return [*listed, len(value), repr(value), [part.ids for part in value.overflowing]]
    if isinstance(value, (list, tuple)):
        return type(value)(plain(item) for item in value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if name == "Token":
        return value.as_tuple()
    if "tokenizers" in type(value).__module__:
        return (repr(value), str(value))
    return value


def outcome(call: Callable[[], Any]) -> tuple[str, Any]:
    """What a call gives, or the kind of what it raises. Messages are each library's own."""
    try:
        return "gives", plain(call())
    except BaseException as error:
        return "raises", type(error).__name__


def said(call: Callable[[], Any]) -> str:
    """The message of what a call raises."""
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "nothing was raised"


def same(call: Callable[[Library], Any]) -> None:
    """Asserts that a call on both libraries has the same outcome."""
    first, second = (outcome(lambda m=m: call(m)) for m in BOTH)
    assert second == first
