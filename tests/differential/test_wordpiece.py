"""WordPiece: all that `tokenizers` gives, for random models and for vocab.txt; BERT's own file is in test_bpe.py."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import bytemill
from bytemill.reference.wordpiece import WordPiece

from .. import random_bpe
from ..conftest import need
from ..effort import MATRIX
from ..random_wordpiece import file
from .texts import files, generated

tokenizers = need("tokenizers")

from tokenizers.implementations import BertWordPieceTokenizer  # noqa: E402

from .matrix import differences  # noqa: E402

pytestmark = pytest.mark.peer

MODELS = 6_000 if MATRIX else 200


@pytest.mark.parametrize("share", range(4))
def test_random_models(share: int, tmp_path: Path) -> None:
    for seed in range(share, MODELS, 4):
        rng = random.Random(seed)
        definition = file(rng)
        path = tmp_path / "tokenizer.json"
        path.write_text(json.dumps(definition))
        ours, theirs = bytemill.load(path), tokenizers.Tokenizer.from_file(str(path))
        theirs_again = tokenizers.Tokenizer.from_str(ours.to_bytes("tokenizer.json").decode())
        for name in ("tokenizer.json", "mill", "mill.json"):
            assert bytemill.Tokenizer(bytemill._core.from_bytes(ours.to_bytes(name))) == ours, (seed, name)
        for sample in [*(random_bpe.text(rng) for _ in range(8)), *generated(8, seed)]:
            assert differences(theirs, ours, sample) == [], (seed, sample)
            assert theirs_again.encode(sample).ids == ours.encode(sample), (seed, sample)
            assert ours.count(sample) == len(ours.encode(sample)), (seed, sample)


@pytest.mark.parametrize("share", range(4))
def test_random_models_against_the_reference(share: int, tmp_path: Path) -> None:
    for seed in range(share, MODELS, 4):
        rng = random.Random(seed)
        definition = {**file(rng), "normalizer": None, "pre_tokenizer": None}
        path = tmp_path / "tokenizer.json"
        path.write_text(json.dumps(definition))
        ours = bytemill.load(path)
        reference = WordPiece(**{key: value for key, value in definition["model"].items() if key != "type"})
        for _ in range(20):
            sample = random_bpe.text(rng)
            assert ours.encode(sample) == reference.encode(sample), (seed, sample)


@pytest.mark.shared
@pytest.mark.parametrize("lowercase", [True, False])
def test_vocab_txt(lowercase: bool, shared: Path) -> None:
    path = shared / "models" / "bert-base-uncased" / "vocab.txt"
    theirs = BertWordPieceTokenizer(str(path), lowercase=lowercase)
    ours = bytemill.load(path, normalizer=None if lowercase else "bert_cased")
    for name, text in [*files(shared, sample=None if MATRIX else 2_000), *enumerate(generated(500))]:
        expected, found = theirs.encode(text), ours(text, offsets=True)
        assert (found.ids, found.offsets) == (expected.ids, expected.offsets), name
        assert (found.tokens, found.word_ids) == (expected.tokens, expected.word_ids), name
        assert ours.decode(found.ids) == theirs.decode(expected.ids, skip_special_tokens=False), name
        assert theirs.encode(text, add_special_tokens=False).ids == ours.encode(text), name
