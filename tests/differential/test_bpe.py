"""Byte-level BPE tokenizer.json: ids and decoded text equal to `tokenizers` for every shared model that we read."""

import gzip
import os
from pathlib import Path

import pytest

import bytemill

from ..conftest import need

tokenizers = need("tokenizers")

from .texts import files, generated  # noqa: E402

pytestmark = [pytest.mark.peer, pytest.mark.shared]

FULL = os.environ.get("BYTEMILL_MATRIX") == "full"

MODELS = [
    "claude-legacy/tokenizer.json.gz",
    "codegen-phi2/tokenizer.json.gz",
    "deepseek-v4/tokenizer.json.gz",
    "gpt-neox/tokenizer.json.gz",
    "mistral-tekken/tokenizer.json.gz",
    "openai-cl100k/tokenizer.json.gz",
    "openai-gpt2/tokenizer.json",
    "openai-o200k/tokenizer.json.gz",
    "qwen3/tokenizer.json.gz",
    "roberta-base/tokenizer.json.gz",
    "whisper/tokenizer.json.gz",
]


@pytest.mark.parametrize("model", MODELS)
def test_every_shared_text(model: str, shared: Path, tmp_path: Path) -> None:
    path = shared / "models" / model
    data = path.read_bytes()
    theirs = tokenizers.Tokenizer.from_str((gzip.decompress(data) if path.suffix == ".gz" else data).decode())
    ours = bytemill.load(path)
    ours.save(tmp_path / "tokenizer.mill")
    again = bytemill.load(tmp_path / "tokenizer.mill")
    texts = [*files(shared, sample=None if FULL else 3_000), *enumerate(generated(100_000 if FULL else 1_000))]
    different: list[object] = []
    for name, text in texts:
        ids = theirs.encode(text, add_special_tokens=False).ids
        decoded = theirs.decode(ids, skip_special_tokens=False)
        if not ids == ours.encode(text) == again.encode(text) or decoded != ours.decode(ids):
            different.append(name)
        expected, found = theirs.encode(text), ours(text, offsets=True)
        if (expected.ids, expected.offsets, expected.word_ids) != (found.ids, found.offsets, found.word_ids):
            different.append((name, "offsets"))
    assert different == []


def test_what_we_write_is_read_alike(shared: Path, tmp_path: Path) -> None:
    ours = bytemill.load(shared / "models" / "openai-gpt2" / "tokenizer.json")
    ours.save(tmp_path / "tokenizer.json")
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    again = bytemill.load(tmp_path / "tokenizer.json")
    assert again.fingerprint == ours.fingerprint
    for text in generated(500, seed=9):
        assert ours.encode(text) == theirs.encode(text).ids == again.encode(text)
