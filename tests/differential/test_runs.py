"""Models that `tokenizers` trains on deep indents and long lines of one sign, in the stages of published models.

What is longer than most words is merged in another way, and the order of merges in a run of spaces decides about tokens
far away from it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bytemill

from ..conftest import need
from .patterns import KNOWN
from .texts import generated

tokenizers = need("tokenizers")

from tokenizers import Regex, models, trainers  # noqa: E402
from tokenizers import decoders as d  # noqa: E402
from tokenizers import normalizers as n  # noqa: E402
from tokenizers import pre_tokenizers as p  # noqa: E402

pytestmark = pytest.mark.peer

SIGNS = [" ", " ", "\n", "\t", "\r\n", " \n", "=", "-", "#", "0", "a", "ab", "é", "的", "ا"]
LENGTHS = [1, 1, 2, 3, 4, 7, 8, 16, 20, 24, 31, 32, 33, 40, 64, 70, 100]


def splits(*patterns: str) -> Any:
    steps = [p.Split(Regex(pattern), "isolated") for pattern in patterns]
    return p.Sequence([*steps, p.ByteLevel(add_prefix_space=False, use_regex=False)])


#: Normalizer, pre-tokenizer; of models over bytes.
IN_BYTES: dict[str, tuple[Any, Any]] = {
    "GPT-2": (None, p.ByteLevel(add_prefix_space=False)),
    "Llama 3": (None, splits(KNOWN[1])),
    "GPT-4o": (None, splits(KNOWN[2])),
    "DeepSeek": (None, splits(*KNOWN[4:7])),
    "BLOOM": (None, splits(r" ?[^(\s|[.,!?…。，、।۔،])]+")),
    "StarCoder": (n.NFC(), p.Sequence([p.Digits(True), p.ByteLevel(add_prefix_space=False)])),
    "Falcon": (
        None,
        p.Sequence([p.Punctuation("contiguous"), p.ByteLevel(add_prefix_space=False), p.Digits(False)]),
    ),
}
#: The same of models over characters, with the marks of SentencePiece.
IN_CHARACTERS: dict[str, tuple[Any, Any]] = {
    "Llama 2": (n.Sequence([n.Prepend("▁"), n.Replace(" ", "▁")]), None),
    "Gemma": (n.Replace(" ", "▁"), p.Split(" ", "merged_with_previous")),
    "Mistral": (None, p.Metaspace("▁", "first", False)),
    "XLM-R": (n.NFKC(), p.Sequence([p.WhitespaceSplit(), p.Metaspace("▁", "always", True)])),
}


def runs(rng: random.Random, count: int) -> Iterator[str]:
    for _ in range(count):
        yield "".join(rng.choice(SIGNS) * rng.choice(LENGTHS) for _ in range(rng.randint(1, 6)))


def indented(rng: random.Random, count: int) -> Iterator[str]:
    """Lines as of a program, some with a space at their end."""
    for _ in range(count):
        lines = (rng.choice(["x = 1;", "call(a)", "", "0"]) + rng.choice(["", "", " ", "  "]) for _ in range(12))
        yield "\n".join(" " * (4 * rng.randrange(16)) + line for line in lines)


def check(theirs: Any, trainer: Any, rng: random.Random, path: Path) -> None:
    corpus = [*indented(rng, 400), *runs(rng, 100), *generated(100, rng.randrange(99))]
    theirs.train_from_iterator(corpus, trainer)
    theirs.save(str(path))
    # Scores are rounded where they are read.
    ours, theirs = bytemill.load(path), tokenizers.Tokenizer.from_file(str(path))
    texts = [*indented(rng, 100), *runs(rng, 900)]
    for text, ids in zip(texts, ours.encode_batch(texts), strict=True):
        expected = theirs.encode(text)
        assert list(ids) == expected.ids == ours.encode(text), text
        assert ours(text, offsets=True).offsets == expected.offsets, text
        assert ours.decode(expected.ids) == theirs.decode(expected.ids, skip_special_tokens=False), text


@pytest.mark.parametrize("vocab_size", [400, 1_000])
@pytest.mark.parametrize("stages", IN_BYTES)
def test_bytes(stages: str, vocab_size: int, tmp_path: Path) -> None:
    rng = random.Random(f"{stages} {vocab_size}")
    theirs = tokenizers.Tokenizer(models.BPE(ignore_merges=stages == "Llama 3"))
    theirs.normalizer, theirs.pre_tokenizer = IN_BYTES[stages]
    theirs.decoder = d.ByteLevel()
    alphabet = p.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, initial_alphabet=alphabet, show_progress=False)
    check(theirs, trainer, rng, tmp_path / "tokenizer.json")


@pytest.mark.parametrize("stages", IN_CHARACTERS)
def test_characters(stages: str, tmp_path: Path) -> None:
    rng = random.Random(stages)
    if stages == "XLM-R":
        theirs = tokenizers.Tokenizer(models.Unigram())
        trainer = trainers.UnigramTrainer(
            vocab_size=600, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False
        )
    else:
        theirs = tokenizers.Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
        special = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256))]
        trainer = trainers.BpeTrainer(vocab_size=1_000, special_tokens=special, show_progress=False)
    theirs.normalizer, theirs.pre_tokenizer = IN_CHARACTERS[stages]
    theirs.decoder = d.Sequence([d.Replace("▁", " "), d.ByteFallback(), d.Fuse()])
    check(theirs, trainer, rng, tmp_path / "tokenizer.json")
