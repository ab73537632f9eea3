"""Truncation, padding and words that are split already: the whole Encoding as `tokenizers` gives it.

Some things are meant to differ and are left out: parts of what was cut off have the type ids of the template (the
library's have those of their text), have no parts of their own, and know their text even where there is no
post-processor; and where the template alone is too long, the library does not truncate, and we refuse.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill.errors import SpecError

from ..conftest import need
from .texts import generated

tokenizers = need("tokenizers")

from tokenizers import models, pre_tokenizers, processors  # noqa: E402

from .shared_models import TOKENIZER_JSON, tokenizer_json  # noqa: E402

pytestmark = pytest.mark.peer

FULL = os.environ.get("BYTEMILL_MATRIX") == "full"

NAMES = ("ids", "offsets", "word_ids", "special_tokens_mask", "attention_mask", "type_ids", "sequence_ids")


def compare(expected: Any, found: Any, names: tuple[str, ...] = NAMES) -> None:
    for name in names:
        assert getattr(found, name) == getattr(expected, name), name
    parts, theirs = found.overflowing, expected.overflowing
    assert len(parts) == len(theirs)
    for part, other in zip(parts, theirs, strict=True):
        for name in names[:5]:
            assert getattr(part, name) == getattr(other, name), f"{name} of a part"


def compare_ways(expected: Any, found: Any, most: int) -> None:
    """From characters to tokens to words and back."""
    for sequence in (0, 1) if 1 in expected.sequence_ids else (0,):
        if sequence not in expected.sequence_ids:
            continue
        for i in range(most):
            assert found.char_to_token(i, sequence) == expected.char_to_token(i, sequence)
            assert found.char_to_word(i, sequence) == expected.char_to_word(i, sequence)
            assert found.word_to_tokens(i, sequence) == expected.word_to_tokens(i, sequence)
            assert found.word_to_chars(i, sequence) == expected.word_to_chars(i, sequence)
    for i in range(len(expected.ids)):
        assert found.token_to_sequence(i) == expected.token_to_sequence(i)
        assert found.token_to_chars(i) == expected.token_to_chars(i)
        assert found.token_to_word(i) == expected.token_to_word(i)


def random_truncation(rng: random.Random) -> bytemill.Truncation:
    max_length = rng.choice([0, 1, 2, 3, 4, 5, 8, 9, 20, 21])
    return bytemill.Truncation(
        max_length,
        strategy=rng.choice(["longest_first", "longest_first", "only_first", "only_second"]),
        stride=rng.choice([0, 0, 1, 2]),
        side=rng.choice(["left", "right"]),
    )


def random_padding(rng: random.Random) -> bytemill.Padding:
    return bytemill.Padding(
        length=rng.choice([None, 3, 12, 20]),
        multiple_of=rng.choice([None, 1, 8]),
        side=rng.choice(["left", "right"]),
        token=rng.choice(["[PAD]", "pad"]),
        id=rng.choice([0, 1]),
        type_id=rng.choice([0, 3]),
    )


def set_up(theirs: Any, truncation: bytemill.Truncation | None, padding: bytemill.Padding | None) -> bool:
    """Whether the library takes it: it refuses some strides."""
    theirs.no_truncation()
    theirs.no_padding()
    try:
        if truncation:
            theirs.enable_truncation(
                truncation.max_length,
                stride=truncation.stride,
                strategy=truncation.strategy,
                direction=truncation.side,
            )
    except ValueError:
        return False
    if padding:
        theirs.enable_padding(
            direction=padding.side,
            pad_id=padding.id,
            pad_type_id=padding.type_id,
            pad_token=padding.token,
            length=padding.length,
            pad_to_multiple_of=padding.multiple_of,
        )
    return True


def words_of(rng: random.Random, texts: list[str]) -> list[str]:
    return [text[: rng.choice([1, 3, 9])] for text in rng.choices(texts, k=rng.randint(0, 8))]


def compare_random(theirs: Any, ours: bytemill.Tokenizer, rng: random.Random, texts: list[str], rounds: int) -> None:
    for _ in range(rounds):
        truncation = random_truncation(rng) if rng.random() < 0.8 else None
        padding = random_padding(rng) if rng.random() < 0.5 else None
        if not set_up(theirs, truncation, padding):
            continue
        pretokenized, specials = rng.random() < 0.3, rng.random() < 0.7
        first, second = (words_of(rng, texts), words_of(rng, texts)) if pretokenized else rng.choices(texts, k=2)
        pair = second if rng.random() < 0.5 else None
        options: dict[str, Any] = {"truncation": truncation or False, "padding": padding or False}
        options |= {"offsets": True, "pretokenized": pretokenized, "add_special_tokens": specials}
        where = (first, pair, options)
        added = theirs.num_special_tokens_to_add(pair is not None) if specials else 0
        if truncation and truncation.max_length < added:
            with pytest.raises(SpecError, match="no room for the"):
                ours(first, pair, **options)
            continue
        try:
            expected = theirs.encode(first, pair, is_pretokenized=pretokenized, add_special_tokens=specials)
        except BaseException as error:  # a stride that is too long is a panic there
            assert isinstance(error, Exception) or "PanicException" in type(error).__name__
            with pytest.raises(SpecError, match=r"stride=|cutting the|was not given"):
                ours(first, pair, overflow=True, **options)
            continue
        found = ours(first, pair, overflow=True, **options)
        has_processor = theirs.post_processor is not None
        try:
            compare(expected, found, NAMES if has_processor else NAMES[:6])
            early = ours(first, pair, **options)
            assert (early.ids, early.offsets) == (expected.ids, expected.offsets), "stopped early"
            assert early.overflowing == []
            without = ours(first, pair, **{**options, "offsets": False})
            assert (without.ids, without.word_ids) == (expected.ids, expected.word_ids), "without offsets"
            assert without.tokens == found.tokens == early.tokens, "tokens"
            if has_processor:
                compare_ways(expected, found, 12)
        except AssertionError as error:
            raise AssertionError((str(error), where)) from error
        batch = [(first, pair), (second, pair)]
        inputs = [text if pair is None else (text, pair) for text, pair in batch]
        try:
            many = theirs.encode_batch(inputs, is_pretokenized=pretokenized, add_special_tokens=specials)
        except BaseException:
            continue
        pairs = None if pair is None else [pair, pair]
        for expected, found in zip(many, ours.inputs([first, second], pairs, **options), strict=True):
            assert (found.ids, found.offsets) == (expected.ids, expected.offsets), where
            assert found.attention_mask == expected.attention_mask, where


PROCESSORS: list[Any] = [
    None,
    processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1)),
    processors.RobertaProcessing(("[SEP]", 2), ("[CLS]", 1)),
    processors.TemplateProcessing(
        single="[CLS] $A:3 [SEP]:4",
        pair="$B:1 [CLS] $A:5 [SEP]",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    ),
    processors.Sequence([processors.ByteLevel(trim_offsets=True)]),
]


@pytest.mark.parametrize("number", range(len(PROCESSORS)))
def test_random_lengths(number: int, tmp_path: Path) -> None:
    rng = random.Random(number)
    texts = [*generated(300, number)]
    tokens = ["[UNK]", "[CLS]", "[SEP]", *sorted({word for text in texts[:200] for word in text.split()})]
    theirs = tokenizers.Tokenizer(models.WordLevel({token: id for id, token in enumerate(tokens)}, unk_token="[UNK]"))
    theirs.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    theirs.add_special_tokens(["[CLS]"])
    if PROCESSORS[number] is not None:
        theirs.post_processor = PROCESSORS[number]
    theirs.save(str(tmp_path / "tokenizer.json"))
    compare_random(theirs, bytemill.load(tmp_path / "tokenizer.json"), rng, texts, 4_000 if FULL else 400)


@pytest.mark.shared
@pytest.mark.parametrize("model", TOKENIZER_JSON)
def test_shared_models(model: str, shared: Path) -> None:
    case = tokenizer_json(shared / "models" / model)
    compare_random(case.theirs, case.ours, random.Random(model), [*generated(300)], 2_000 if FULL else 60)


@pytest.mark.parametrize("seed", range(20))
def test_what_a_file_says(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    theirs = tokenizers.Tokenizer(models.WordLevel({"[UNK]": 0, "a": 1, "b": 2}, unk_token="[UNK]"))
    theirs.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    padding = random_padding(rng) if rng.random() < 0.8 else None
    if not set_up(theirs, random_truncation(rng) if rng.random() < 0.8 else None, padding):
        return
    path = tmp_path / "tokenizer.json"
    theirs.save(str(path))
    ours = bytemill.load(path)
    ours.save(path)
    ours.save(tmp_path / "t.mill")
    written = tokenizers.Tokenizer.from_file(str(path))
    assert (written.truncation, written.padding) == (theirs.truncation, theirs.padding)
    assert bytemill.load(path) == ours == bytemill.load(tmp_path / "t.mill")
    for text in ("", "a", "a b b a", "b " * 30):
        try:
            expected = theirs.encode(text)
        except BaseException:
            with pytest.raises(SpecError):
                ours(text, overflow=True)
            continue
        compare(expected, ours(text, offsets=True, overflow=True), NAMES[:6])
        assert ours.encode(text) == theirs.encode(text, add_special_tokens=False).ids or theirs.truncation or padding
