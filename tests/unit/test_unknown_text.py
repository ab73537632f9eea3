"""Text that no token stands for: an unknown token, an error, or its bytes, and never nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill import BPE
from bytemill.compat import cs336

TEXT = ["low low low lower lowest new newer newest wide wider widest"]


def train(**options: Any) -> bytemill.Tokenizer:
    return bytemill.train(TEXT, BPE(20, byte_level=False, **options), progress=False)


def test_characters_that_are_not_in_the_vocabulary_become_an_unknown_token_by_default() -> None:
    tok = train()
    assert tok.special_tokens == {"<unk>": 0} and tok.unk_id == 0
    assert tok.tokenize("lox")[-1] == "<unk>"
    assert tok.decode(tok.encode("lox")) == "lo<unk>"


def test_bytes_need_no_unknown_token() -> None:
    assert bytemill.train(TEXT, BPE(260), progress=False).special_tokens == {}
    fallback = bytemill.train(TEXT, BPE(270, byte_level=False, byte_fallback=True), progress=False)
    assert fallback.special_tokens == {} and fallback.decode(fallback.encode("lox é")) == "lox é"


CALLS: dict[str, Any] = {
    "encode": lambda tok, text: tok.encode(text),
    "encode_array": lambda tok, text: tok.encode_array(text),
    "encode_batch": lambda tok, text: tok.encode_batch([text, "low"] * 9),
    "encode_iterable": lambda tok, text: list(tok.encode_iterable([text])),
    "encode with dropout": lambda tok, text: tok.encode(text, dropout=0.5),
    "tokenize": lambda tok, text: tok.tokenize(text),
    "call": lambda tok, text: tok(text, offsets=True),
    "count": lambda tok, text: tok.count(text),
    "count_batch": lambda tok, text: tok.count_batch([text] * 9),
    "explain": lambda tok, text: tok.explain(text),
    "cut": lambda tok, text: tok.cut(text, 50),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("options", [{}, {"end_of_word_suffix": "</w>"}, {"continuing_subword_prefix": "##"}])
def test_without_an_unknown_token_encoding_them_is_an_error(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    tok = train(unk_token=None, **options)
    assert tok.decode(tok.encode("low lower")) == "low lower"
    tok.save(tmp_path / "a.mill")
    tok.save(tmp_path / "a.mill.json")
    for same in (tok, bytemill.load(tmp_path / "a.mill"), bytemill.load(tmp_path / "a.mill.json")):
        CALLS[name](same, "low lower")
        with pytest.raises(
            bytemill.errors.UnknownTokenError, match=r'"x", for which the vocabulary has no token.*unk_token'
        ):
            CALLS[name](same, "low lox é")


def test_files_are_not_encoded_without_their_unknown_characters(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("low lox")
    with pytest.raises(bytemill.errors.UnknownTokenError, match=r'a.txt has "x"'):
        train(unk_token=None).encode_files(tmp_path / "a.txt")


def test_a_tokenizer_json_keeps_the_rule_of_its_library(tmp_path: Path) -> None:
    tok = train(unk_token=None)
    with pytest.warns(bytemill.tokenizer.OtherLibrary, match="left out without an error"):
        tok.save(tmp_path / "tokenizer.json")
    loaded = bytemill.load(tmp_path / "tokenizer.json")
    assert loaded.decode(loaded.encode("lox")) == "lo"
    tokenizers = pytest.importorskip("tokenizers")
    other = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert other.encode("lox").ids == loaded.encode("lox")


def test_bytes_that_are_not_in_the_alphabet_are_an_error() -> None:
    tok = bytemill.train(["low low"], BPE(4, initial_alphabet="low "), progress=False)
    with pytest.raises(bytemill.errors.UnknownTokenError, match='"x"'):
        tok.encode("lox")
    with pytest.raises(bytemill.errors.UnknownTokenError, match='"é"'):
        tok.encode("lé")


def test_the_tokenizer_of_cs336_loses_no_text() -> None:
    tok = cs336.Tokenizer({0: b"a", 1: b"b", 2: b"ab"}, [(b"a", b"b")])
    assert tok.encode("abba") == [2, 1, 0]
    with pytest.raises(bytemill.errors.UnknownTokenError, match='"c"'):
        tok.encode("abc")
    with pytest.raises(bytemill.errors.UnknownTokenError, match='"c"'):
        list(tok.encode_iterable(["ab", "c"]))


def test_an_unknown_token_can_be_named() -> None:
    tok = train(unk_token="<UNK>")
    assert tok.special_tokens == {"<UNK>": 0}
    with pytest.raises(bytemill.errors.SpecError, match="nothing is unknown"):
        bytemill.train(TEXT, BPE(260, unk_token="<unk>"), progress=False)
