"""Dropout: random segmentations that follow from a seed."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill.errors import FormatError, SpecError

TOKENS = [*"unrelatd ", "re", "at", "ed", "un", "ated", "rel", "related", "unrelated"]
MERGES = ["r e", "a t", "e d", "u n", "at ed", "re l", "rel ated", "un related"]
TEXT = "unrelated related unrelated ated"


def definition(pretokenizer: Any = "WhitespaceSplit", **model: Any) -> dict[str, Any]:
    vocab = {token: id for id, token in enumerate(TOKENS)}
    return {
        "version": "1.0",
        "normalizer": None,
        "pre_tokenizer": {"type": pretokenizer},
        "post_processor": None,
        "decoder": {"type": "Fuse"},
        "model": {"type": "BPE", "vocab": vocab, "merges": MERGES, **model},
    }


@pytest.fixture
def tok(tmp_path: Path) -> bytemill.Tokenizer:
    (tmp_path / "tokenizer.json").write_text(json.dumps(definition()))
    return bytemill.load(tmp_path)


def test_the_ends_of_the_scale(tok: bytemill.Tokenizer) -> None:
    assert tok.encode(TEXT, dropout=0.0, seed=3) == tok.encode(TEXT)
    assert tok.tokenize(TEXT, dropout=1.0, seed=3) == list(TEXT.replace(" ", ""))


def test_the_same_seed_gives_the_same_ids(tok: bytemill.Tokenizer) -> None:
    seen = {tuple(tok.encode(TEXT, dropout=0.5, seed=seed)) for seed in range(50)}
    assert len(seen) > 20
    for seed in range(20):
        ids = tok.encode(TEXT, dropout=0.5, seed=seed)
        assert tok.decode(ids) == TEXT.replace(" ", "")
        assert (
            ids == tok.encode(TEXT, dropout=0.5, seed=seed) == tok.encode_array(TEXT, dropout=0.5, seed=seed).tolist()
        )
        encoding = tok(TEXT, dropout=0.5, seed=seed, offsets=True)
        assert encoding.ids == ids and encoding.offsets[-1][1] == len(TEXT)
    # Nothing of it was remembered.
    assert tok.tokenize(TEXT) == ["unrelated", "related", "unrelated", "ated"]


def test_values_that_must_not_change(tok: bytemill.Tokenizer) -> None:
    """Ids drawn with a seed belong to data sets and experiments; every version and machine has to give these."""
    assert tok.tokenize("unrelated unrelated", dropout=0.5, seed=42) == EXPECTED_42
    assert tok.tokenize("unrelated unrelated", dropout=0.5, seed=2**64 - 1) == EXPECTED_LAST


EXPECTED_42 = ["unrelated", "un", "r", "e", "l", "at", "e", "d"]
EXPECTED_LAST = ["un", "re", "l", "ated", "un", "rel", "ated"]


def test_equal_words_differ_within_a_text(tok: bytemill.Tokenizer) -> None:
    words = tok("unrelated " * 200, dropout=0.3, seed=1)
    pieces: dict[int | None, list[int]] = {}
    for id, word in zip(words.ids, words.word_ids, strict=True):
        pieces.setdefault(word, []).append(id)
    assert len({tuple(ids) for ids in pieces.values()}) > 5


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_batches_do_not_depend_on_threads(tok: bytemill.Tokenizer, threads: int) -> None:
    texts = [TEXT * (i % 7) for i in range(300)]
    rows = tok.encode_batch(texts, dropout=0.4, seed=9, threads=threads)
    assert rows == tok.encode_batch(texts, dropout=0.4, seed=9)
    assert rows[1].tolist() != rows[8].tolist()
    assert rows[0:1].to_list() == [tok.encode(texts[0], dropout=0.4, seed=9)]


def test_the_texts_of_a_pair_differ(tok: bytemill.Tokenizer) -> None:
    encoding = tok(TEXT * 5, TEXT * 5, dropout=0.5)
    first = [id for id, text in zip(encoding.ids, encoding.sequence_ids, strict=True) if text == 0]
    assert tok.encode(TEXT * 5, dropout=0.5) == first != encoding.ids[len(first) :]


def test_the_default_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(json.dumps(definition(dropout=0.5)))
    tok = bytemill.load(tmp_path)
    assert tok.encode(TEXT) == tok.encode(TEXT, dropout=0.5, seed=0) != tok.encode(TEXT, dropout=0)
    assert len({tuple(tok.encode(TEXT, seed=seed)) for seed in range(20)}) > 10
    assert tok.encode_batch([TEXT])[0].tolist() == tok.encode(TEXT)
    # These are for measuring and for data: they take merges as they come.
    assert tok.count(TEXT) == len(tok.encode(TEXT, dropout=0)) == len(list(tok.encode_iterable([TEXT])))
    tok.save(tmp_path / "again.json", "tokenizer.json")
    assert json.loads((tmp_path / "again.json").read_text())["model"]["dropout"] == 0.5
    assert bytemill.load(tmp_path / "again.json") == tok == pickle.loads(pickle.dumps(tok))


def test_a_file_with_a_default_that_is_no_probability(tok: bytemill.Tokenizer, tmp_path: Path) -> None:
    document = json.loads(tok.to_bytes("mill.json"))
    del document["checksum"]
    document["definition"]["symbols"]["dropout"] = 1.5
    (tmp_path / "a.mill.json").write_text(json.dumps(document))
    with pytest.raises(FormatError, match=r"dropout is from 0 to 1, not 1\.5"):
        bytemill.load(tmp_path / "a.mill.json")


def test_a_whole_piece_counts_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(json.dumps(definition(ignore_merges=True)))
    tok = bytemill.load(tmp_path)
    assert tok.tokenize("unrelated", dropout=1) == list("unrelated")


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_a_probability_is_from_0_to_1(tok: bytemill.Tokenizer, wrong: float) -> None:
    with pytest.raises(SpecError, match="dropout is from 0 to 1, not"):
        tok.encode(TEXT, dropout=wrong)


def test_other_families_merge_nothing() -> None:
    words = bytemill.train(["a b"], bytemill.Word(), progress=False)
    with pytest.raises(SpecError, match="dropout is of byte-pair encoding, and this is a word tokenizer"):
        words.encode("a", dropout=0.1)
    assert words.encode("a", dropout=0) == words.encode("a")


def test_frequencies_are_those_of_the_library(tok: bytemill.Tokenizer) -> None:
    """Chi-square of two samples; ours is fixed by its seeds, and the library's cannot be: the limit is for both."""
    tokenizers = pytest.importorskip("tokenizers")
    theirs = tokenizers.Tokenizer.from_str(json.dumps(definition(dropout=0.4)))
    number = 20_000
    word = "unrelated"
    ours = Counter(tuple(tok.encode(word, dropout=0.4, seed=seed)) for seed in range(number))
    other = Counter(tuple(theirs.encode(word).ids) for _ in range(number))
    kinds = {kind for kind in ours.keys() | other.keys() if ours[kind] + other[kind] >= 20}
    assert len(kinds) > 20
    square = sum((ours[kind] - other[kind]) ** 2 / (ours[kind] + other[kind]) for kind in kinds)
    # Mean: the number of kinds less one; standard deviation: the root of twice that. Six of them are one in a billion.
    assert square < len(kinds) + 6 * (2 * len(kinds)) ** 0.5


def test_a_long_piece(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(json.dumps(definition()))
    tok = bytemill.load(tmp_path)
    text = "unrelated" * 50_000
    for probability in (0.1, 0.9):
        ids = tok.encode(text, dropout=probability, seed=1)
        assert tok.decode(ids) == text
