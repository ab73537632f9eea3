"""Inputs of random lengths beside `tokenizers`: truncation, padding, pairs, and words that are split already.

Some things are meant to differ and are left out: parts of what was cut off have the type ids of the template (the
library's have those of their text), have no parts of their own, and know their text even where there is no
post-processor; of a text that a template has twice, the library forgets which one the first place is of; and where
the template alone is too long, the library does not truncate, and we refuse.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import bytemill
from bytemill.errors import SpecError

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
        stride=rng.choice([0, 0, 1, 2, 3, 7]),
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


def has_a_text_twice(theirs: Any, pair: bool) -> bool:
    state = json.loads(theirs.post_processor.__getstate__())
    for processor in state.get("processors", [state]):
        template = processor.get("pair" if pair else "single", [])
        texts = [part["Sequence"]["id"] for part in template if "Sequence" in part]
        if len(texts) > len(set(texts)):
            return True
    return False


def compare_random(theirs: Any, ours: bytemill.Tokenizer, rng: random.Random, texts: list[str], rounds: int) -> None:
    for _ in range(rounds):
        compare_input(theirs, ours, rng, texts)


def compare_input(theirs: Any, ours: bytemill.Tokenizer, rng: random.Random, texts: list[str]) -> None:
    """One input: a text or a pair, split already or not, with or without the template, cut and padded at random."""
    truncation = random_truncation(rng) if rng.random() < 0.8 else None
    padding = random_padding(rng) if rng.random() < 0.5 else None
    if not set_up(theirs, truncation, padding):
        return
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
        return
    try:
        expected = theirs.encode(first, pair, is_pretokenized=pretokenized, add_special_tokens=specials)
    except BaseException as error:  # a stride that is too long is a panic there
        assert isinstance(error, Exception) or "PanicException" in type(error).__name__
        if "bad split" in str(error):
            return  # The library fails where a normalizer strips around an added token.
        with pytest.raises(SpecError, match=r"stride=|cutting the|was not given"):
            ours(first, pair, overflow=True, **options)
        return
    found = ours(first, pair, overflow=True, **options)
    knows_texts = theirs.post_processor is not None and not has_a_text_twice(theirs, pair is not None)
    try:
        compare(expected, found, NAMES if knows_texts else NAMES[:6])
        early = ours(first, pair, **options)
        assert (early.ids, early.offsets) == (expected.ids, expected.offsets), "stopped early"
        assert early.overflowing == []
        without = ours(first, pair, **{**options, "offsets": False})
        assert (without.ids, without.word_ids) == (expected.ids, expected.word_ids), "without offsets"
        assert without.tokens == found.tokens == early.tokens, "tokens"
        if knows_texts:
            compare_ways(expected, found, 12)
    except AssertionError as error:
        raise AssertionError((str(error), where)) from error
    batch = [(first, pair), (second, pair)]
    inputs = [text if pair is None else (text, pair) for text, pair in batch]
    try:
        many = theirs.encode_batch(inputs, is_pretokenized=pretokenized, add_special_tokens=specials)
    except BaseException:
        return
    pairs = None if pair is None else [pair, pair]
    for expected, found in zip(many, ours.inputs([first, second], pairs, **options), strict=True):
        assert (found.ids, found.offsets) == (expected.ids, expected.offsets), where
        assert found.attention_mask == expected.attention_mask, where
