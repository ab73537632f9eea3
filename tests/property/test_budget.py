"""Budgets hold for every tokenizer and every text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import bytemill
from bytemill.errors import UnknownTokenError
from tests.property.strategies import texts, tokenizers


@given(tok=tokenizers(), text=texts, limit=st.integers(0, 40))
def test_budgets(tok: bytemill.Tokenizer, text: str, limit: int) -> None:
    try:
        count = tok.count(text)
    except UnknownTokenError:
        return
    assert tok.count_till(text, limit) == (count if count <= limit else None)
    assert tok.count_till(text, count) == count
    for from_end in (False, True):
        part = tok.cut(text, limit, from_end=from_end)
        assert tok.count(part) <= limit
        assert text.endswith(part) if from_end else text.startswith(part)
        assert (part == text) or count > limit


@given(tok=tokenizers(), text=texts)
def test_explanations_add_up(tok: bytemill.Tokenizer, text: str) -> None:
    explanation = tok.explain(text)
    assert explanation.ids == tok.encode(text)
    assert str(explanation).count("\n  = ") == len(explanation.pieces)
    places = [(piece.start, piece.end) for piece in explanation.pieces]
    assert places == sorted(places) and all(0 <= start <= end <= len(text) for start, end in places)
