"""`bytemill.compat.tiktoken` beside `tiktoken`: every public name, and every method on the same arguments."""

from __future__ import annotations

import copy
import functools
import importlib
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytemill.compat import tiktoken as ours

from ..conftest import need
from .outcomes import same
from .surfaces import differences

theirs = need("tiktoken")

for name in ("load", "model", "registry", "_educational"):
    importlib.import_module(f"tiktoken.{name}")
    importlib.import_module(f"bytemill.compat.tiktoken.{name}")

pytestmark = pytest.mark.peer

MODULES = ["", ".core", ".load", ".registry", ".model", "._educational"]
SPECIALS = {"<|endoftext|>": 1000, "<|fim|>": 1001, "[é]": 1004}
PATTERNS = [
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]"
    r"|\s+(?!\S)|\s",
    r"(?s:.{1,3})",
    "t",
    r"(?i)(?P<word>\p{L}+)|\b[a-k]+\b|\p{N}|[^\p{L}\p{N}]",
]
WORDS = ["the", "he", " the", "th", "in", "ing", " a", "  ", "\n", "\n\n", "é", "日本", "日", "aa", "aaaa", "'s", "12"]
PARTS = [*"thein ga\n'sS1.éſ日本\U0001f600\u0345\t\ud83d\ude00", *SPECIALS]
TEXTS = st.lists(st.sampled_from(PARTS), max_size=30).map("".join)


def ranks() -> dict[bytes, int]:
    tokens = [bytes([byte]) for byte in range(256)]
    random.Random(1).shuffle(tokens)
    return {token: id for id, token in enumerate([*tokens, *(word.encode() for word in WORDS)])}


Pair = tuple[Any, Any]


@pytest.fixture(scope="module", params=PATTERNS)
def pair(request: pytest.FixtureRequest) -> Pair:
    return both(request.param)


@functools.cache
def both(pattern: str) -> Pair:
    made = {"pat_str": pattern, "mergeable_ranks": ranks(), "special_tokens": SPECIALS}
    return theirs.Encoding("test", **made), ours.Encoding("test", **made)


def each(pair: Pair, call: Callable[[Any], Any], what: object = None) -> None:
    same(lambda: call(pair[0]), lambda: call(pair[1]), what)


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_is_there(name: str) -> None:
    left_out = frozenset({"tiktoken.core._special_token_regex"})
    found = differences(
        importlib.import_module(f"tiktoken{name}"), importlib.import_module(f"bytemill.compat.tiktoken{name}"), left_out
    )
    assert found == []


def test_models_have_the_same_encodings() -> None:
    for table in ("MODEL_TO_ENCODING", "MODEL_PREFIX_TO_ENCODING"):
        assert list(getattr(ours.model, table).items()) == list(getattr(theirs.model, table).items())
    for name in ["gpt-4o", "gpt-5-mini", "gpt-oss-20b", "ft:gpt-4o:x", "gpt-4-32k", "text-ada-001", "none", "", "gpt"]:
        same(lambda: theirs.encoding_name_for_model(name), lambda: ours.encoding_name_for_model(name), name)  # noqa: B023
    assert ours.list_encoding_names() == theirs.list_encoding_names()
    for wrong in ["none", 3, None]:
        same(lambda: theirs.get_encoding(wrong), lambda: ours.get_encoding(wrong), wrong)  # noqa: B023


ALLOWED = [set(), "all", {"<|fim|>"}, frozenset(["<|endoftext|>", "other"])]
REFUSED = ["all", (), {"<|fim|>"}, ["the", "<|endoftext|>"], "t", [""], {"none"}]


@given(TEXTS, st.sampled_from(ALLOWED), st.sampled_from(REFUSED))
def test_encoding_is_the_same(text: str, allowed: Any, refused: Any) -> None:
    asked = {"allowed_special": allowed, "disallowed_special": refused}
    for pattern in PATTERNS[:2]:
        pair = both(pattern)
        each(pair, lambda enc: enc.encode(text, **asked), (text, asked))
        each(pair, lambda enc: enc.encode_to_numpy(text, **asked).tolist(), (text, asked))
        each(pair, lambda enc: enc.encode_batch([text, "the"], **asked), (text, asked))
        each(pair, lambda enc: completions(enc, text, asked), (text, asked))


def completions(enc: Any, text: str, asked: dict[str, Any]) -> tuple[list[int], list[list[int]]]:
    stable, found = enc.encode_with_unstable(text, **asked)
    return stable, sorted(found)


@given(TEXTS)
def test_texts_are_encoded_and_decoded_the_same(text: str) -> None:
    for pattern in PATTERNS:
        pair = both(pattern)
        each(pair, lambda enc: enc.encode(text), text)
        each(pair, lambda enc: enc.encode_ordinary(text), text)
        each(pair, lambda enc: enc.encode_ordinary_batch([text, text]), text)
        each(pair, lambda enc: enc.decode(enc.encode_ordinary(text)), text)
        each(pair, lambda enc: enc.decode_with_offsets(enc.encode_ordinary(text)), text)
        each(pair, lambda enc: enc.encode_single_token(text), text)
        if text:
            each(pair, lambda enc: enc._encode_single_piece(text), text)


@given(st.binary(max_size=20) | TEXTS.map(lambda text: text.encode("utf-8", "ignore")[:-1] + b"\xf0\x9f"))
def test_bytes_are_encoded_the_same(data: bytes) -> None:
    for pattern in PATTERNS:
        pair = both(pattern)
        each(pair, lambda enc: enc._encode_bytes(data), data)
        each(pair, lambda enc: enc.encode_single_token(data), data)
        if data:
            each(pair, lambda enc: enc._encode_single_piece(data), data)


@given(st.lists(st.integers(0, 280) | st.sampled_from(sorted(SPECIALS.values())), max_size=12), st.data())
def test_ids_are_decoded_the_same(ids: list[int], data: st.DataObject) -> None:
    errors = data.draw(st.sampled_from(["replace", "strict", "ignore", "backslashreplace", "none"]))
    pair = both(PATTERNS[0])
    for given_ids in (ids, tuple(ids), np.array(ids, dtype=np.uint32)):
        each(pair, lambda enc: enc.decode(given_ids, errors), ids)  # noqa: B023
        each(pair, lambda enc: enc.decode_bytes(given_ids), ids)  # noqa: B023
    each(pair, lambda enc: enc.decode_tokens_bytes(ids), ids)
    each(pair, lambda enc: enc.decode_with_offsets(ids), ids)
    each(pair, lambda enc: enc.decode_batch([ids, ids], errors=errors), ids)
    each(pair, lambda enc: enc.decode_bytes_batch([ids, ids], num_threads=2), ids)
    each(pair, lambda enc: [enc.is_special_token(id) for id in ids], ids)


WRONG_CALLS: list[Callable[[Any], Any]] = [
    lambda enc: enc.encode(b"the"),
    lambda enc: enc.encode(3),
    lambda enc: enc.encode(None, disallowed_special=()),
    lambda enc: enc.encode("the", allowed_special=["<|fim|>"]),
    lambda enc: enc.encode("the", allowed_special=["<|fim|>"], disallowed_special=()),
    lambda enc: enc.encode("the", allowed_special="<|fim|>", disallowed_special=()),
    lambda enc: enc.encode("the", allowed_special={3}, disallowed_special=()),
    lambda enc: enc.encode("the", allowed_special={"\ud800"}, disallowed_special=()),
    lambda enc: enc.encode("the", disallowed_special=[3]),
    lambda enc: enc.encode_ordinary(b"the"),
    lambda enc: enc.encode_ordinary(["the"]),
    lambda enc: enc.encode_to_numpy(b"the"),
    lambda enc: enc.encode_with_unstable(b"the"),
    lambda enc: enc.encode_batch(["the", b"the"]),
    lambda enc: enc.encode_batch(["the"], num_threads=0),
    lambda enc: enc.encode_ordinary_batch([3]),
    lambda enc: enc.encode_single_token(3),
    lambda enc: enc.encode_single_token("\ud800"),
    lambda enc: enc._encode_single_piece(3),
    lambda enc: enc._encode_bytes("the"),
    lambda enc: enc.decode("the"),
    lambda enc: enc.decode(3),
    lambda enc: enc.decode({1: 2}),
    lambda enc: enc.decode({1, 2}),
    lambda enc: enc.decode(iter([1])),
    lambda enc: enc.decode([1.5]),
    lambda enc: enc.decode(["a"]),
    lambda enc: enc.decode([-1]),
    lambda enc: enc.decode([2**32]),
    lambda enc: enc.decode([999]),
    lambda enc: enc.decode_bytes([999]),
    lambda enc: enc.decode_batch([[1], [999]]),
    lambda enc: enc.decode_batch([[1]], num_threads=-1),
    lambda enc: enc.decode_single_token_bytes(999),
    lambda enc: enc.decode_single_token_bytes(-1),
    lambda enc: enc.decode_single_token_bytes("a"),
    lambda enc: enc.decode_tokens_bytes([1, 999]),
    lambda enc: enc.is_special_token("a"),
]


@pytest.mark.parametrize("number", range(len(WRONG_CALLS)))
def test_what_is_wrong_raises_the_same(pair: Pair, number: int) -> None:
    each(pair, WRONG_CALLS[number], number)


def test_properties_are_the_same(pair: Pair) -> None:
    for name in ["name", "n_vocab", "max_token_value", "eot_token", "special_tokens_set", "_special_token_values"]:
        each(pair, lambda enc: getattr(enc, name), name)  # noqa: B023
    each(pair, lambda enc: enc.token_byte_values())
    each(pair, repr)
    for name in ["_mergeable_ranks", "_special_tokens", "_pat_str"]:
        each(pair, lambda enc: getattr(enc, name), name)  # noqa: B023
    assert {name for name in dir(pair[0]._core_bpe) if not name.startswith("__")} <= set(dir(pair[1]._core_bpe))


def test_what_an_encoding_is_made_of_is_checked() -> None:
    good = {"pat_str": r"\w+|\W", "mergeable_ranks": ranks(), "special_tokens": {}}
    for change in (
        {"explicit_n_vocab": 256 + len(WORDS)},
        {"explicit_n_vocab": 3},
        {"pat_str": "("},
        {"pat_str": 3},
        {"special_tokens": {"a": -1}},
        {"mergeable_ranks": {}},
        {"mergeable_ranks": {"a": 1}},
    ):
        made = {**good, **change}
        same(
            lambda: theirs.Encoding("x", **made).n_vocab,  # noqa: B023
            lambda: ours.Encoding("x", **made).n_vocab,  # noqa: B023
            change,
        )


def test_an_encoding_is_pickled_and_copied(pair: Pair) -> None:
    for made in (pickle.loads(pickle.dumps(pair[1])), copy.copy(pair[1]), copy.deepcopy(pair[1])):
        assert made.encode("the <|fim|>", allowed_special="all") == pair[0].encode("the <|fim|>", allowed_special="all")
        assert (made.name, made._pat_str) == (pair[0].name, pair[0]._pat_str)


def test_files_of_ranks_are_the_same(tmp_path: Path) -> None:
    path = str(tmp_path / "ranks.tiktoken")
    ours.load.dump_tiktoken_bpe(ranks(), path)
    assert ours.load.load_tiktoken_bpe(path) == theirs.load.load_tiktoken_bpe(path) == ranks()
    digest = "0" * 64
    for wrong in ("not base64 at all", "YQ== x", "YQ=="):
        Path(path).write_text(wrong)
        same(lambda: theirs.load.load_tiktoken_bpe(path), lambda: ours.load.load_tiktoken_bpe(path), wrong)
    same(lambda: theirs.load.load_tiktoken_bpe(path, digest), lambda: ours.load.load_tiktoken_bpe(path, digest), "hash")
    same(lambda: theirs.load.read_file(path + "x"), lambda: ours.load.read_file(path + "x"), "no file")


def test_the_one_to_read_is_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    text = "aaaa aaa the then that's the other banana bandana" * 3
    made = [
        module.SimpleBytePairEncoding.train(text, 270, r"\w+|\W")
        for module in (importlib.import_module("tiktoken._educational"), ours._educational)
    ]
    assert made[0].mergeable_ranks == made[1].mergeable_ranks
    for how in (None, "simple", "colour"):
        capsys.readouterr()
        expected, shown = made[0].encode(text, how), capsys.readouterr().out
        assert (made[1].encode(text, how), capsys.readouterr().out) == (expected, shown)
