"""The first assignment of CS336: its published expectations, on its fixtures."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from bytemill.compat import cs336
from bytemill.errors import FormatError, SpecError

from ..conftest import need

need("tiktoken")
need("tokenizers")

from .shared_models import TIKTOKEN, encoding  # noqa: E402

pytestmark = [pytest.mark.peer, pytest.mark.shared]

END = "<|endoftext|>"


@pytest.fixture
def fixtures(shared: Path) -> Path:
    return shared / "corpora" / "cs336"


@pytest.fixture
def gpt2(shared: Path) -> Any:
    return encoding("r50k_base", shared / "models" / TIKTOKEN["r50k_base"])


def tokenizer(fixtures: Path, special_tokens: list[str] | None = None) -> cs336.Tokenizer:
    return cs336.Tokenizer.from_files(fixtures / "gpt2_vocab.json", fixtures / "gpt2_merges.txt", special_tokens)


def test_train_bpe(fixtures: Path) -> None:
    started = time.perf_counter()
    vocab, merges = cs336.train_bpe(fixtures / "corpus.en", 500, [END])
    seconds = time.perf_counter() - started
    lines = (fixtures / "train-bpe-reference-merges.txt").read_text(encoding="utf-8").splitlines()
    expected = [tuple(cs336._bytes_of(part) for part in line.split(" ")) for line in lines]
    assert merges == expected
    written = json.loads((fixtures / "train-bpe-reference-vocab.json").read_text(encoding="utf-8"))
    assert set(vocab) == set(written.values())
    assert set(vocab.values()) == {cs336._bytes_of(token) for token in written}
    # The course allows 1.5 s.
    assert seconds < 1.5


def test_special_tokens_are_never_split(fixtures: Path, tmp_path: Path) -> None:
    text = (fixtures / "tinystories_sample.txt").read_text(encoding="utf-8")
    (tmp_path / "stories.txt").write_text(f"{text}{END}" * 20, encoding="utf-8")
    vocab, _ = cs336.train_bpe(tmp_path / "stories.txt", 1000, [END])
    assert [token for token in vocab.values() if b"<|" in token] == [END.encode()]


TEXTS = ["", "s", "🙃", "Hello, how are you?", "Héllò hôw are ü? 🙃", f"Héllò {END} hôw{END}{END} ü? 🙃{END}"]


@pytest.mark.parametrize("text", TEXTS)
def test_strings(text: str, fixtures: Path, gpt2: Any) -> None:
    tok = tokenizer(fixtures, [END])
    ids = tok.encode(text)
    assert ids == gpt2.encode(text, allowed_special={END})
    assert tok.decode(ids) == text


FILES = [
    "address.txt",
    "german.txt",
    "tinystories_sample.txt",
    "special_token_trailing_newlines.txt",
    "special_token_double_newlines_non_whitespace.txt",
    "corpus.en",
]


@pytest.mark.parametrize("name", FILES)
def test_files(name: str, fixtures: Path, gpt2: Any) -> None:
    tok = tokenizer(fixtures, [END])
    text = (fixtures / name).read_text(encoding="utf-8")
    ids = tok.encode(text)
    assert ids == gpt2.encode(text, allowed_special={END})
    with (fixtures / name).open(encoding="utf-8") as lines:
        assert list(tok.encode_iterable(lines)) == ids
    assert tok.decode(ids) == text


def test_the_longest_special_token_wins(fixtures: Path) -> None:
    tok = tokenizer(fixtures, [END, END + END])
    ids = tok.encode(f"a{END}{END}b{END}")
    assert [tok.decode([id]) for id in ids] == ["a", END + END, "b", END]
    assert tok.special_tokens == {END: 50256, END + END: 50257}
    assert tok.decode([50257, 222]) == END + END + "\ufffd"


def test_what_does_not_fit_is_named(fixtures: Path, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="merges has the token b'xyz', which vocab has not"):
        cs336.Tokenizer({0: b"a"}, [(b"a", b"xyz")])
    (tmp_path / "merges.txt").write_text("a b\na b c\n")
    with pytest.raises(FormatError, match="line 2: 'a b c' has 3 parts, expected 2"):
        cs336.Tokenizer.from_files(fixtures / "gpt2_vocab.json", tmp_path / "merges.txt")
