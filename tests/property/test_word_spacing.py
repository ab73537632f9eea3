"""Words are decoded in tokenizer.json, by the library of that format, as they are here."""

from __future__ import annotations

import functools
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import bytemill
from tests.conftest import need

TOKENS = ["3", "14", "000", "10", "30", "a", "b", "e", "g", "http", "www", "com", "txt", "don", "t", "The", "é"]
TOKENS += [".", ",", ":", "/", "'", "’", '"', "“", "”", "-", "(", ")", "$", "%", "!", "?", ";", "…", "«", "»"]


@functools.cache
def both() -> tuple[bytemill.Tokenizer, Any]:
    ours = bytemill.train([" ".join(TOKENS)], bytemill.Word(), progress=False)
    return ours, need("tokenizers").Tokenizer.from_str(ours.to_bytes("tokenizer.json").decode())


@given(st.lists(st.sampled_from(TOKENS), max_size=12))
def test_the_library_decodes_alike(tokens: list[str]) -> None:
    ours, theirs = both()
    ids = [id for token in tokens if (id := ours.token_to_id(token)) is not None]
    assert len(ids) == len(tokens)
    assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False)
