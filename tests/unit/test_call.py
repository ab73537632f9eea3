"""tok(text, pair): the model's input."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import bytemill
from tests.samples import chars, words


@pytest.fixture(scope="module")
def tok() -> bytemill.Tokenizer:
    """the = 5, cat = 4"""
    return words(["the cat"], add_bos=True, add_eos=True)


def test_the_template_surrounds_the_text(tok: bytemill.Tokenizer) -> None:
    encoding = tok("the cat")
    assert encoding.ids == [2, 5, 4, 3]
    assert encoding.tokens == ["<BOS>", "the", "cat", "<EOS>"]
    assert len(encoding) == 4
    assert encoding.array().dtype == np.uint32 and encoding.array().tolist() == [2, 5, 4, 3]
    assert tok.encode("the cat") == [5, 4]


def test_masks_and_ids(tok: bytemill.Tokenizer) -> None:
    encoding = tok("the <EOS>", "cat")
    assert encoding.ids == [2, 5, 3, 3, 2, 4, 3]
    assert encoding.type_ids == [0, 0, 0, 0, 1, 1, 1]
    assert encoding.attention_mask == [1] * 7
    # The one in the text is the text's own.
    assert encoding.special_tokens_mask == [1, 0, 0, 1, 1, 0, 1]
    assert encoding.sequence_ids == [None, 0, 0, None, None, 1, None]
    assert encoding.word_ids == [None, 0, 1, None, None, 0, None]


def test_the_template_can_be_left_out(tok: bytemill.Tokenizer) -> None:
    encoding = tok("the", "cat", add_special_tokens=False)
    assert encoding.ids == [5, 4]
    assert encoding.type_ids == [0, 1] and encoding.sequence_ids == [0, 1]
    assert encoding.special_tokens_mask == [0, 0]
    assert tok("the", add_special_tokens=False).ids == [5]


def test_each_end_by_itself() -> None:
    assert words(["the cat"], add_bos=True)("the").ids == [2, 5]
    assert words(["the cat"], add_eos=True)("the").ids == [5, 3]
    assert words(["the cat"], add_eos=True)("the", "cat").ids == [5, 3, 4, 3]
    assert words(["the cat"])("the", "cat").ids == [5, 4]
    assert words(["the cat"])("the", "cat").type_ids == [0, 1]


def test_empty_texts(tok: bytemill.Tokenizer) -> None:
    assert tok("").ids == [2, 3]
    assert tok("", "").ids == [2, 3, 2, 3]
    assert tok("the", "").ids == [2, 5, 3, 2, 3]
    assert tok("the", None).ids == [2, 5, 3]
    assert len(words()("")) == 0


def test_bytes_are_text_too(tok: bytemill.Tokenizer) -> None:
    assert tok(b"the", b"cat", offsets=True).offsets == tok("the", "cat", offsets=True).offsets
    assert tok(b"the", b"cat").ids == [2, 5, 3, 2, 4, 3]


def test_offsets_in_characters_and_in_bytes(tok: bytemill.Tokenizer) -> None:
    text, pair = "é the 我 cat", "我 cat"
    characters = tok(text, pair, offsets=True)
    assert characters.ids == [2, 1, 5, 1, 4, 3, 2, 1, 4, 3]
    assert characters.offsets == [(0, 0), (0, 1), (2, 5), (6, 7), (8, 11), (0, 0), (0, 0), (0, 1), (2, 5), (0, 0)]
    assert tok(text, pair, offsets="chars").offsets == characters.offsets
    in_bytes = tok(text, pair, offsets="bytes")
    assert in_bytes.ids == characters.ids
    assert in_bytes.offsets == [(0, 0), (0, 2), (3, 6), (7, 10), (11, 14), (0, 0), (0, 0), (0, 3), (4, 7), (0, 0)]


def test_offsets_are_only_there_on_request(tok: bytemill.Tokenizer) -> None:
    for encoding in (tok("the"), tok("the", offsets=False)):
        with pytest.raises(bytemill.errors.SpecError, match="offsets=True"):
            _ = encoding.offsets


def test_offsets_lead_through_normalization() -> None:
    text = "CAFÉ ÀÀ"
    tok = words([text], lowercase=True, strip_accents=True)
    encoding = tok(text, offsets=True)
    assert encoding.tokens == ["cafe", "aa"]
    assert [text[start:end] for start, end in encoding.offsets] == ["CAFÉ", "ÀÀ"]
    # As `tokenizers` has it: what was composed stands for its first character alone.
    composed = "cafe\u0301 x"
    assert words([composed], normalizer="nfc")(composed, offsets=True).offsets == [(0, 4), (6, 7)]


def test_offsets_of_ideographs_set_apart_and_of_specials() -> None:
    text = "a我b <EOS>我"
    encoding = words([text], split_cjk=True)(text, offsets=True)
    assert encoding.tokens == ["a", "我", "b", "<EOS>", "我"]
    assert [text[start:end] for start, end in encoding.offsets] == encoding.tokens


def test_offsets_of_characters() -> None:
    text = "👩‍👩‍👧é"
    encoding = chars([text])(text, offsets=True)
    assert [text[start:end] for start, end in encoding.offsets] == list(text)
    raw = text.encode()
    in_bytes = chars([text])(text, offsets="bytes").offsets
    assert [raw[start:end].decode() for start, end in in_bytes] == list(text)


def test_specials_policies_reach_the_call(tok: bytemill.Tokenizer) -> None:
    assert tok("the<EOS>", specials="all").ids == [2, 5, 3, 3]
    assert tok("the<EOS>", specials="none").tokens == ["<BOS>", "the", "<UNK>", "<UNK>", "<UNK>", "<EOS>"]
    assert tok("the<EOS><BOS>", specials={"<EOS>"}).ids == [2, 5, 3, 1, 1, 1, 3]
    for texts in (("the<EOS>",), ("the", "<EOS>")):
        with pytest.raises(bytemill.errors.SpecialTokenError):
            tok(*texts, specials="refuse")


def test_large_texts() -> None:
    tok = words(["the cat"])
    encoding = tok("the cat é " * 4000, offsets=True)
    assert encoding.ids == [5, 4, 1] * 4000
    assert encoding.offsets[-1] == (39_998, 39_999)
    assert encoding.word_ids[-1] == 11_999


@pytest.mark.parametrize("offsets", [False, True])
def test_encodings_are_pickled_and_copied_without_their_tokenizer(offsets: bool) -> None:
    tok = words(["the cat sat on the mat"])
    inputs = tok.inputs(
        ["the cat <EOS> sat on", "the"],
        ["mat", "on the mat"],
        offsets=offsets,
        truncation=4,
        overflow=True,
        padding=True,
    )
    names = ["ids", "type_ids", "tokens", "attention_mask", "special_tokens_mask", "sequence_ids", "word_ids"]

    def everything(encoding: bytemill.Encoding) -> list[object]:
        told = [getattr(encoding, name) for name in [*names, *(["offsets"] if offsets else [])]]
        return [*told, len(encoding), [everything(part) for part in encoding.overflowing]]

    assert inputs[0].overflowing
    for encoding in inputs:
        for back in (pickle.loads(pickle.dumps(encoding)), copy.deepcopy(encoding), copy.copy(encoding)):
            assert everything(back) == everything(encoding)
            assert everything(pickle.loads(pickle.dumps(back))) == everything(encoding)
        assert len(pickle.dumps(encoding)) < 2000
        if not offsets:
            with pytest.raises(bytemill.errors.SpecError):
                _ = pickle.loads(pickle.dumps(encoding)).offsets


def test_unpickling_refuses_what_nests_without_end() -> None:
    """Reading parts in parts in parts once took the stack of the process."""
    unpickle, (state,) = words(["the cat"])("the cat").__reduce__()
    deep = state
    for _ in range(100_000):
        deep = {**state, "overflowing": [deep]}
    wide = {**state, "overflowing": [{**state, "overflowing": [state] * 2000}] * 2000}
    for hostile in (deep, wide):
        with pytest.raises(ValueError, match="a pickled encoding with"):
            unpickle(hostile)
    # Or the test itself would be what takes the stack.
    while deep["overflowing"]:
        deep = deep["overflowing"].pop()
