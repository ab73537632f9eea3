"""Whatever comes in parts gives what the whole gives."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytemill
from bytemill import normalizers, pretokenizers
from tests.property.strategies import SPECIALS, chunks, corpora, texts, tokenizers, trained


@given(tok=tokenizers(), parts=chunks(), specials=st.sampled_from([None, "none", ("<EOS>",)]))
def test_encode_iterable_is_encode_of_the_whole(tok: bytemill.Tokenizer, parts: list[str], specials: Any) -> None:
    assert list(tok.encode_iterable(parts, specials=specials)) == tok.encode("".join(parts), specials=specials)


CORPUS = ["the cat, a b é 我能 <a b> 12 x-y\n\n", "B’s Éa…"]
LONG = " ".join(["the <a b> cat,", "A b", "x" * 70, "é 我能 12-34\n\nab <EOS>", "don't  stop."] * 2)


@pytest.mark.parametrize("family", [bytemill.Char, bytemill.Word])
@pytest.mark.parametrize("normalizer", [None, *normalizers.NAMED])
@pytest.mark.parametrize("pretokenizer", [None, *pretokenizers.NAMED])
def test_every_named_stage_cut_everywhere(family: type, normalizer: str | None, pretokenizer: str | None) -> None:
    tok = trained(family, CORPUS, {}, special_tokens=SPECIALS, normalizer=normalizer, pretokenizer=pretokenizer)
    expected = tok.encode(LONG)
    for at in range(0, len(LONG) + 1, 3):
        assert list(tok.encode_iterable([LONG[:at], LONG[at:]])) == expected, at
    assert list(tok.encode_iterable(LONG)) == expected


added = st.fixed_dictionaries(
    {
        "id": st.just(0),
        "content": st.sampled_from(["<M>", "a b", "New York", "é", "<M", "12"]),
        **{flag: st.booleans() for flag in ("single_word", "lstrip", "rstrip", "normalized", "special")},
    }
)
pieces = ["<M>", "a b", "NEW YORK", "new york", "New", " York", " ", "  ", "a", "b", "É", "e\u0301", "12", ",", "x" * 9]


@given(
    tokens=st.lists(added, max_size=3, unique_by=lambda token: token["content"]),
    normalizer=st.sampled_from([None, {"type": "Lowercase"}, {"type": "NFC"}]),
    pretokenizer=st.sampled_from(
        [{"type": "WhitespaceSplit"}, {"type": "BertPreTokenizer"}, {"type": "FixedLength", "length": 1}]
    ),
    parts=chunks(st.lists(st.sampled_from(pieces), max_size=30).map("".join)),
)
def test_added_tokens_of_every_kind(tokens: list[Any], normalizer: Any, pretokenizer: Any, parts: list[str]) -> None:
    file = json.loads(trained(bytemill.Word, ["a b new york é 12 ,"], {}).to_bytes("tokenizer.json"))
    file["added_tokens"] += tokens
    file.update(normalizer=normalizer, pre_tokenizer=pretokenizer)
    tok = bytemill.Tokenizer(bytemill._core.from_bytes(json.dumps(file).encode()))
    assert list(tok.encode_iterable(parts)) == tok.encode("".join(parts))


@given(tok=tokenizers(), text=texts, skip=st.booleans())
def test_a_decoding_stream_adds_up_to_decode(tok: bytemill.Tokenizer, text: str, skip: bool) -> None:
    ids = tok.encode(text)
    stream = tok.stream(skip_special_tokens=skip)
    parts = [stream.push(id) for id in ids]
    assert "".join(parts) + stream.finish() == tok.decode(ids, skip_special_tokens=skip)


@given(ids=st.lists(st.integers(0, 11), max_size=30), skip=st.booleans())
def test_a_decoding_stream_of_any_ids(ids: list[int], skip: bool) -> None:
    tok = trained(bytemill.Word, ["a , ( ) ' - « 。"], {})
    stream = tok.stream(skip_special_tokens=skip)
    assert "".join(map(stream.push, ids)) + stream.finish() == tok.decode(ids, skip_special_tokens=skip)


@given(corpus=corpora, family=st.sampled_from([bytemill.Char, bytemill.Word]))
def test_any_number_of_threads_trains_the_same(corpus: list[str], family: type) -> None:
    trainings = [trained(family, corpus, {}, special_tokens=SPECIALS, threads=threads) for threads in (1, 2, 7)]
    assert len({tok.fingerprint for tok in trainings}) == 1
    assert len({json.dumps(tok.training_stats) for tok in trainings}) == 1


@given(documents=st.lists(texts, max_size=6), data=st.data())
def test_documents_in_any_order_and_grouping_train_the_same(documents: list[str], data: st.DataObject) -> None:
    tok = trained(bytemill.Word, documents, {}, special_tokens=["<sep>"])
    shuffled = data.draw(st.permutations(documents))
    assert trained(bytemill.Word, shuffled, {}, special_tokens=["<sep>"]) == tok
    # A special token separates as the end of a document does.
    assert trained(bytemill.Word, ["<sep>".join(documents)], {}, special_tokens=["<sep>"]) == tok
