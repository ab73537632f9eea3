"""`sweep`: sizes, families, held-out text, and which size pays."""

from __future__ import annotations

import doctest
import json
from itertools import pairwise
from pathlib import Path
from pydoc_data.topics import topics

import pytest

import bytemill
from bytemill.errors import SpecError
from bytemill.see import sweep as sweep_module
from tests.conftest import need

TEXTS = [line for text in list(topics.values())[:12] for line in text.splitlines(keepends=True)]
FOUND = bytemill.sweep(TEXTS, [300, 400, 800], families=["bpe", "wordpiece", "unigram"])


def test_every_size_is_what_training_to_it_gives() -> None:
    """The prefix property, and counts in place of texts: both are shortcuts."""
    learnt = [text for number, text in enumerate(TEXTS) if number % 10 != 9]
    specs = {"bpe": bytemill.BPE, "wordpiece": bytemill.WordPiece, "unigram": bytemill.Unigram}
    for (family, size), tok in FOUND.tokenizers.items():
        alone = bytemill.train(learnt, specs[family](size), progress=False)
        assert alone.vocab() == tok.vocab(), (family, size)


def test_rows_are_measured_on_held_out_text() -> None:
    held_out = TEXTS[9::10]
    for row in FOUND.rows:
        tok = FOUND.tokenizers[row.family, row.size]
        assert row.tokens == sum(tok.count(text) for text in held_out)
        assert row.bytes == sum(len(text.encode()) for text in held_out) and row.vocabulary == tok.vocab_size
    bpe = [row for row in FOUND.rows if row.family == "bpe"]
    assert [row.saved for row in bpe] == [None, *(1 - b.tokens / a.tokens for a, b in pairwise(bpe))]


def test_texts_can_be_given_for_measuring() -> None:
    found = bytemill.sweep(["the cat sat " * 9], [257, 262], held_out=["the cat"])
    assert [row.bytes for row in found.rows] == [7, 7]


def test_special_tokens_count() -> None:
    found = bytemill.sweep(["the cat sat\n" * 90], [260], special_tokens=["<end>"])
    assert found.tokenizers["bpe", 260].special_tokens.keys() == {"<end>"} and found.rows[0].vocabulary == 260


def test_a_text_that_is_too_small_says_so_in_the_table() -> None:
    found = bytemill.sweep(["ab ab ab\n" * 30], "257..4k")
    assert max(row.vocabulary for row in found.rows) < 300
    assert found.pays("bpe") == 257 * 2


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ("1k", "1k..64k"),
        ("x..2k", "no number of tokens"),
        ([], "at least one"),
        ([300, 300], "grow"),
        ("0..4", "at least 1"),
    ],
)
def test_sizes_that_are_none(sizes: object, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        bytemill.sweep(["a\n" * 20], sizes)


def test_what_else_is_refused() -> None:
    with pytest.raises(SpecError, match="did you mean 'unigram'"):
        bytemill.sweep(["a\n" * 20], [300], families=["unigrams"])
    with pytest.raises(SpecError, match="too little text"):
        bytemill.sweep(["a"], [300])
    with pytest.raises(SpecError, match="family"):
        FOUND.pays("word")


def test_it_is_shown() -> None:
    assert str(FOUND).count("\n") == len(FOUND.rows) + 3
    assert "<svg" in FOUND.to_html() and "<svg" in FOUND._repr_html_() and "http:" not in FOUND.to_html()
    assert json.loads(json.dumps(FOUND.to_dict()))["pays"]["bpe"] == FOUND.pays("bpe")


@pytest.mark.web
def test_plot(tmp_path: Path) -> None:
    need("matplotlib")
    FOUND.plot(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text().startswith("<?xml")


def test_docstrings() -> None:
    result = doctest.testmod(sweep_module)
    assert result.attempted > 0 and result.failed == 0
