"""Special tokens in texts: found first, longest first, as each call wants it."""

from __future__ import annotations

import json
from typing import Any

import pytest

import bytemill
from tests.samples import chars, words


@pytest.fixture(scope="module")
def tok() -> bytemill.Tokenizer:
    return words(["the cat"], special_tokens=["<x>", "<x><x>", "<new york>"])


def test_specials_are_never_split_and_need_no_space(tok: bytemill.Tokenizer) -> None:
    assert tok.tokenize("the<EOS>cat") == ["the", "<EOS>", "cat"]
    assert tok.tokenize("the<new york>cat") == ["the", "<new york>", "cat"]
    assert chars(["ab"]).tokenize("a<EOS>b") == ["a", "<EOS>", "b"]


def test_the_longest_wins_from_the_left(tok: bytemill.Tokenizer) -> None:
    assert tok.tokenize("<x><x><x>") == ["<x><x>", "<x>"]


def test_all_is_the_default(tok: bytemill.Tokenizer) -> None:
    text = "<BOS>the<x>"
    assert tok.encode(text) == tok.encode(text, specials="all") == tok.encode(text, specials=None)
    assert tok.tokenize(text) == ["<BOS>", "the", "<x>"]


def test_none_makes_them_plain_text(tok: bytemill.Tokenizer) -> None:
    assert tok.tokenize("<x>the", specials="none") == ["<UNK>", "<UNK>", "<UNK>", "the"]
    knows = chars(["<BOS>x"], special_tokens=[], bos_token=None)
    assert knows.tokenize("<EOS>", specials="none") == ["<", "<UNK>", "O", "S", ">"]


def test_a_set_matches_just_these(tok: bytemill.Tokenizer) -> None:
    text = "<x><x><BOS>"
    assert tok.tokenize(text, specials={"<x>"}) == ["<x>", "<x>", "<UNK>", "<UNK>", "<UNK>"]
    assert tok.tokenize(text, specials=["<BOS>", "<x>"]) == ["<x>", "<x>", "<BOS>"]
    assert tok.tokenize(text, specials=frozenset({"<x><x>"})) == ["<x><x>", "<UNK>", "<UNK>", "<UNK>"]
    assert tok.encode(text, specials=set()) == tok.encode(text, specials="none")


def test_refuse_raises_before_anything_is_encoded(tok: bytemill.Tokenizer) -> None:
    assert tok.encode("the cat", specials="refuse") == tok.encode("the cat")
    assert tok.encode("<x the>", specials="refuse") == tok.encode("<x the>")
    for text in ("<x>", "the cat<EOS>", "the<new york>"):
        with pytest.raises(bytemill.errors.SpecialTokenError):
            tok.encode(text, specials="refuse")


CALLS: dict[str, Any] = {
    "encode": lambda tok, text, **kw: tok.encode(text, **kw),
    "encode_array": lambda tok, text, **kw: tok.encode_array(text, **kw).tolist(),
    "encode_batch": lambda tok, text, **kw: tok.encode_batch([text], **kw).to_list()[0],
    "encode_iterable": lambda tok, text, **kw: list(tok.encode_iterable([text], **kw)),
    "call": lambda tok, text, **kw: tok(text, **kw).ids,
    "tokenize": lambda tok, text, **kw: [tok.token_to_id(token) for token in tok.tokenize(text, **kw)],
}
COUNTS: dict[str, Any] = {
    "count": lambda tok, text, **kw: tok.count(text, **kw),
    "count_batch": lambda tok, text, **kw: tok.count_batch([text], **kw).tolist()[0],
}


@pytest.mark.parametrize("name", [*CALLS, *COUNTS])
def test_every_call_takes_every_policy(tok: bytemill.Tokenizer, name: str) -> None:
    text = "the<x><BOS>"
    expected = {
        None: [8, 4, 2],
        "all": [8, 4, 2],
        "none": [8, 1, 1, 1, 1, 1, 1],
        ("<x>",): [8, 4, 1, 1, 1],
    }
    for specials, ids in expected.items():
        if name in CALLS:
            assert CALLS[name](tok, text, specials=specials) == ids
        else:
            assert COUNTS[name](tok, text, specials=specials) == len(ids)
    call = CALLS.get(name) or COUNTS[name]
    with pytest.raises(bytemill.errors.SpecialTokenError):
        call(tok, text, specials="refuse")
    with pytest.raises(bytemill.errors.SpecError, match='"<y>" is not a special token'):
        call(tok, text, specials={"<y>"})


def test_what_reads_like_a_special_token_after_normalization_is_not_one() -> None:
    tok = words(["the cat"], special_tokens=["cat"], lowercase=True)
    assert tok.encode("cat") == [4]
    assert tok.encode("CAT") == [1]
    both = words(["CAT"], special_tokens=["cat"], lowercase=True)
    assert both.encode("CAT cat") == [5, 4]
    assert both.token_to_id("cat") == 4


def test_the_names_of_all_tokens_are_in_the_vocabulary_once() -> None:
    both = words(["CAT"], special_tokens=["cat"], lowercase=True)
    assert both.vocab()["cat"] == both.token_to_id("cat")


def with_added(tokens: list[dict[str, Any]], **stages: Any) -> bytemill.Tokenizer:
    """A tokenizer.json with added tokens of the kinds that training does not make."""
    file = json.loads(words(["the cat new york new york a b c M m"]).to_bytes("tokenizer.json"))
    plain = dict(id=0, single_word=False, lstrip=False, rstrip=False, normalized=False, special=False)
    file["added_tokens"] += [{**plain, **token} for token in tokens]
    file.update(stages)
    return bytemill.Tokenizer(bytemill._core.from_bytes(json.dumps(file).encode()))


def cuts_that_change_the_ids(tok: bytemill.Tokenizer, text: str) -> list[int]:
    expected = tok.encode(text)
    return [at for at in range(len(text)) if list(tok.encode_iterable([text[:at], text[at:]])) != expected]


@pytest.mark.parametrize("flags", [{}, {"lstrip": True}, {"rstrip": True}, {"single_word": True}])
def test_parts_of_a_text_with_added_tokens_encode_as_the_whole(flags: dict[str, bool]) -> None:
    tok = with_added([dict(content="<MASK>", **flags)])
    assert cuts_that_change_the_ids(tok, "the cat      <MASK>      cat<MASK>a <MASK> the cat") == []


@pytest.mark.parametrize("flags", [{"lstrip": True}, {"rstrip": True}])
def test_white_space_that_a_token_takes_may_come_before_the_token_does(flags: dict[str, bool]) -> None:
    tok = with_added([dict(content="<MASK>", **flags)], pre_tokenizer={"type": "FixedLength", "length": 1})
    assert cuts_that_change_the_ids(tok, "a" + " " * 12 + "<MASK>" + " " * 12 + "b c") == []


def test_tokens_of_the_normalized_text_are_found_across_parts() -> None:
    tok = with_added([dict(content="New York", normalized=True)], normalizer={"type": "Lowercase"})
    text = "the cat NEW YORK the cat the cat the cat"
    assert tok.token_to_id("New York") in tok.encode(text)
    assert cuts_that_change_the_ids(tok, text) == []


def test_an_added_token_has_a_longest_length() -> None:
    with pytest.raises(bytemill.errors.SpecError, match="has 5000 bytes, and at most 4096"):
        bytemill.train(["xy"], bytemill.Char(unk_token="x" * 5000), progress=False)
