"""Tokenizers of ranks in memory: any bytes, texts that go on, special tokens that are picked once."""

from __future__ import annotations

import pytest

import bytemill
from bytemill import Tokenizer
from bytemill.errors import SpecError, SpecialTokenError, TextError

RANKS = {bytes([byte]): byte for byte in range(256)} | {b"th": 256, b"the": 257, b"then": 258, b"\xe3\x81": 259}
SPECIAL = {"<a>": 300, "<b>": 301, "<c>": 302}


def made() -> Tokenizer:
    return Tokenizer.from_ranks(RANKS, pattern=r"\w+|\W", special_tokens=SPECIAL)


def test_ranks_give_ids() -> None:
    tok = made()
    assert tok.encode("then the") == [258, 32, 257]
    assert tok.special_tokens == SPECIAL and tok.vocab_size == 303
    assert Tokenizer.from_ranks(RANKS, pattern="gpt2").encode("the") == [257]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"ranks": [1], "pattern": "gpt2"}, TypeError, "ranks is a mapping"),
        ({"ranks": {"a": 1}, "pattern": r"\w+"}, TypeError, "bytes"),
        ({"ranks": {**RANKS, b"zz": 256}, "pattern": r"\w+"}, SpecError, "the rank 256 is there twice"),
        ({"ranks": {b"a": 0}, "pattern": r"\w+"}, SpecError, "no token for the byte"),
        ({"ranks": RANKS, "pattern": "(a"}, SpecError, "a parenthesis is not closed"),
        ({"ranks": RANKS, "pattern": None}, TypeError, "pattern is a regular expression"),
    ],
)
def test_what_is_no_tokenizer_is_refused(arguments: dict[str, object], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        Tokenizer.from_ranks(**arguments)  # type: ignore[arg-type]


def test_any_bytes_are_encoded() -> None:
    tok = made()
    assert tok.encode_bytes(b"the \xff") == [257, 32, 255]
    # The last word may go on, and is merged with what follows it.
    assert tok.encode_bytes(b"the\xe3\x81") == [257, 259]
    assert tok.encode_piece(b"the n") == [257, 32, 110]
    words = bytemill.train(["the cat"], bytemill.Word(), progress=False)
    with pytest.raises(TextError, match="0xff"):
        words.encode_bytes(b"\xff")
    with pytest.raises(SpecError, match="only byte-pair encoding of bytes"):
        words.encode_piece(b"the")


def test_a_text_that_goes_on() -> None:
    stable, rows = made().encode_unstable("the th")
    assert stable == [257, 32]
    assert {(256,), (257,), (258,)} <= {tuple(row) for row in rows}


def test_special_tokens_are_picked_once() -> None:
    tok = made()
    picked = tok.pick_specials(["<a>"], refused=["<b>"])
    assert tok.encode("<a><c>", specials=picked) == [300, *b"<c>"]
    with pytest.raises(SpecialTokenError) as refused:
        tok.encode("<a><b>", specials=picked)
    assert refused.value.token == "<b>"
    with pytest.raises(SpecialTokenError):
        tok.encode("<c>", specials=tok.pick_specials(["<a>"]))
    with pytest.raises(SpecError, match="not a special token"):
        tok.pick_specials(["<d>"])
    with pytest.raises(SpecError, match="picked by another tokenizer"):
        made().encode("", specials=picked)


def test_pieces_have_types_and_scores() -> None:
    spec = bytemill.SentencePiece(None, model="char", unk_surface="?")
    tok = bytemill.train(["low lower"], spec, special_tokens={"</s>": 0, "<unk>": 1, "<s>": 4}, progress=False)
    assert tok.piece_types()[:5] == ["control", "unknown", "normal", "normal", "control"]
    assert len(tok.piece_scores()) == tok.vocab_size and tok.decode([1]) == "?"
    assert tok.normalize("low  er") == "▁low▁er"
    with pytest.raises(SpecError, match="only the pieces of SentencePiece models"):
        made().piece_types()
