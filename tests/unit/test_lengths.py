"""Truncation, padding and words that are split already: the arguments, each in its forms, and mistakes."""

from __future__ import annotations

from typing import Any

import pytest

import bytemill
from bytemill import Padding, Truncation
from bytemill.errors import SpecError

WORDS = bytemill.train(["a b c d e f g"], bytemill.Word(add_bos=True, add_eos=True), progress=False)
BARE = bytemill.train(["a b c"], bytemill.Word(pad_token=None), progress=False)


def tokens(text: str = "a b c d e", pair: str | None = None, **options: Any) -> str:
    return " ".join(WORDS(text, pair, **options).tokens)


def test_truncation_in_its_forms() -> None:
    assert tokens(truncation=4) == "<BOS> a b <EOS>" == tokens(truncation=Truncation(4))
    assert tokens(truncation=Truncation(4, side="left")) == "<BOS> d e <EOS>"
    assert tokens(truncation=4, add_special_tokens=False) == "a b c d"
    assert tokens(truncation=False) == tokens() == tokens(truncation=99) == "<BOS> a b c d e <EOS>"
    assert tokens("a b c", "d e f g", truncation=8) == "<BOS> a b <EOS> <BOS> d e <EOS>"
    only = Truncation(8, strategy="only_second")
    assert tokens("a b c", "d e f g", truncation=only) == "<BOS> a b c <EOS> <BOS> d <EOS>"


def test_overflow_has_all_of_the_text() -> None:
    encoding = WORDS("a b c d e", truncation=Truncation(5, stride=2), overflow=True, offsets=True)
    assert [part.tokens[1:-1] for part in (encoding, *encoding.overflowing)] == [list("abc"), list("bcd"), list("cde")]
    assert encoding.overflowing[1].offsets == [(0, 0), (4, 5), (6, 7), (8, 9), (0, 0)]
    assert encoding.overflowing[0].overflowing == []
    assert WORDS("a b c d e", truncation=5).overflowing == []


def test_padding_in_its_forms() -> None:
    assert tokens("a", padding=5) == "<BOS> a <EOS> <PAD> <PAD>" == tokens("a", padding=Padding(5))
    assert tokens("a", padding=Padding(5, side="left")) == "<PAD> <PAD> <BOS> a <EOS>"
    assert tokens("a", padding=Padding(multiple_of=4)) == "<BOS> a <EOS> <PAD>"
    assert tokens("a", padding="longest") == tokens("a", padding=True) == tokens("a", padding=2) == "<BOS> a <EOS>"
    encoding = WORDS("a", padding=Padding(5, token="<UNK>", type_id=7), offsets=True)
    assert (encoding.ids[3:], encoding.type_ids) == ([1, 1], [0, 0, 0, 7, 7])
    assert (encoding.attention_mask, encoding.special_tokens_mask) == ([1, 1, 1, 0, 0], [1, 0, 1, 1, 1])
    assert (encoding.offsets[3:], encoding.word_ids[3:], encoding.sequence_ids[3:]) == (
        [(0, 0)] * 2,
        [None] * 2,
        [None] * 2,
    )
    named = WORDS("a", padding=Padding(4, token="nothing", id=2))
    assert (named.ids[3:], named.tokens[3:]) == ([2], ["nothing"])
    assert BARE("a", padding=Padding(3, id=0)).tokens == ["a", "<UNK>", "<UNK>"]


def test_batches_are_padded_together() -> None:
    rows = WORDS.inputs(["a", "a b c"], padding="longest", threads=1)
    assert [row.ids for row in rows] == [[2, 4, 3, 0, 0], [2, 4, 5, 6, 3]]
    pairs = WORDS.inputs(["a", "b"], ["c", "d"], add_special_tokens=False)
    assert [row.tokens for row in pairs] == [["a", "c"], ["b", "d"]]
    assert WORDS.inputs([]) == []


def test_words_that_are_split_already() -> None:
    encoding = WORDS(["a b", "", "cé", b"d"], pretokenized=True, offsets=True)
    assert encoding.tokens == ["<BOS>", "a", "b", "<UNK>", "d", "<EOS>"]
    assert encoding.word_ids == [None, 0, 0, 2, 3, None]
    assert encoding.offsets == [(0, 0), (0, 1), (2, 3), (0, 2), (0, 1), (0, 0)]
    assert WORDS(["cé"], pretokenized=True, offsets="bytes").offsets[1] == (0, 3)
    assert WORDS.inputs([["a"], ["b", "c"]], pretokenized=True)[1].word_ids == [None, 0, 1, None]


MISTAKES: dict[str, tuple[Any, type[Exception], str]] = {
    "no room": (lambda: WORDS("a", truncation=1), SpecError, "max_length=1 has no room for the 2 tokens"),
    "stride": (
        lambda: WORDS("a b c d", truncation=Truncation(5, stride=3), overflow=True),
        SpecError,
        "stride=3 must be less than the 3 tokens",
    ),
    "no second": (
        lambda: WORDS("a b c", truncation=Truncation(4, strategy="only_second")),
        SpecError,
        "which was not given",
    ),
    "too short": (
        lambda: WORDS("a b c", "d", truncation=Truncation(5, strategy="only_second")),
        SpecError,
        "cutting the second text alone, which has 1 tokens where 3 are too many",
    ),
    "no length": (lambda: WORDS("a", truncation=True), SpecError, "has no length to truncate to; pass one"),
    "not a length": (lambda: WORDS("a", truncation="longest"), TypeError, "truncation is None, True, False, a whole"),
    "nothing to pad with": (lambda: BARE("a", padding=3), SpecError, "no pad token; pass padding="),
    "unknown padding": (
        lambda: WORDS("a", padding=Padding(3, token="?")),
        SpecError,
        r'has no token "\?" to pad with',
    ),
    "not padding": (lambda: WORDS("a", padding="max"), TypeError, 'padding is None, .* "longest", a bytemill.Padding'),
    "a list": (lambda: WORDS(["a"]), TypeError, "need pretokenized=True, and many texts inputs"),
    "a text": (lambda: WORDS("a", pretokenized=True), TypeError, "with pretokenized=True a text is a list of words"),
    "one text": (lambda: WORDS.inputs("a"), TypeError, "a batch is several texts, and this is one"),
    "pairs": (lambda: WORDS.inputs(["a"], ["b", "c"]), SpecError, "there are 1 texts and 2 to pair them with"),
    "side": (lambda: Truncation(3, side="top"), SpecError, "side"),  # type: ignore[arg-type]
    "strategy": (lambda: Truncation(3, strategy="first"), SpecError, "strategy"),  # type: ignore[arg-type]
    "length": (lambda: Truncation(-1), SpecError, "max_length must be at least 0, not -1"),
    "multiple": (lambda: Padding(multiple_of=0), SpecError, "multiple_of must be at least 1, not 0"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(mistake: str) -> None:
    do, kind, message = MISTAKES[mistake]
    with pytest.raises(kind, match=message):
        do()
