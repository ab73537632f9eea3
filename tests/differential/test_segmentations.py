"""The n best, random segmentations, entropies and fewer pieces, as `sentencepiece` has them."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest

import bytemill

from ..conftest import need

sentencepiece = need("sentencepiece")
need("google.protobuf")

from .texts import files, generated  # noqa: E402

pytestmark = [pytest.mark.peer, pytest.mark.shared]

UNIGRAM = [
    "albert-base/spiece.model",
    "sentencepiece-fixtures/test_ja_model.model",
    "sentencepiece-fixtures/test_sentencepiece_with_bytefallback.model",
    "t5-base/spiece.model",
    "xlnet-base-cased/spiece.model",
]


def both(path: Path) -> tuple[sentencepiece.SentencePieceProcessor, bytemill.Tokenizer]:
    return sentencepiece.SentencePieceProcessor(model_file=str(path)), bytemill.load(path)


@pytest.mark.parametrize("model", UNIGRAM)
def test_the_n_best(model: str, shared: Path) -> None:
    """Ids, order and scores to the last bit, also where too many wait; it adds 32-bit numbers for the entropy."""
    theirs, ours = both(shared / "models" / model)
    texts = [*generated(150), "a" * 60, *(text[:300] for _, text in files(shared, sample=300))]
    for text in texts[::2]:
        for n in (2, 30):
            expected = theirs.nbest_encode(text, nbest_size=n, return_type="proto").nbests
            found = ours.nbest(text, n)
            assert [row.ids for row in found] == [[piece.id for piece in row.pieces] for row in expected]
            assert [row.score for row in found] == [row.score for row in expected]
        for alpha in (0.3, 1.0):
            entropy = theirs.calculate_entropy(text, alpha)
            assert ours.entropy(text, alpha=alpha) == pytest.approx(entropy, rel=1e-2, abs=1e-3)


def same_chances(ours: Counter[tuple[int, ...]], theirs: Counter[tuple[int, ...]]) -> bool:
    """Chi-square of two samples; theirs cannot be fixed, and six standard deviations are one in a billion."""
    kinds = {kind for kind in ours.keys() | theirs.keys() if ours[kind] + theirs[kind] >= 20}
    assert len(kinds) > 5
    square = sum((ours[kind] - theirs[kind]) ** 2 / (ours[kind] + theirs[kind]) for kind in kinds)
    return square < len(kinds) + 6 * (2 * len(kinds)) ** 0.5


@pytest.mark.parametrize("nbest_size", [-1, 8])
def test_frequencies_of_unigram(nbest_size: int, shared: Path) -> None:
    theirs, ours = both(shared / "models/t5-base/spiece.model")
    number, text = 10_000, "New York, unseen"
    found = Counter(tuple(ours.encode(text, alpha=0.3, nbest_size=nbest_size, seed=seed)) for seed in range(number))
    sampled = (theirs.encode(text, enable_sampling=True, alpha=0.3, nbest_size=nbest_size) for _ in range(number))
    assert same_chances(found, Counter(map(tuple, sampled)))


def test_frequencies_of_bpe(shared: Path) -> None:
    theirs, ours = both(shared / "models/mistral-spm/tokenizer.model.v1")
    number, text = 10_000, "unrelated"
    found = Counter(tuple(ours.encode(text, dropout=0.4, seed=seed)) for seed in range(number))
    sampled = (theirs.encode(text, enable_sampling=True, alpha=0.4, nbest_size=-1) for _ in range(number))
    assert same_chances(found, Counter(map(tuple, sampled)))


def test_different_ones(shared: Path) -> None:
    """Which are drawn, how often, and what is said of being drawn."""
    theirs, ours = both(shared / "models/t5-base/spiece.model")
    number, text, alpha = 3_000, "unseen York", 0.5
    for include_best in (False, True):
        options = {"alpha": alpha, "include_best": include_best}
        samples = [ours.sample(text, 4, seed=seed, replacement=False, **options) for seed in range(number)]
        expected = [theirs.sample_encode_and_score(text, num_samples=4, wor=True, **options) for _ in range(number)]
        found = Counter(tuple(row.ids) for rows in samples for row in rows)
        assert same_chances(found, Counter(tuple(ids) for rows in expected for ids, _ in rows))
        assert all(len(rows) == 4 for rows in samples) and all(len(rows) == 4 for rows in expected)
        mean = sum(math.exp(row.score) for rows in samples for row in rows) / number
        assert mean == pytest.approx(sum(math.exp(score) for rows in expected for _, score in rows) / number, rel=0.05)
    scores = {tuple(ids): score for ids, score in theirs.sample_encode_and_score(text, num_samples=500, alpha=alpha)}
    drawn = [row for row in ours.sample(text, 500, alpha=alpha) if tuple(row.ids) in scores]
    assert len(drawn) > 100
    assert all(row.score == pytest.approx(scores[tuple(row.ids)], abs=1e-3) for row in drawn)


@pytest.mark.parametrize("model", UNIGRAM)
def test_fewer_pieces(model: str, shared: Path, tmp_path: Path) -> None:
    ours = bytemill.load(shared / "models" / model)
    fewer = ours.restricted([piece for piece, id in ours.vocab().items() if id % 3])
    fewer.save(tmp_path / "fewer.model")
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "fewer.model"))
    texts = [*generated(300, seed=5), *(text for _, text in files(shared, sample=500))]
    assert [text for text in texts if theirs.encode(text) != fewer.encode(text)] == []
    assert [ours.encode(text) for text in texts] != [fewer.encode(text) for text in texts]
    for text in texts[::40]:
        expected = theirs.nbest_encode(text, nbest_size=5, return_type="proto").nbests
        assert [row.ids for row in fewer.nbest(text, 5)] == [[piece.id for piece in row.pieces] for row in expected]
