"""The segmentations of Unigram are those of the reference, which looks at every one of them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytemill
from bytemill import _core
from bytemill.reference.unigram import Unigram

tokens = st.dictionaries(
    st.text("abcé", min_size=1, max_size=4), st.integers(-40, -1).map(lambda n: n / 4), min_size=1, max_size=25
)
texts = st.text("abcéx", max_size=9)


def built(scores: dict[str, float]) -> tuple[bytemill.Tokenizer, Unigram]:
    scores = {"<unk>": 0.0, **scores}
    file = {"version": "1.0", "model": {"type": "Unigram", "unk_id": 0, "vocab": [*scores.items()]}}
    return bytemill.Tokenizer(_core.from_bytes(json.dumps(file).encode())), Unigram(scores, "<unk>")


@given(tokens, texts, st.integers(1, 40))
def test_the_best_of_all(scores: dict[str, float], text: str, n: int) -> None:
    tok, reference = built(scores)
    found, expected = tok.nbest(text, n), reference.nbest(text, n)
    assert [row.score for row in found] == pytest.approx([score for _, score in expected], abs=1e-9)
    every = sorted(reference.named(row) for row in reference.rows(text))
    if n >= len(every):
        assert sorted([tok.id_to_token(id) for id in row.ids] for row in found) == every
    assert found[0].score == pytest.approx(reference.score(reference.best(text)), abs=1e-9)


@given(tokens, texts, st.floats(0, 3))
def test_how_sure_the_best_is(scores: dict[str, float], text: str, alpha: float) -> None:
    tok, reference = built(scores)
    assert tok.entropy(text, alpha=alpha) == pytest.approx(reference.entropy(text, alpha), abs=1e-9)
    assert tok.log_probability(text) == pytest.approx(reference.log_probability(text), abs=1e-9)


@given(tokens, texts, st.floats(0, 3), st.integers(0, 2**64 - 1))
def test_what_is_drawn(scores: dict[str, float], text: str, alpha: float, seed: int) -> None:
    tok, reference = built(scores)
    named = {tuple(reference.named([*row])) for row in reference.probabilities(text, alpha)}
    for ids in (tok.encode(text, alpha=alpha, seed=seed), tok.encode(text, alpha=alpha, nbest_size=3, seed=seed)):
        assert tuple(tok.id_to_token(id) for id in ids) in named
    every = len([*reference.rows(text)])
    drawn = tok.sample(text, 5, alpha=alpha, seed=seed, replacement=False)
    assert len(drawn) == min(5, every) and all(row.score <= 0 for row in drawn)
    with_best = tok.sample(text, 5, alpha=alpha, seed=seed, replacement=False, include_best=True)
    assert len(with_best) == min(5, every) and with_best[0] == (tok.nbest(text, 1)[0].ids, 0.0)
    assert tok(text, alpha=alpha, seed=seed, offsets=True).ids == tok.encode(text, alpha=alpha, seed=seed)


@given(tokens, st.text("abcé", max_size=12))
def test_the_score_of_ids(scores: dict[str, float], text: str) -> None:
    tok, _ = built({**dict.fromkeys("abcé", -3.0), **scores})
    for ids, score in tok.nbest(text, 10):
        assert tok.score(ids) == pytest.approx(score, abs=1e-9)
