"""`split_identifier`: equal to the specification, and nothing is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import bytemill
from bytemill.reference import identifiers
from tests.property.strategies import STABLE

names = st.one_of(
    st.text("abABsS01_$-", max_size=16),
    st.text(st.one_of(st.sampled_from("aBs1_éÉ\u0301ǅ名٣Ⅷ\u200d"), st.sampled_from(STABLE)), max_size=12),
)


@given(names)
def test_parts_are_those_of_the_specification_and_join_back(name: str) -> None:
    parts = bytemill.split_identifier(name)
    assert parts == identifiers.split_identifier(name)
    assert "".join(parts) == name
    assert all(parts)
