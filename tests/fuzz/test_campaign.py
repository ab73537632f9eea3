"""Records of fuzzing add up, each round once."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..conftest import need

need("tokenizers")
need("sentencepiece")
need("google.protobuf")
need("tiktoken")
need("xxhash")

from .campaign import Record, apart, page, read  # noqa: E402

pytestmark = pytest.mark.peer


def record(seed: int, rounds: int, found: int = 0) -> Record:
    return Record("files", seed, rounds, 10 * rounds, found, "1.0 abc")


def test_rounds_in_common_count_once() -> None:
    assert apart([record(0, 10), record(10, 5), record(5, 20)]) == [record(5, 20)]
    assert apart([record(0, 10), record(10, 5)]) == [record(0, 10), record(10, 5)]


def test_records_of_several_machines_are_one_page(tmp_path: Path) -> None:
    for name, seed in (("a", 0), ("b", 1000)):
        record(seed, 1000, found=1).append(tmp_path / name)
    shown = page(read([tmp_path / "a", tmp_path / "b"]))
    assert "| 2,000 | 20,000 | 2 |" in shown and "Versions: 1.0 abc." in shown
