"""Two ways to the same ids."""

from __future__ import annotations

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import bytemill
from bytemill import pretokenizers
from tests.property.strategies import PRETOKENIZERS, corpora, texts, tokenizers, trained


@given(text=texts)
def test_characters_come_back(text: str) -> None:
    tok = trained(bytemill.Char, [text], {})
    assert tok.decode(tok.encode(text)) == text
    assert tok.decode_bytes(tok.encode(text)) == text.encode()
    assert tok.decode(np.array(tok.encode(text), np.int64)) == text


@given(tok=tokenizers(), batch=st.lists(texts, max_size=6))
def test_batches_are_their_texts(tok: bytemill.Tokenizer, batch: list[str]) -> None:
    expected = [tok.encode(text) for text in batch]
    for threads in (1, 2, 7):
        assert tok.encode_batch(batch, threads=threads).to_list() == expected
        assert tok.count_batch(batch, threads=threads).tolist() == [len(row) for row in expected]


@given(tok=tokenizers(), text=texts)
def test_every_way_to_encode(tok: bytemill.Tokenizer, text: str) -> None:
    ids = tok.encode(text)
    assert tok.encode(text.encode()) == ids
    assert tok.encode_array(text).tolist() == ids
    assert tok.count(text) == len(ids)
    assert tok(text).ids == ids
    assert tok(text, offsets=True).ids == ids
    assert [tok.token_to_id(token) for token in tok.tokenize(text)] == ids


#: Tokens of source code that are reserved have names, and are not what they stand for.
UNRESERVED = [pretokenizer for pretokenizer in PRETOKENIZERS if not isinstance(pretokenizer, pretokenizers.Code)]


@given(corpus=corpora, text=texts, pretokenizer=st.sampled_from(UNRESERVED))
def test_offsets_are_the_tokens(corpus: list[str], text: str, pretokenizer: pretokenizers.PreTokenizer | None) -> None:
    tok = trained(bytemill.Word, [*corpus, text[: len(text) // 2]], {}, pretokenizer=pretokenizer)
    encoding = tok(text, offsets=True)
    for token, (start, end) in zip(encoding.tokens, encoding.offsets, strict=True):
        assert token in (text[start:end], "<UNK>")
    raw = text.encode()
    in_bytes = tok(text, offsets="bytes").offsets
    assert [raw[start:end].decode() for start, end in in_bytes] == [text[s:e] for s, e in encoding.offsets]


@given(tok=tokenizers(), text=texts)
def test_offsets_grow_and_stay_inside(tok: bytemill.Tokenizer, text: str) -> None:
    offsets = tok(text, offsets=True).offsets
    assert all(0 <= start <= end <= len(text) for start, end in offsets)
    assert [start for start, _ in offsets] == sorted(start for start, _ in offsets)


@given(tok=tokenizers(), text=texts)
def test_copies_do_the_same(tok: bytemill.Tokenizer, text: str) -> None:
    readable = bytemill.Tokenizer(bytemill._core.from_bytes(tok.to_bytes("mill.json")))
    for copy in (pickle.loads(pickle.dumps(tok)), readable):
        assert copy == tok
        assert copy.encode(text) == tok.encode(text)
        assert copy.decode(tok.encode(text)) == tok.decode(tok.encode(text))


@given(ids=st.lists(st.integers(0, 9), max_size=20), skip=st.booleans())
def test_decoding_one_row_or_many(ids: list[int], skip: bool) -> None:
    tok = trained(bytemill.Word, ["the ( cat ) ' ."], {})
    text = tok.decode(ids, skip_special_tokens=skip)
    assert tok.decode_batch([ids, ids], skip_special_tokens=skip) == [text, text]
    assert tok.decode_bytes(ids, skip_special_tokens=skip) == text.encode()
