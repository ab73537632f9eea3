"""Random BPE models: ids, tokens, offsets, word ids and decoded text equal to `tokenizers` and to the reference."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import bytemill
from bytemill.reference import splitting
from bytemill.reference.bpe import BPE, byte_level

from ..conftest import need
from ..effort import MATRIX
from ..random_bpe import file, text

tokenizers = need("tokenizers")

pytestmark = pytest.mark.peer

MODELS = 6_000 if MATRIX else 150

SPLITS = {
    "whitespace_split": splitting.whitespace_split,
    "bert": splitting.bert,
    "digits": splitting.digits,
    None: lambda text: [text],
}


@pytest.mark.parametrize("share", range(5))
def test_random_models(share: int, tmp_path: Path) -> None:
    for seed in range(share, MODELS, 5):
        rng = random.Random(seed)
        definition, split = file(rng)
        path = tmp_path / "tokenizer.json"
        path.write_text(json.dumps(definition))
        ours, theirs = bytemill.load(path), tokenizers.Tokenizer.from_file(str(path))
        again = bytemill.Tokenizer(bytemill._core.from_bytes(ours.to_bytes("tokenizer.json")))
        assert again == ours, seed
        theirs_again = tokenizers.Tokenizer.from_str(ours.to_bytes("tokenizer.json").decode())
        for name in ("mill", "mill.json"):
            assert bytemill.Tokenizer(bytemill._core.from_bytes(ours.to_bytes(name))) == ours, (seed, name)
        in_bytes = json.dumps(definition["pre_tokenizer"]).count("ByteLevel") > 0
        options = {key: value for key, value in definition["model"].items() if key not in ("type", "dropout")}
        options["merges"] = [tuple(pair) for pair in options["merges"]]
        for key in ("continuing_subword_prefix", "end_of_word_suffix"):
            options[key] = options[key] or ""
        reference = BPE(**options)
        for _ in range(8):
            sample = text(rng)
            expected = theirs.encode(sample)
            found = ours(sample, offsets=True)
            where = (seed, sample)
            assert found.ids == expected.ids == ours.encode(sample) == theirs_again.encode(sample).ids, where
            assert found.offsets == expected.offsets, where
            assert found.word_ids == expected.word_ids, where
            assert ours.decode(found.ids) == theirs.decode(expected.ids, skip_special_tokens=False), where
            if not in_bytes:
                assert found.tokens == expected.tokens, where
            normalized = sample.lower() if definition["normalizer"] else sample
            pieces = [byte_level(piece) if in_bytes else piece for piece in SPLITS[split](normalized)]
            assert [id for piece in pieces for id in reference.encode(piece)] == expected.ids, where
