"""`load` of a name, beside what the other libraries load by it from the same caches, made of the shared models."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pytest

import bytemill
from bytemill._caches import tiktoken as cache

from ..conftest import need

tiktoken = need("tiktoken")
reading = need("tiktoken.load")
tokenizers = need("tokenizers")

pytestmark = [pytest.mark.peer, pytest.mark.shared]

TEXT = "Hello wörld, 12345 tokens!\n\n\tdef f(x): return x  # 你好 <|endoftext"
GPT2 = "https://openaipublic.blob.core.windows.net/gpt-2/encodings/main/"
FILES = {
    "r50k_base": "openai-gpt2/r50k_base.tiktoken",
    "p50k_base": "openai-p50k/p50k_base.tiktoken",
    "p50k_edit": "openai-p50k/p50k_base.tiktoken",
    "cl100k_base": "openai-cl100k/cl100k_base.tiktoken",
    "o200k_base": "openai-o200k/o200k_base.tiktoken.gz",
    "o200k_harmony": "openai-o200k/o200k_base.tiktoken.gz",
}


def content(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


@pytest.mark.parametrize("name", [*FILES, "gpt2"])
def test_encodings_are_those_of_tiktoken(
    name: str, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    models = shared / "models"
    if name == "gpt2":
        for address, file in (("vocab.bpe", "merges.txt"), ("encoder.json", "vocab.json")):
            cached = hashlib.sha1((GPT2 + address).encode()).hexdigest()
            (tmp_path / cached).write_bytes((models / "openai-gpt2" / file).read_bytes())
    else:
        (tmp_path / cache.FILES[name].cached_name).write_bytes(content(models / FILES[name]))
    monkeypatch.setattr(reading, "read_file", lambda path: pytest.fail(f"{path} is not in the cache"))
    ours, theirs = bytemill.load(name), tiktoken.get_encoding(name)
    assert ours.encode(TEXT) == theirs.encode(TEXT)
    assert ours.special_tokens == theirs._special_tokens
    assert ours.vocab_size == theirs.n_vocab


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("Qwen/Qwen3-8B", "qwen3/tokenizer.json.gz"),
        ("gpt2", "openai-gpt2/tokenizer.json"),
        ("google-t5/t5-base", "t5-base/tokenizer.json"),
    ],
)
def test_repositories_are_those_of_the_hub(
    name: str, file: str, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = need("huggingface_hub")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "empty"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    repository = tmp_path / f"models--{name.replace('/', '--')}"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text("c0ffee")
    (repository / "snapshots" / "c0ffee").mkdir(parents=True)
    path = repository / "snapshots" / "c0ffee" / "tokenizer.json"
    path.write_bytes(content(shared / "models" / file))
    found = hub.hf_hub_download(name, "tokenizer.json", cache_dir=tmp_path, local_files_only=True)
    assert Path(found) == path
    theirs = tokenizers.Tokenizer.from_file(found)
    assert bytemill.load(name).encode(TEXT) == theirs.encode(TEXT, add_special_tokens=False).ids
