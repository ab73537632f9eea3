"""Tokens that are added to a tokenizer, and tokenizers from the content of files."""

from __future__ import annotations

import pytest

import bytemill
from bytemill.errors import FormatError, SpecError

TEXTS = ["the cat sat on the mat"] * 9
SPECS = [bytemill.BPE(268), bytemill.WordPiece(26), bytemill.Unigram(18), bytemill.Word(), bytemill.Char()]


@pytest.fixture(params=SPECS, ids=lambda spec: type(spec).__name__)
def tok(request: pytest.FixtureRequest) -> bytemill.Tokenizer:
    return bytemill.train(TEXTS, request.param, progress=False)


def test_added_tokens_have_the_next_ids(tok: bytemill.Tokenizer) -> None:
    more = tok.with_tokens(["<x>", "<y>"])
    assert [more.token_to_id(token) for token in ("<x>", "<y>")] == [tok.vocab_size, tok.vocab_size + 1]
    assert tok.vocab_size in more.encode("the cat<x>the mat", specials="all")
    assert more.encode("the cat") == tok.encode("the cat")
    assert "<x>" not in tok and "<x>" not in tok.added_tokens


def test_special_ones_are_left_out(tok: bytemill.Tokenizer) -> None:
    more = tok.with_tokens(["<x>"]).with_tokens(["<z>"], special=True)
    ids = more.encode("<x><z>", specials="all")
    assert "<z>" in more.special_tokens and "<x>" not in more.special_tokens
    assert "<z>" not in more.decode(ids, skip_special_tokens=True)
    assert "<x>" in more.decode(ids, skip_special_tokens=True)


def test_a_token_of_the_vocabulary_keeps_its_id() -> None:
    tok = bytemill.train(TEXTS, bytemill.Word(), progress=False)
    assert tok.with_tokens(["cat"]).encode("thecat")[-1] == tok.token_to_id("cat")


def test_mistakes(tok: bytemill.Tokenizer) -> None:
    with pytest.raises(SpecError, match="cannot be empty"):
        tok.with_tokens([""])
    with pytest.raises(TypeError):
        tok.with_tokens("<x>")
    with pytest.raises(TypeError, match="content of a file"):
        bytemill.loads(3)  # type: ignore[arg-type]
    with pytest.raises(FormatError):
        bytemill.loads("no tokenizer")


@pytest.mark.parametrize("format", ["mill", "mill.json"])
def test_from_the_content_of_a_file(tok: bytemill.Tokenizer, format: str) -> None:
    data = tok.to_bytes(format)
    assert bytemill.loads(data) == tok
    assert format == "mill" or bytemill.loads(data.decode()) == tok
