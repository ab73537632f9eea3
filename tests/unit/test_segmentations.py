"""Segmentations of Unigram: the best, random ones, their frequencies, fewer pieces."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import pytest

import bytemill
from bytemill import _core
from bytemill.errors import FormatError, SpecError, UnknownIdError
from bytemill.reference.unigram import Unigram

SCORES = {"<unk>": 0.0, "a": -1.0, "b": -1.53, "c": -2.08, "ab": -2.1, "bc": -2.57, "abc": -3.3, "ca": -3.59}
TEXT = "abcabc"
#: Mean and standard deviation of chi-square are known; six of them are one in a billion.
SIGMAS = 6


@pytest.fixture(scope="module")
def tok() -> bytemill.Tokenizer:
    file = {"version": "1.0", "model": {"type": "Unigram", "unk_id": 0, "vocab": [*SCORES.items()]}}
    return bytemill.Tokenizer(_core.from_bytes(json.dumps(file).encode()))


@pytest.fixture(scope="module")
def trained() -> bytemill.Tokenizer:
    text = "she sells sea shells by the sea shore, the shells she sells are sea shells for sure " * 5
    return bytemill.train([text], bytemill.Unigram(vocab_size=28), progress=False)


def fits(found: Counter[tuple[int, ...]], expected: dict[tuple[int, ...], float], number: int) -> bool:
    assert found.keys() <= expected.keys()
    square = sum((found[row] - number * p) ** 2 / (number * p) for row, p in expected.items())
    freedom = len(expected) - 1
    return square < freedom + SIGMAS * (2 * freedom) ** 0.5


def expected(tok: bytemill.Tokenizer, alpha: float, among: int | None = None) -> dict[tuple[int, ...], float]:
    reference = Unigram(SCORES, "<unk>")
    rows = reference.probabilities(TEXT, alpha)
    if among is not None:
        best = sorted(rows, key=lambda row: -rows[row])[:among]
        rows = {row: rows[row] / sum(rows[other] for other in best) for row in best}
    ids = tok.vocab()
    return {tuple(ids[token] for token in row): p for row, p in rows.items()}


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_frequencies_are_the_probabilities(tok: bytemill.Tokenizer, alpha: float) -> None:
    number = 20_000
    found = Counter(tuple(tok.encode(TEXT, alpha=alpha, seed=seed)) for seed in range(number))
    assert fits(found, expected(tok, alpha), number)
    drawn = tok.sample(TEXT, number, alpha=alpha, seed=1)
    probabilities = expected(tok, alpha)
    assert fits(Counter(tuple(row.ids) for row in drawn), probabilities, number)
    assert all(math.isclose(row.score, math.log(probabilities[tuple(row.ids)]), abs_tol=1e-9) for row in drawn[:100])


def test_frequencies_among_the_best(tok: bytemill.Tokenizer) -> None:
    number = 20_000
    found = Counter(tuple(tok.encode(TEXT, alpha=0.5, nbest_size=4, seed=seed)) for seed in range(number))
    probabilities = expected(tok, 0.5, among=4)
    assert len(probabilities) == 4 and fits(found, probabilities, number)


def test_the_first_of_different_ones_is_drawn_by_its_probability(tok: bytemill.Tokenizer) -> None:
    number = 20_000
    rows = [tok.sample(TEXT, 3, seed=seed, replacement=False) for seed in range(number)]
    probabilities = expected(tok, 1.0)
    assert fits(Counter(tuple(three[0].ids) for three in rows), probabilities, number)
    # Weighed by what it says of being there, each row counts once on average: what the scores are for.
    weights: Counter[tuple[int, ...]] = Counter()
    for three in rows:
        assert len({tuple(row.ids) for row in three}) == 3
        for row in three:
            weights[tuple(row.ids)] += probabilities[tuple(row.ids)] / math.exp(row.score) / number
    for row, p in probabilities.items():
        assert weights[row] == pytest.approx(p, rel=0.25, abs=0.005)


def test_values_that_must_not_change(tok: bytemill.Tokenizer) -> None:
    """Ids drawn with a seed belong to data sets and experiments; every version and machine has to give these."""
    assert tok.tokenize(TEXT, alpha=0.3, seed=42) == DRAWN_42
    assert tok.tokenize(TEXT, alpha=0.3, nbest_size=4, seed=42) == AMONG_4
    assert [row.ids for row in tok.sample(TEXT, 2, seed=7, replacement=False)] == DIFFERENT_7


DRAWN_42 = ["a", "bc", "a", "bc"]
AMONG_4 = ["a", "bc", "abc"]
DIFFERENT_7 = [[1, 2, 3, 1, 5], [6, 6]]


def test_seeds_threads_and_what_is_remembered(trained: bytemill.Tokenizer) -> None:
    text = "she sells sea shells"
    best = trained.encode(text)
    seen = {tuple(trained.encode(text, alpha=0.2, seed=seed)) for seed in range(50)}
    assert len(seen) > 8 and all(trained.decode(row) == text for row in seen)
    assert trained.encode(text) == best
    assert trained.encode(text, alpha=0.2, nbest_size=1, seed=3) == best
    texts = [text * (i % 7) for i in range(200)]
    rows = trained.encode_batch(texts, alpha=0.3, seed=9, threads=1)
    assert rows == trained.encode_batch(texts, alpha=0.3, seed=9, threads=3)
    assert rows[1].tolist() != rows[8].tolist()
    assert rows[0:1].to_list() == [trained.encode(texts[0], alpha=0.3, seed=9)]
    assert trained.encode_array(text, alpha=0.3, seed=5).tolist() == trained.encode(text, alpha=0.3, seed=5)
    inputs = [[e.ids for e in trained.inputs(texts, alpha=0.3, seed=9, threads=threads)] for threads in (1, 3)]
    assert inputs[0] == inputs[1] and len({tuple(ids) for ids in inputs[0][1::7]}) > 5


def test_a_long_text(trained: bytemill.Tokenizer) -> None:
    text = "she sells sea shells " * 10_000
    assert trained.decode(trained.encode(text, alpha=0.5)) == text.strip()
    assert len(trained.nbest(text[:20_000], 20)) == 20
    assert trained.entropy(text) == pytest.approx(10_000 * trained.entropy("she sells sea shells"), rel=1e-3)


def test_special_tokens_are_sure(tmp_path: Path) -> None:
    added = {"id": 8, "content": "<s>", "special": True, "single_word": False, "lstrip": False, "rstrip": False}
    file = {
        "version": "1.0",
        "added_tokens": [{**added, "normalized": False}],
        "model": {"type": "Unigram", "unk_id": 0, "vocab": [*SCORES.items()]},
    }
    (tmp_path / "tokenizer.json").write_text(json.dumps(file))
    tok = bytemill.load(tmp_path)
    alone = [row for row in tok.nbest("ab", 9)]
    assert [row.ids for row in tok.nbest("<s>ab<s>", 9)] == [[8, *row.ids, 8] for row in alone]
    assert tok.entropy("<s>ab<s>") == tok.entropy("ab")
    assert tok.score([8, *alone[0].ids]) == alone[0].score


def test_messages(tok: bytemill.Tokenizer) -> None:
    words = bytemill.train(["a b"], bytemill.Word(), progress=False)
    bpe = bytemill.train(["ab ab"], bytemill.BPE(vocab_size=257), progress=False)
    with pytest.raises(SpecError, match=r"segmentations are of Unigram, and this is a word tokenizer"):
        words.nbest("a", 2)
    with pytest.raises(SpecError, match=r"alpha is of Unigram, and this is a bpe tokenizer; use dropout"):
        bpe.encode("ab", alpha=0.5)
    with pytest.raises(
        SpecError, match=r"dropout is of byte-pair encoding, and this is a unigram tokenizer; use alpha"
    ):
        tok.encode("ab", dropout=0.5)
    with pytest.raises(SpecError, match=r"alpha is a number from 0 on, not -1"):
        tok.encode("ab", alpha=-1)
    with pytest.raises(SpecError, match=r"alpha is a number from 0 on, not NaN"):
        tok.entropy("ab", alpha=math.nan)
    with pytest.raises(SpecError, match=r"nbest_size is at most 512, or -1 for all rows, not 513"):
        tok.encode("ab", alpha=1, nbest_size=513)
    with pytest.raises(SpecError, match=r"no alpha is given"):
        tok.encode("ab", nbest_size=5)
    with pytest.raises(SpecError, match=r"no tokenizer has both"):
        tok.encode("ab", alpha=1, dropout=0.1)
    with pytest.raises(SpecError, match=r"n is from 1 to 1024, not 1025"):
        tok.nbest("ab", 1025)
    with pytest.raises(SpecError, match=r"n must be at least 1, not 0"):
        tok.sample("ab", 0)
    with pytest.raises(SpecError, match=r"give replacement=False, too"):
        tok.sample("ab", include_best=True)
    with pytest.raises(UnknownIdError):
        tok.score([99])


def test_fewer_pieces(trained: bytemill.Tokenizer, tmp_path: Path) -> None:
    text = "she sells sea shells"
    pieces = trained.tokenize(text)
    left_out = max(pieces, key=len)
    fewer = trained.restricted([piece for piece in trained.vocab() if piece != left_out])
    assert left_out not in fewer.tokenize(text) and fewer.decode(fewer.encode(text)) == text
    assert fewer.vocab() == trained.vocab() and fewer != trained
    assert all(len(piece) == 1 for piece in trained.restricted([]).tokenize(text))
    assert fewer.restricted(trained.vocab()).encode(text) == trained.encode(text)
    fewer.save(tmp_path / "fewer.model")
    assert bytemill.load(tmp_path / "fewer.model") == fewer
    (tmp_path / "pieces.tsv").write_text("".join(f"{p}\t{0 if p == left_out else 9}\n" for p in trained.vocab()))
    assert trained.restricted(tmp_path / "pieces.tsv", threshold=5) == fewer
    (tmp_path / "wrong.tsv").write_text("a\t5\nb\tmany\n")
    with pytest.raises(FormatError, match=r"wrong\.tsv: line 2: 'many' is no count of 'b'"):
        trained.restricted(str(tmp_path / "wrong.tsv"))
    with pytest.raises(SpecError, match=r"threshold is for a file"):
        trained.restricted(["a"], threshold=3)
    with pytest.raises(SpecError, match=r"restricting is of"):
        bytemill.train(["a b"], bytemill.Word(), progress=False).restricted(["a"])
