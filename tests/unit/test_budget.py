"""Counting up to a limit, and cutting a text to a number of tokens."""

from __future__ import annotations

import json
import time

import pytest

import bytemill
from bytemill.errors import SpecError, SpecialTokenError
from bytemill.reference.bpe import ALPHABET


@pytest.fixture(scope="module")
def tok(tmp_path_factory: pytest.TempPathFactory) -> bytemill.Tokenizer:
    """Byte-level, so that characters have several tokens."""
    tokens = [*ALPHABET.values(), "ab", "cd", "bcd", "<end>"]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True}
    file = {
        "version": "1.0",
        "added_tokens": [
            {
                "id": 259,
                "content": "<end>",
                "special": True,
                **dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized"], False),
            }
        ],
        "pre_tokenizer": byte_level,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "vocab": {token: id for id, token in enumerate(tokens)},
            "merges": ["c d", "b cd", "a b"],
        },
    }
    path = tmp_path_factory.mktemp("budget") / "tokenizer.json"
    path.write_text(json.dumps(file))
    return bytemill.load(path)


def test_counting_stops_at_the_limit(tok: bytemill.Tokenizer) -> None:
    assert [tok.count_till("ab ab", limit) for limit in range(5)] == [None, None, None, 3, 3]
    assert tok.count_till("", 0) == 0
    assert tok.count_till(b"ab", 1) == 1


def test_text_after_the_limit_is_not_looked_at(tok: bytemill.Tokenizer) -> None:
    text = "x " * 2_000_000
    started = time.perf_counter()
    for _ in range(20):
        assert tok.count_till(text, 10, specials="none") is None
    assert time.perf_counter() - started < 2
    with pytest.raises(SpecialTokenError):
        tok.count_till("a<end>", 10, specials="refuse")


@pytest.mark.parametrize(
    ("text", "limit", "start", "end"),
    [
        ("ab ab", 0, "", ""),
        ("ab ab", 1, "ab", "ab"),
        ("ab ab", 2, "ab ", " ab"),
        ("ab ab", 3, "ab ab", "ab ab"),
        ("ab ab", 99, "ab ab", "ab ab"),
        # Two tokens are half of the second character.
        ("aé", 2, "a", "é"),
        ("🙂🙂", 7, "🙂", "🙂"),
        ("🙂", 3, "", ""),
        ("ab<end>ab", 2, "ab<end>", "<end>ab"),
        ("", 0, "", ""),
    ],
)
def test_cutting(text: str, limit: int, start: str, end: str, tok: bytemill.Tokenizer) -> None:
    assert tok.cut(text, limit) == start and tok.cut(text, limit, from_end=True) == end
    assert tok.cut_index(text, limit) == len(start)
    assert tok.cut_index(text, limit, from_end=True) == len(text) - len(end)
    data = text.encode()
    assert tok.cut(data, limit) == start.encode() and tok.cut(data, limit, from_end=True) == end.encode()


def test_words() -> None:
    tok = bytemill.train(["a b ab"], bytemill.Word(), progress=False, pretokenizer="whitespace_split")
    assert tok.cut("ab a b", 2) == "ab a"
    assert tok.cut("ab a b", 2, from_end=True) == "a b"


def test_limits_are_whole_numbers(tok: bytemill.Tokenizer) -> None:
    with pytest.raises(SpecError, match="limit must be at least 0, not -1"):
        tok.cut("a", -1)
    with pytest.raises(TypeError, match=r"limit is a whole number, not 1\.5"):
        tok.count_till("a", 1.5)  # type: ignore[arg-type]


def test_cutting_a_long_text_takes_time_in_proportion(tok: bytemill.Tokenizer) -> None:
    text = "abcd" * 250_000
    started = time.perf_counter()
    for from_end in (False, True):
        assert tok.count(tok.cut(text, 300_000, from_end=from_end)) <= 300_000
    assert time.perf_counter() - started < 10


def test_clean_up(tok: bytemill.Tokenizer) -> None:
    ids = tok.encode("do n't , a . ' b")
    assert tok.decode(ids) == "do n't , a . ' b"
    assert tok.decode(ids, clean_up=True) == "don't, a.'b"
    assert tok.decode_batch([ids], clean_up=True) == ["don't, a.'b"]
