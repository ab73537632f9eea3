"""Counts against the reference: any threads, any memory, any cut, saved or not, merged in any grouping."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import bytemill
from bytemill import PieceCounts
from bytemill.reference import counting
from bytemill.training import LooksLikeFileNames
from tests.property.strategies import SPECIALS, corpora
from tests.property.test_reference import SPLITS

#: Enough different words for tables to be full many times with a budget of nothing.
MANY = " ".join(f"{i * i % 4001:x}" for i in range(4000))

splits = st.sampled_from(sorted(SPLITS))
specials = st.lists(st.sampled_from(SPECIALS), max_size=3, unique=True)


def count(documents: list[str], **options: Any) -> PieceCounts:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LooksLikeFileNames)
        return bytemill.count_pieces(documents, order=True, progress=False, **options)


@given(corpora, splits, specials, st.sampled_from([1, 2, 5]), st.sampled_from([None, "1B", "1GB"]), st.booleans())
def test_counts_are_those_of_the_reference(
    corpus: list[str], split: str, tokens: list[str], threads: int, memory: int | str | None, many: bool
) -> None:
    pretokenizer, by_reference = SPLITS[split]
    documents = [*corpus, MANY] if many else corpus
    expected = counting.count(documents, by_reference, tokens)
    found = count(documents, pretokenizer=pretokenizer, special_tokens=tokens, threads=threads, memory=memory)
    assert found.in_order_of_appearance() == list(expected.items())
    assert list(found.items()) == sorted(expected.items(), key=lambda item: item[0].encode())
    assert found.total == sum(expected.values())


@given(st.lists(corpora, min_size=1, max_size=5), st.data())
def test_merged_in_any_grouping(parts: list[list[str]], data: st.DataObject) -> None:
    pretokenizer, split = SPLITS["bert"]
    expected = counting.merge(counting.count(part, split) for part in parts)
    assert expected == counting.count([document for part in parts for document in part], split)
    counts = [count(part, pretokenizer=pretokenizer) for part in parts]
    with tempfile.TemporaryDirectory() as folder:
        while len(counts) > 1:
            at = data.draw(st.integers(0, len(counts) - 2))
            end = data.draw(st.integers(at + 2, len(counts)))
            memory = data.draw(st.sampled_from([None, "1B"]))
            merged = PieceCounts.merge(counts[at:end], memory=memory, progress=False)
            if data.draw(st.booleans()):
                path = Path(folder) / f"{len(counts)}.counts"
                merged.save(path)
                merged = PieceCounts.load(path)
            counts[at:end] = [merged]
    assert counts[0].in_order_of_appearance() == list(expected.items())
    assert counts[0].documents == sum(map(len, parts))


@given(st.dictionaries(st.text(st.characters(codec="utf-8"), min_size=1, max_size=40), st.integers(1, 2**62)))
def test_any_pieces_and_counts_survive_a_file(pieces: dict[str, int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.counts"
        PieceCounts.from_dict(pieces).save(path)
        assert dict(PieceCounts.load(path).items()) == pieces
