"""Truncation, padding and words that are split already: the whole Encoding as `tokenizers` gives it."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill.errors import SpecError

from ..conftest import need
from ..effort import MATRIX
from .texts import generated

tokenizers = need("tokenizers")

from tokenizers import models, pre_tokenizers, processors  # noqa: E402

from .lengths import NAMES, compare, compare_random, random_padding, random_truncation, set_up  # noqa: E402
from .shared_models import TOKENIZER_JSON, tokenizer_json  # noqa: E402

pytestmark = pytest.mark.peer


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
    # One text twice.
    processors.TemplateProcessing(
        single="[CLS] $A [SEP] $A:1",
        pair="$B $A:1 [SEP]",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    ),
]


def numbered(processor: Any, folder: Path) -> tuple[Any, bytemill.Tokenizer]:
    """Words that are numbers, there and here."""
    tokens = ["[UNK]", "[CLS]", "[SEP]", *(str(number) for number in range(20))]
    theirs = tokenizers.Tokenizer(models.WordLevel({token: id for id, token in enumerate(tokens)}, unk_token="[UNK]"))
    theirs.pre_tokenizer = pre_tokenizers.Whitespace()
    if processor is not None:
        theirs.post_processor = processor
    theirs.save(str(folder / "tokenizer.json"))
    return theirs, bytemill.load(folder / "tokenizer.json")


@pytest.mark.parametrize("number", [0, 1, 3])
@pytest.mark.parametrize("side", ["left", "right"])
def test_all_parts_of_every_cut(number: int, side: Any, tmp_path: Path) -> None:
    """Every length with every stride: the ids of the first part that overflows once differed in few of them."""
    theirs, ours = numbered(PROCESSORS[number], tmp_path)
    texts = [" ".join(map(str, range(count))) for count in (0, 1, 5, 9)]
    strategies = ("longest_first", "only_first", "only_second")
    cut = 0
    for max_length, stride, strategy in itertools.product(range(14), range(6), strategies):
        truncation = bytemill.Truncation(max_length, strategy=strategy, stride=stride, side=side)
        if not set_up(theirs, truncation, None):
            continue
        for text, pair in itertools.product(texts, (None, *texts)):
            if max_length < theirs.num_special_tokens_to_add(pair is not None):
                continue
            try:
                expected = theirs.encode(text, pair)
            except BaseException:
                with pytest.raises(SpecError):
                    ours(text, pair, truncation=truncation, overflow=True, padding=False, offsets=True)
                continue
            found = ours(text, pair, truncation=truncation, overflow=True, padding=False, offsets=True)
            compare(expected, found, NAMES if number else NAMES[:6])
            cut += bool(found.overflowing)
    assert cut > 300


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
    compare_random(theirs, bytemill.load(tmp_path / "tokenizer.json"), rng, texts, 4_000 if MATRIX else 400)


@pytest.mark.shared
@pytest.mark.parametrize("model", TOKENIZER_JSON)
def test_shared_models(model: str, shared: Path) -> None:
    case = tokenizer_json(shared / "models" / model)
    compare_random(case.theirs, case.ours, random.Random(model), [*generated(300)], 2_000 if MATRIX else 60)


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
