"""Records of fuzzing add up, each round once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..conftest import need

need("tokenizers")
need("sentencepiece")
need("google.protobuf")
need("tiktoken")
need("xxhash")

from .calls import CALLS  # noqa: E402
from .campaign import Record, apart, page, read  # noqa: E402
from .rounds import case_of  # noqa: E402
from .worker import Worker  # noqa: E402

pytestmark = pytest.mark.peer


def record(seed: int, rounds: int, found: int = 0) -> Record:
    return Record("files", seed, rounds, 10 * rounds, 60 * rounds, 0, 1800, found, "bytemill 1.0 (abc)")


def test_rounds_in_common_count_once() -> None:
    assert apart([record(0, 10), record(10, 5), record(5, 20)]) == [record(5, 20)]
    assert apart([record(0, 10), record(10, 5)]) == [record(0, 10), record(10, 5)]


def test_records_of_several_machines_are_one_page(tmp_path: Path) -> None:
    for name, seed in (("a", 0), ("b", 1000)):
        record(seed, 1000, found=1).append(tmp_path / name)
    shown = page(read([tmp_path / "a", tmp_path / "b"]))
    assert "| 2,000 | 20,000 | 120,000 | 0 | 2 |" in shown
    assert "It took 1.0 hours" in shown and "\n- bytemill 1.0 (abc)\n" in shown


def test_a_crash_and_a_hang_are_kept_with_their_round(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker is one that does what the case says; it is started again after each."""
    worker = Worker(tmp_path)
    try:
        assert worker.run("calls", 1).done == {"calls": CALLS}
        worker.process.kill()
        worker.process.join()
        assert worker.run("calls", 2).outcome == "FOUND"
        assert json.loads((tmp_path / "calls-2.json").read_text()) == {"attack": "calls", **case_of("calls", 2)}
        monkeypatch.setattr("tests.fuzz.worker.MOST_SECONDS", 0.0)
        assert worker.run("calls", 3).outcome == "FOUND"
    finally:
        worker.stop()
