"""What BPE learns, against the executable specification, and what does not change it."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytemill
from bytemill import pretokenizers
from bytemill.reference import bpe, bpe_training
from bytemill.training import CorpusTooSmall, Ties
from tests.property.strategies import corpora

#: Those that do something of their own where a token is made in a second way.
OWN = ("huggingface", "rustbpe")

words = st.lists(st.text("aab é", min_size=1, max_size=9), min_size=1, max_size=12)


def learn(documents: list[str], size: int, **options: Any) -> bytemill.Tokenizer:
    setup = {name: options.pop(name) for name in ("pretokenizer", "threads", "special_tokens") if name in options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CorpusTooSmall)
        return bytemill.train(documents, bytemill.BPE(vocab_size=size, **options), progress=False, **setup)


def is_ambiguous(merges: list[tuple[Any, Any]]) -> bool:
    made = [left + right for left, right in merges]
    return len(set(made)) < len(made)


@given(words, st.integers(0, 20), st.sampled_from(get_args(Ties)), st.integers(1, 3), st.sampled_from([None, 1, 2, 5]))
def test_bytes(documents: list[str], number: int, ties: Ties, min_frequency: int, longest: int | None) -> None:
    counts = Counter(piece for text in documents for piece, _ in pretokenizers.GPT2().split(text))
    options: dict[str, Any] = {"ties": ties, "min_frequency": min_frequency}
    if ties != "huggingface":
        options["max_token_length"] = longest
    expected = bpe_training.merges(counts, number, **options)
    if ties in OWN and is_ambiguous(expected):
        return
    tok = learn(documents, 256 + number, pretokenizer="gpt2", **options)
    vocab = {bytes([byte]) for byte in range(256)} | {left + right for left, right in expected}
    assert {tok.decode_bytes([id]) for id in range(tok.vocab_size)} == vocab
    if ties == "tiktoken":
        made = list(dict.fromkeys(left + right for left, right in expected))
        assert [tok.decode_bytes([id]) for id in range(256, tok.vocab_size)] == made
    elif not is_ambiguous(expected):
        assert tok.merges() == expected


@given(words, st.integers(0, 12), st.sampled_from(["bytemill", "cs336", "sentencepiece"]))
def test_characters(documents: list[str], number: int, ties: Ties) -> None:
    counts = Counter(piece for text in documents for piece, _ in pretokenizers.GPT2().split(text))
    expected = bpe_training.merges(counts, number, ties=ties, byte_level=False)
    size = len({c for text in documents for c in text}) + number
    tok = learn(documents, size, pretokenizer="gpt2", ties=ties, min_frequency=1, byte_level=False, unk_token=None)
    if not is_ambiguous(expected):
        assert tok.merges() == [(left.encode(), right.encode()) for left, right in expected]


@given(words, st.integers(0, 12), st.sampled_from(["bytemill", "cs336"]), st.text("ab éx", max_size=12))
def test_ends_of_words_as_symbols(documents: list[str], number: int, ties: Ties, text: str) -> None:
    pieces = Counter(piece for document in documents for piece, _ in pretokenizers.GPT2().split(document))
    expected = bpe_training.merges(pieces, number, ties=ties, byte_level=False, end_symbol="</w>")
    if is_ambiguous(expected):
        return
    size = len({c for document in documents for c in document}) + 2 + number
    options: dict[str, Any] = {"byte_level": False, "min_frequency": 1, "end_of_word": "symbol"}
    tok = learn(documents, size, pretokenizer="gpt2", ties=ties, unk_token="<unk>", **options)
    assert tok.merges() == [(left.encode(), right.encode()) for left, right in expected]
    twin = bpe.BPE(tok.vocab(), expected, unk_token="<unk>", end_symbol="</w>")
    split = [piece for piece, _ in pretokenizers.GPT2().split(text)]
    assert tok.tokenize(text) == [token for piece in split for token in twin.tokens(piece)]


@given(corpora, st.sampled_from(get_args(Ties)))
def test_neither_threads_nor_documents_change_it(documents: list[str], ties: Ties) -> None:
    setup: dict[str, Any] = {"ties": ties, "min_frequency": 1, "pretokenizer": "o200k"}
    whole = learn(documents, 300, threads=1, **setup)
    assert learn(documents, 300, threads=3, **setup) == whole
    assert learn(["\n\nx".join(documents)], 300, threads=2, **setup) == learn(["\n\nx".join(documents)], 300, **setup)


@given(corpora, st.text(max_size=20))
def test_what_was_learned_encodes_and_decodes_every_text(documents: list[str], text: str) -> None:
    tok = learn(documents, 290, min_frequency=1)
    assert tok.decode(tok.encode(text)) == text


@pytest.mark.parametrize("ties", [ties for ties in get_args(Ties) if ties != "huggingface"])
def test_the_text_of_the_training_has_as_many_tokens_as_were_counted(ties: Ties) -> None:
    text = "the cat sat on the mat, the bat sat on the cat; tattat tat" * 3
    tok = learn([text], 300, ties=ties)
    assert tok.training_stats is not None
    assert tok.count(text) == tok.training_stats["tokens"]
