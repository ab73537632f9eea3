"""Text → ids, in every form."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pytest

import bytemill
from tests.samples import TEXTS, chars, words

THREADS = [1, 2, 7]


def test_encode_gives_a_list_of_python_integers() -> None:
    ids = words(["the cat sat on the mat"]).encode("the cat")
    assert ids == [4, 5]
    assert type(ids) is list and type(ids[0]) is int


@pytest.mark.parametrize("tok", [words(), chars()], ids=["words", "chars"])
@pytest.mark.parametrize("text", TEXTS)
def test_all_forms_of_encoding_agree(tok: bytemill.Tokenizer, text: str) -> None:
    ids = tok.encode(text)
    assert tok.encode(text.encode()) == ids
    array = tok.encode_array(text)
    assert array.dtype == np.uint32 and array.tolist() == ids
    assert tok.encode_array(text.encode()).tolist() == ids
    assert tok.count(text) == tok.count(text.encode()) == len(ids)
    assert tok(text).ids == ids
    assert list(tok.encode_iterable([text])) == ids
    assert tok.tokenize(text) == [tok.id_to_token(id) for id in ids]


@pytest.mark.parametrize("tok", [words(), chars()], ids=["words", "chars"])
@pytest.mark.parametrize("threads", [None, *THREADS])
def test_a_long_text_is_the_same_on_any_number_of_threads(tok: bytemill.Tokenizer, threads: int | None) -> None:
    text = " ".join(text + str(i) for i in range(9000) for text in TEXTS)
    assert len(text.encode()) > 1 << 20, "long enough to be cut into parts"
    expected = tok.encode_batch([text])[0]
    assert np.array_equal(tok.encode_array(text, threads=threads), expected)
    assert tok.encode(text.encode(), threads=threads) == expected.tolist()


@pytest.mark.parametrize("threads", THREADS)
def test_a_special_token_refused_in_a_long_text_is_where_the_message_says(threads: int) -> None:
    before = "the cat sat " * 200_000
    with pytest.raises(ValueError, match=f"<EOS>.* at byte {len(before)}"):
        words().encode(before + "<EOS> on the mat " * 50_000, specials="refuse", threads=threads)


@pytest.mark.parametrize("tok", [words(), chars()], ids=["words", "chars"])
@pytest.mark.parametrize("threads", [None, *THREADS])
def test_a_batch_is_its_texts_in_order(tok: bytemill.Tokenizer, threads: int | None) -> None:
    # Enough for more than one share of 128 kB a thread.
    texts = [text + str(i) for i in range(2500) for text in TEXTS]
    expected = [tok.encode(text) for text in texts]
    batch = tok.encode_batch(texts, threads=threads)
    assert batch.to_list() == expected
    counts = tok.count_batch(texts, threads=threads)
    assert counts.dtype == np.int64
    assert counts.tolist() == [len(row) for row in expected]


def test_batches_take_any_iterable_and_bytes() -> None:
    tok = words()
    expected = [tok.encode("the cat"), tok.encode("dog")]
    assert tok.encode_batch(("the cat", b"dog")).to_list() == expected
    assert tok.encode_batch(text for text in ("the cat", "dog")).to_list() == expected
    assert tok.count_batch(("the cat", b"dog")).tolist() == [2, 1]
    assert tok.count_batch(text for text in ("the cat", "dog")).tolist() == [2, 1]


class Subclass(str):
    """A `str` whose characters are not where those of a `str` are."""


def test_texts_of_every_width_are_read_where_they_are() -> None:
    tok = chars(["".join(map(chr, (*range(32, 0xD800, 7), *range(0x1F600, 0x1F640))))])
    widest = ["a", "é", "中", "😀"]
    texts = [text for c in widest for length in (0, 1, 8, 100) for text in ("ab" * length + c, c * length + "ab")]
    texts += [Subclass(text) for text in texts] + ["", "中" * 3000, "a中" * 3000, "\0", "é\0é"]
    expected = [tok.encode(text.encode()) for text in texts]
    sizes = [sys.getsizeof(text) for text in texts]
    for _ in range(2):
        assert tok.encode_batch(texts, threads=1).to_list() == expected
    kept = [text for text, size in zip(texts, sizes, strict=True) if type(text) is str and sys.getsizeof(text) != size]
    if sys.implementation.name == "cpython" and getattr(sys, "_is_gil_enabled", lambda: True)():
        assert kept == [], "nothing is kept with a text"
    # Now each has its UTF-8, which is taken as it is.
    assert [tok.encode(text) for text in texts] == expected
    assert tok.encode_batch(texts, threads=1).to_list() == expected


@pytest.mark.parametrize("lone", ["\ud800", "a\udfff", "中" * 20 + "\ud83d", "😀\ude00"])
def test_a_lone_surrogate_in_a_batch_is_refused(lone: str) -> None:
    with pytest.raises(bytemill.errors.TextError, match=f"lone surrogate at character {len(lone) - 1}"):
        chars().encode_batch(["中", lone, "a"])


def test_empty_batches() -> None:
    tok = words()
    assert tok.encode_batch([]).to_list() == []
    assert tok.encode_batch([""]).to_list() == [[]]
    assert tok.count_batch([]).tolist() == []


def test_one_text_is_no_batch() -> None:
    tok = words()
    for method in (tok.encode_batch, tok.count_batch):
        for text in ("the cat", b"the cat"):
            with pytest.raises(TypeError, match="a batch is several texts"):
                method(text)


def test_the_first_bad_text_of_a_batch_is_the_error_for_any_number_of_threads() -> None:
    tok = words(unk_token=None)
    texts = ["the cat"] * 50_000
    texts[30_000], texts[40_000] = "first", "second"
    for threads in THREADS:
        with pytest.raises(bytemill.errors.UnknownTokenError, match='"first"'):
            tok.encode_batch(texts, threads=threads)


def test_encode_iterable_is_lazy() -> None:
    tok = words()
    pulled = []

    def lines():
        for i in range(100):
            pulled.append(i)
            yield "the cat sat on the mat.\n"

    ids = tok.encode_iterable(lines())
    assert pulled == []
    first = next(ids)
    assert first == tok.token_to_id("the")
    assert len(pulled) <= 3
    assert [first, *ids] == tok.encode("the cat sat on the mat.\n" * 100)
    assert len(pulled) == 100
    assert next(ids, None) is None


def test_encode_iterable_joins_what_was_cut_anywhere() -> None:
    tok = words(special_tokens=["<a b>"])
    text = "the cat<a b> sat, the<EOS>mat 我能吞下玻璃 é"
    expected = tok.encode(text)
    assert tok.token_to_id("<a b>") in expected
    for at in range(len(text) + 1):
        assert list(tok.encode_iterable([text[:at], text[at:]])) == expected
    assert list(tok.encode_iterable(text)) == expected
    assert list(tok.encode_iterable([])) == []


def test_encode_iterable_that_is_asked_by_its_own_texts() -> None:
    tok = words()

    def texts() -> Iterator[str]:
        yield "the cat"
        yield str(next(ids))

    ids = tok.encode_iterable(texts())
    with pytest.raises(ValueError, match="encode_iterable is at work already"):
        list(ids)


def test_encode_iterable_looks_for_few_cuts_in_small_parts() -> None:
    """The texts of a stream are joined until there is enough: a try for every character costs thirty times the work."""
    tok = words()
    pulled = []

    def characters() -> Iterator[str]:
        for i in range(5_000):
            pulled.append(i)
            yield "the "[i % 4]

    ends = {len(pulled) for _ in tok.encode_iterable(characters())}
    assert len(ends) < 5_000 / 256


def test_blank_texts() -> None:
    assert words().encode("") == words().encode(" \n\t") == []
    assert chars([" a"]).encode("") == []
    assert chars([" a"]).tokenize("  ") == [" ", " "]


def test_tokenize_shows_unknown_words_as_the_unknown_token() -> None:
    assert words().tokenize("the zebra.") == ["the", "<UNK>", "."]


def test_large_texts_are_encoded_like_small_ones() -> None:
    # Above 16 kB the interpreter's lock is given back; pieces are handed out in windows of 1 kB.
    tok = words()
    line = "the cat, naïve 我能 <EOS>dog\n"
    assert tok.encode(line * 5000) == tok.encode(line) * 5000
    assert tok.count(line * 5000) == tok.count(line) * 5000


def test_no_cut_parts_what_normalization_joins() -> None:
    tok = bytemill.train(["b a=b ≠"], bytemill.Word(), normalizer="nfc", progress=False)
    text = "b a=\u0338bbb a=b"
    for at in range(len(text) + 1):
        assert list(tok.encode_iterable([text[:at], text[at:]])) == tok.encode(text)


def test_lists_are_the_callers_own_though_their_integers_are_shared() -> None:
    tok = bytemill.train(["abcdefgh" * 3], bytemill.BPE(vocab_size=260), progress=False)
    text = "abcdefgh" * 400
    first, second = tok.encode(text), tok.encode(text)
    assert first == second == tok.encode_array(text).tolist()
    expected = list(first)
    first.clear()
    assert tok.encode(text) == second == expected
    del tok
    assert second == expected
