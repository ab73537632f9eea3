"""Unigram in tokenizer.json gives what the reference gives."""

import json

from hypothesis import given
from hypothesis import strategies as st

import bytemill
from bytemill import _core
from bytemill.reference.unigram import Unigram

tokens = st.dictionaries(
    st.text("abcé", min_size=1, max_size=4), st.integers(-40, -1).map(lambda n: n / 4), min_size=1, max_size=25
)


@given(tokens, st.text("abcéx", max_size=30), st.booleans())
def test_the_best_row(scores: dict[str, float], text: str, byte_fallback: bool) -> None:
    byte_tokens = {f"<0x{byte:02X}>": 0.0 for byte in range(256)} if byte_fallback else {}
    scores = {"<unk>": 0.0, **byte_tokens, **scores}
    file = {
        "version": "1.0",
        "model": {"type": "Unigram", "unk_id": 0, "vocab": [*scores.items()], "byte_fallback": byte_fallback},
    }
    tok = bytemill.Tokenizer(_core.from_bytes(json.dumps(file).encode()))
    expected = Unigram(scores, "<unk>", byte_fallback).tokens(text)
    assert [tok.id_to_token(id) for id in tok.encode(text)] == expected
    assert tok(text, offsets=True).ids == tok.encode(text)
