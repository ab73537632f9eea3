"""BPE training in little memory: the same result, with what does not fit in files without names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import bytemill

TEXTS = [f"word{i % 997} wording {i * i % 503} Wörter{i * 7919 % 1009}" for i in range(4000)]
TIES = ["bytemill", "huggingface", "tiktoken", "cs336", "sentencepiece", "rustbpe"]


def learn(memory: str | None, source: Any = TEXTS, **options: Any) -> bytemill.Tokenizer:
    return bytemill.train(source, bytemill.BPE(vocab_size=600, **options), memory=memory, progress=False)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("memory", ["1B", "50KB", "1MB", "2GB"])
@pytest.mark.parametrize("ties", TIES)
def test_memory_changes_nothing(ties: str, memory: str) -> None:
    expected, found = learn(None, ties=ties), learn(memory, ties=ties)
    assert found == expected
    assert found.merges() == expected.merges()
    assert found.training_stats is not None and expected.training_stats is not None
    assert found.training_stats["tokens"] == expected.training_stats["tokens"]


def test_nor_does_it_of_characters_and_marks() -> None:
    for options in ({"byte_level": False}, {"byte_level": False, "end_of_word_suffix": "</w>"}):
        assert learn("1B", **options) == learn(None, **options)


def test_nor_does_it_in_a_training_that_goes_on() -> None:
    known = bytemill.train(TEXTS[:100], bytemill.BPE(vocab_size=300), progress=False)
    spec = bytemill.BPE(vocab_size=500)
    expected = bytemill.train(TEXTS, spec, continue_from=known, progress=False)
    assert bytemill.train(TEXTS, spec, continue_from=known, memory="1B", progress=False) == expected


def test_nor_does_it_in_a_training_from_counts() -> None:
    counts = bytemill.count_pieces(TEXTS, pretokenizer="o200k", progress=False)
    assert learn("1B", counts) == learn(None)


def test_files_of_a_training_have_no_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    seen: list[Path] = []
    bytemill.train(TEXTS, bytemill.BPE(vocab_size=300), memory="1B", progress=lambda _: seen.extend(tmp_path.iterdir()))
    assert seen == []


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the size of files")
def test_a_disk_that_is_full_is_an_error() -> None:
    script = (
        "import resource, bytemill\n"
        "counts = bytemill.PieceCounts.from_dict({f'word{i}': 1 for i in range(50_000)})\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "try:\n"
        "    bytemill.train(counts, bytemill.BPE(vocab_size=300), memory='1B', progress=False)\n"
        "except OSError as error:\n"
        "    print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "File too large" in run.stdout
