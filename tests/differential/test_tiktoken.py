"""`.tiktoken` files: ids and decoded text equal to `tiktoken`, for every encoding in the shared folder."""

import base64
import gzip
import os
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill.errors import FormatError, SpecialTokenError

from ..conftest import need

tiktoken = need("tiktoken")
openai_public: Any = need("tiktoken_ext.openai_public")

from .texts import files, generated  # noqa: E402

pytestmark = [pytest.mark.peer, pytest.mark.shared]

FULL = os.environ.get("BYTEMILL_MATRIX") == "full"

ENCODINGS = {
    "r50k_base": "openai-gpt2/r50k_base.tiktoken",
    "p50k_base": "openai-p50k/p50k_base.tiktoken",
    "cl100k_base": "openai-cl100k/cl100k_base.tiktoken",
    "o200k_base": "openai-o200k/o200k_base.tiktoken.gz",
}


def original(name: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The encoding as `tiktoken` itself sets it up, with the ranks from the shared folder."""
    data = path.read_bytes()
    lines = (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in lines)}
    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", lambda *_, **__: ranks)
    return tiktoken.Encoding(**openai_public.ENCODING_CONSTRUCTORS[name]())


@pytest.mark.parametrize("name", ENCODINGS)
def test_every_shared_text(name: str, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = shared / "models" / ENCODINGS[name]
    theirs, ours = original(name, path, monkeypatch), bytemill.load(path)
    assert ours.vocab_size == theirs.n_vocab
    assert ours.special_tokens == theirs._special_tokens
    ours.save(tmp_path / "again.tiktoken")
    ours.save(tmp_path / "again.mill")
    again = bytemill.load(tmp_path / "again.mill")
    texts = [*files(shared, sample=None if FULL else 3_000), *enumerate(generated(100_000 if FULL else 1_000))]
    different = []
    for text_name, text in texts:
        ids = theirs.encode(text, disallowed_special=())
        found = [tok.encode(text, specials="none") for tok in (ours, again)]
        decoded = (ours.decode(ids), ours.decode_bytes(ids))
        if found != [ids, ids] or decoded != (theirs.decode(ids), theirs.decode_bytes(ids)):
            different.append(text_name)
    assert different == []


def test_special_tokens_are_refused_unless_they_are_allowed(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = shared / "models" / ENCODINGS["cl100k_base"]
    theirs, ours = original("cl100k_base", path, monkeypatch), bytemill.load(path)
    text = "a<|endoftext|>b<|endofprompt|>"
    with pytest.raises(SpecialTokenError, match=r"<\|endoftext\|>"):
        ours.encode(text)
    assert ours.encode(text, specials="all") == theirs.encode(text, allowed_special="all")
    some = {"<|endofprompt|>"}
    assert ours.encode(text, specials=some) == theirs.encode(text, allowed_special=some, disallowed_special=())


def test_an_encoding_of_another_name_is_given_by_the_caller(shared: Path, tmp_path: Path) -> None:
    known = bytemill.load(shared / "models" / ENCODINGS["r50k_base"])
    known.save(tmp_path / "mine.tiktoken")
    with pytest.raises(FormatError, match="pass pattern= and special_tokens="):
        bytemill.load(tmp_path / "mine.tiktoken")
    given = bytemill.load(tmp_path / "mine.tiktoken", pattern="gpt2", special_tokens={"<|endoftext|>": 50256})
    assert given.fingerprint == known.fingerprint


def test_harmony_has_two_names_for_an_id(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = shared / "models" / ENCODINGS["o200k_base"]
    theirs = original("o200k_harmony", path, monkeypatch)
    (tmp_path / "o200k_harmony.tiktoken.gz").write_bytes(path.read_bytes())
    ours = bytemill.load(tmp_path / "o200k_harmony.tiktoken.gz")
    assert ours.special_tokens == theirs._special_tokens
    text = "<|start|>user<|message|>hi<|end|><|endofprompt|><|reserved_200018|>"
    assert ours.encode(text, specials="all") == theirs.encode(text, allowed_special="all")
