"""`specials="refuse"` and `"none"` hold for every added token of a file, whether or not the file calls it special."""

from __future__ import annotations

import json
from typing import Any

import pytest

import bytemill
from tests.samples import words

PLAIN = dict(id=0, single_word=False, lstrip=False, rstrip=False, normalized=False, special=False)


def with_added(*tokens: dict[str, Any] | str, **stages: Any) -> bytemill.Tokenizer:
    file = json.loads(words(["the cat < think > a b c"]).to_bytes("tokenizer.json"))
    given = [dict(content=token) if isinstance(token, str) else token for token in tokens]
    file["added_tokens"] += [{**PLAIN, **token} for token in given]
    file.update(stages)
    return bytemill.Tokenizer(bytemill._core.from_bytes(json.dumps(file).encode()))


def test_refuse_raises_for_an_added_token_that_is_not_special() -> None:
    tok = with_added("<think>", "<tool_call>")
    assert tok.tokenize("the<think>") == ["the", "<think>"]
    for text, token, at in (("the<think>", "<think>", 3), ("é <tool_call>", "<tool_call>", 3)):
        with pytest.raises(bytemill.errors.SpecialTokenError, match=f'"{token}" at byte {at}'):
            tok.encode(text, specials="refuse")


def test_none_makes_an_added_token_plain_text() -> None:
    tok = with_added("<think>")
    assert tok.tokenize("the<think>", specials="none") == ["the", "<", "think", ">"]


def test_a_set_matches_no_other_added_token() -> None:
    tok = with_added("<think>", "<tool_call>")
    text = "<think>the<EOS>"
    assert tok.tokenize(text, specials={"<think>"}) == ["<think>", "the", "<", "<UNK>", ">"]
    assert tok.tokenize(text, specials={"<EOS>"}) == ["<", "think", ">", "the", "<EOS>"]
    assert tok.tokenize(text, specials=set(tok.added_tokens)) == ["<think>", "the", "<EOS>"]


@pytest.mark.parametrize("specials", ["none", "refuse", {"<EOS>"}, "all", None])
def test_white_space_and_single_characters_are_text_under_every_policy(specials: Any) -> None:
    tok = with_added("    ", "\t\t", "ö", "▁▁")
    assert tok.tokenize("the    ö\t\tcat▁▁", specials=specials) == ["the", "    ", "ö", "\t\t", "cat", "▁▁"]


def test_white_space_that_the_file_calls_special_is_refused() -> None:
    tok = with_added(dict(content="\t\t", special=True))
    with pytest.raises(bytemill.errors.SpecialTokenError):
        tok.encode("the\t\tcat", specials="refuse")


def test_a_token_of_the_normalized_text_is_refused_where_it_stands_in_the_original() -> None:
    tok = with_added(dict(content="<Think>", normalized=True), normalizer={"type": "Lowercase"})
    # The first letter has fewer bytes in lower case.
    with pytest.raises(bytemill.errors.SpecialTokenError, match='"<Think>" at byte 7'):
        tok.encode("ẞ ca <THINK>", specials="refuse")
    assert tok.tokenize("the <THINK>", specials="none") == ["the", "<", "think", ">"]


def test_what_no_word_border_allows_is_not_refused() -> None:
    tok = with_added(dict(content="think", single_word=True))
    assert tok.encode("thinking", specials="refuse") == tok.encode("thinking")
    with pytest.raises(bytemill.errors.SpecialTokenError):
        tok.encode("think a", specials="refuse")


def test_every_added_token_is_listed() -> None:
    tok = with_added("<think>")
    assert tok.added_tokens == {**tok.special_tokens, "<think>": tok.token_to_id("<think>")}
    assert "<think>" not in tok.special_tokens


def test_refuse_covers_the_symbols_that_sentencepiece_finds_in_every_text() -> None:
    spec = bytemill.Unigram(20, user_defined_symbols=["<turn>", "\n"])
    tok = bytemill.train(["she sells sea shells by the sea shore " * 5], spec, progress=False)
    assert "<turn>" in tok.tokenize("sea<turn>") and "<turn>" in tok.tokenize("sea<turn>", specials="none")
    with pytest.raises(bytemill.errors.SpecialTokenError, match='"<turn>" at byte 3, a user-defined symbol'):
        tok.encode("sea<turn>", specials="refuse")
    assert tok.encode("sea\nshells", specials="refuse") == tok.encode("sea\nshells")
