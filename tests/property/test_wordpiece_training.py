"""WordPiece training against the executable specification."""

from __future__ import annotations

import warnings
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytemill
from bytemill.reference.wordpiece import WordPiece, learned

ROLES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
CASED = {"lowercase": False, "strip_accents": False, "split_cjk": False}
corpora = st.lists(st.text("abcé中", min_size=1, max_size=7), min_size=1, max_size=30) | st.lists(
    st.text("abcé中", min_size=1, max_size=2), min_size=1, max_size=30
)


@pytest.mark.parametrize("score", ["likelihood", "frequency"])
@given(corpus=corpora, more=st.integers(0, 25), min_frequency=st.integers(1, 3), prefix=st.sampled_from(["##", "_"]))
def test_the_vocabulary(score: str, corpus: list[str], more: int, min_frequency: int, prefix: str) -> None:
    counts = dict(sorted(Counter(corpus).items(), key=lambda item: item[0].encode()))
    options = {"score": score, "min_frequency": min_frequency}
    base = learned(counts, 0, special_tokens=ROLES, prefix=prefix)
    expected = learned(counts, len(base) + more, special_tokens=ROLES, prefix=prefix, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spec = bytemill.WordPiece(vocab_size=len(base) + more, continuing_subword_prefix=prefix, **CASED, **options)
        tok = bytemill.train([" ".join(corpus)], spec, progress=False, pretokenizer="whitespace_split")
    found = [tok.id_to_token(id) for id in range(tok.vocab_size)]
    assert found[: len(base)] == base
    # Where a token of three characters or more is made in a second way, `tokenizers` counts by frequency in a manner of
    # its own, which is followed.
    if score == "likelihood" or all(len(word) < 3 for word in corpus):
        assert found == expected
    reference = WordPiece({token: id for id, token in enumerate(found)}, continuing_subword_prefix=prefix)
    for word in {*corpus, "ab", "cab", "x"}:
        assert tok.encode(word) == reference.encode(word)


@given(corpus=corpora, score=st.sampled_from(["likelihood", "frequency"]))
def test_the_same_from_counts_and_for_any_number_of_threads(corpus: list[str], score: str) -> None:
    spec = bytemill.WordPiece(vocab_size=40, min_frequency=1, score=score)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = bytemill.train(corpus, spec, progress=False, threads=1)
        two = bytemill.train(corpus, spec, progress=False, threads=2)
        counts = bytemill.count_pieces(
            corpus, normalizer="bert", pretokenizer="bert", special_tokens=ROLES, progress=False
        )
        three = bytemill.train(counts, spec, special_tokens=ROLES, progress=False)
    assert one == two
    assert one.vocab() == three.vocab()
