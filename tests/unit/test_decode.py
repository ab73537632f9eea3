"""Ids → text."""

from __future__ import annotations

import numpy as np
import pytest

import bytemill
from tests.samples import TEXTS, chars, words


@pytest.mark.parametrize("text", TEXTS)
def test_characters_come_back_exactly(text: str) -> None:
    tok = chars([text])
    assert tok.decode(tok.encode(text)) == text
    assert tok.decode_bytes(tok.encode(text)) == text.encode()


@pytest.mark.parametrize(
    "text",
    [
        "Hello, world!",
        "I don't (yet) know; do you?",
        "well-known facts: 50% off [today] {now}…",
        "it costs $5, #1 @home",
        "“quoted” and «this» and ¿what? ¡that!",
    ],
)
def test_words_come_back_with_their_punctuation_in_place(text: str) -> None:
    tok = words([text])
    assert tok.decode(tok.encode(text)) == text


def test_ids_may_come_in_any_form() -> None:
    tok = words(["the cat"])
    expected = tok.decode([5, 4])
    assert expected == "the cat"
    forms = [
        (5, 4),
        iter([5, 4]),
        np.array([5, 4], np.uint32),
        np.array([5, 4], np.int64),
        np.array([5, 0, 4, 0], np.uint32)[::2],
        np.array([5, 4], np.uint8),
        {5: "x", 4: "y"},
        [np.int64(5), np.uint16(4)],
    ]
    assert [tok.decode(form) for form in forms] == [expected] * len(forms)
    assert tok.decode([]) == "" and tok.decode_bytes([]) == b""


def test_decode_batch_takes_rows_of_any_kind() -> None:
    tok = words(["the cat"])
    rows = [[5, 4], [], [4]]
    assert tok.decode_batch(rows) == ["the cat", "", "cat"]
    assert tok.decode_batch(tok.encode_batch(["the cat", "", "cat"])) == ["the cat", "", "cat"]
    assert tok.decode_batch(np.array([[5, 4], [4, 4]])) == ["the cat", "cat cat"]
    assert tok.decode_batch([[2, 5, 3]], skip_special_tokens=True) == ["the"]


def test_special_tokens_are_shown_or_skipped() -> None:
    tok = words(["the cat"])
    ids = tok.encode("<BOS>the cat<EOS>")
    assert ids == [2, 5, 4, 3]
    assert tok.decode(ids) == "<BOS> the cat <EOS>"
    assert tok.decode(ids, skip_special_tokens=True) == "the cat"
    assert tok.decode_bytes(ids) == b"<BOS> the cat <EOS>"
    assert tok.decode_bytes(ids, skip_special_tokens=True) == b"the cat"


def test_an_unknown_id_is_refused() -> None:
    tok = words(["the cat"])
    for call in (tok.decode, tok.decode_bytes, lambda ids: tok.decode_batch([ids])):
        with pytest.raises(bytemill.errors.UnknownIdError):
            call([4, 6])


def streamed(tok: bytemill.Tokenizer, ids: list[int], **options: bool) -> tuple[list[str], str]:
    stream = tok.stream(**options)
    return [stream.push(id) for id in ids], stream.finish()


def test_a_stream_gives_what_is_certain() -> None:
    tok = words(["the (cat), sat."])
    ids = tok.encode("the (cat), sat.")
    parts, rest = streamed(tok, ids)
    # A space waits to see whether the next token wants it.
    assert parts == ["the", " (", "cat", ")", ",", " sat", "."]
    assert rest == ""
    assert tok.decode(ids) == "the (cat), sat."


@pytest.mark.parametrize("tok", [words(), chars()], ids=["words", "chars"])
@pytest.mark.parametrize("skip", [False, True])
def test_a_stream_adds_up_to_decode(tok: bytemill.Tokenizer, skip: bool) -> None:
    for text in TEXTS:
        ids = tok.encode(text)
        parts, rest = streamed(tok, ids, skip_special_tokens=skip)
        assert "".join(parts) + rest == tok.decode(ids, skip_special_tokens=skip)


@pytest.mark.parametrize(
    "tok", [words(), chars(), bytemill.train(TEXTS, bytemill.BPE(260))], ids=["words", "chars", "bpe"]
)
@pytest.mark.parametrize("skip", [False, True])
def test_a_stream_goes_on_after_a_prefix(tok: bytemill.Tokenizer, skip: bool) -> None:
    for text in TEXTS:
        ids = tok.encode(text)
        parts, rest = streamed(tok, ids, skip_special_tokens=skip)
        for start in range(len(ids) + 1):
            stream = tok.stream(prefix=np.array(ids[:start], np.uint32), skip_special_tokens=skip)
            assert [stream.push(id) for id in ids[start:]] == parts[start:] and stream.finish() == rest
    with pytest.raises(bytemill.errors.UnknownIdError):
        tok.stream(prefix=[10**6])


def test_a_stream_takes_numpy_integers_and_refuses_unknown_ids() -> None:
    tok = words(["the cat"])
    stream = tok.stream()
    assert stream.push(np.uint32(5)) == "the"
    with pytest.raises(bytemill.errors.UnknownIdError):
        stream.push(99)
    assert stream.push(4) == " cat"


def test_words_whose_splitting_keeps_the_spaces_are_joined_without_more() -> None:
    text = "the cat, 12 mice"
    for pretokenizer in ("gpt2", "cl100k", "o200k", "digits", "punctuation"):
        tok = words([text], pretokenizer=pretokenizer)
        assert tok.decode(tok.encode(text)) == text
    spaced = words(["a cat 12"], pretokenizer="whitespace")
    assert spaced.decode(spaced.encode("a cat 12")) == "a cat 12"
