"""What every engine must show; its own file starts it."""

from __future__ import annotations

import dataclasses
import os
import signal
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill.engines import Engine
from bytemill.engines.job import Shuffle, Told, Work
from bytemill.engines.shards import Shard
from bytemill.errors import FormatError
from tests.effort import ALL
from tests.engines.corpora import SHARD_BYTES, counted, everything
from tests.engines.killing import Killer, Prey, Slowly

#: Nodes that are killed while shards are counted, and as many while they are encoded. Each takes seconds to come back.
NODES_KILLED = 5 if ALL else 1
HOW = {"shard_bytes": SHARD_BYTES, "append": "<end>", "split": 0.2, "progress": False}


@dataclasses.dataclass
class Slow:
    """An engine whose work takes its time."""

    engine: Engine
    folder: Path
    rest: float = Prey.rest

    def map(self, work: Work, shards: Sequence[Shard], told: Told) -> list[Any]:
        return self.engine.map(Slowly(work, self.folder, self.rest), shards, told)

    def shuffle(self, shuffle: Shuffle, shards: Sequence[Shard], told: Told) -> list[Any]:
        slow = dataclasses.replace(shuffle, work=Slowly(shuffle.work, self.folder, self.rest))
        return self.engine.shuffle(slow, shards, told)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def encoded(corpus: Path, folder: Path, engine: Engine | None, **how: Any) -> dict[str, bytes]:
    folder.mkdir(exist_ok=True)
    tok = bytemill.train(corpus, bytemill.BPE(300), special_tokens=["<end>"], progress=False)
    tok.encode_files(corpus, folder / "{split}.bin", engine=engine, **HOW, **how)
    return contents(folder)


def same_as_one_machine(corpora: dict[str, Path], folder: Path, engine: Engine, every: bool) -> None:
    """Counts, tokenizers and token files; with `every`, of every kind."""
    if every:
        expected = dict(everything(corpora, folder, None))
        for name, found in everything(corpora, folder, engine):
            assert found == expected[name], name
    else:
        expected_counts, found_counts = (
            counted(corpora["mixed"], folder / "x.counts", by, True) for by in (None, engine)
        )
        assert expected_counts == found_counts
    parts_are_the_counts(corpora["lines"], folder, engine, order=every)
    for name, corpus in corpora.items():
        assert encoded(corpus, folder / f"{name}-found", engine) == encoded(corpus, folder / f"{name}-one", None)


def parts_are_the_counts(corpus: Path, folder: Path, engine: Engine, order: bool) -> None:
    """Workers write several files, which joined are the counts of one machine."""
    how = {"shard_bytes": SHARD_BYTES // 8, "order": order, "progress": False}
    places = bytemill.count_parts(corpus, folder / "parts", engine=engine, **how)
    assert len(places) > 1 and contents(folder / "parts").keys() == {Path(place).name for place in places}
    parts = [bytemill.PieceCounts.load(place) for place in places]
    bytemill.PieceCounts.merge(parts, progress=False).save(folder / "joined.counts")
    bytemill.count_pieces(corpus, order=order, progress=False).save(folder / "one.counts")
    assert (folder / "joined.counts").read_bytes() == (folder / "one.counts").read_bytes()


def survives_kills(
    corpora: dict[str, Path], folder: Path, engine: Engine, kills: int, prey: Prey | None = None
) -> None:
    """Workers are killed while they count, and while they write: the results are those of an undisturbed run."""
    marks, prey = folder / "marks", prey or Prey()
    marks.mkdir()
    slow = Slow(engine, marks, prey.rest)
    expected = counted(corpora["lines"], folder / "x.counts", None, True)
    killer = Killer(marks, kills, 1, prey)
    found = killer.while_doing(lambda: counted(corpora["lines"], folder / "x.counts", slow, True))
    assert found == expected and len(killer.killed) == kills
    left_behind(marks)
    killer = Killer(marks, kills, 2, prey)
    files = killer.while_doing(lambda: encoded(corpora["lines"], folder / "found", slow))
    assert files == encoded(corpora["lines"], folder / "one", None) and len(killer.killed) == kills


def left_behind(marks: Path) -> None:
    """The marks of processes that were killed."""
    for mark in marks.iterdir():
        mark.unlink()


def a_bad_row_ends_the_job_or_is_skipped(folder: Path, engine: Engine) -> None:
    rows = folder / "rows.jsonl"
    rows.write_text('{"text": "good"}\n' * 100 + '{"text": null}\n' + '{"text": "good"}\n' * 100)
    for order in (False, True):
        with pytest.raises(FormatError, match=r"rows.jsonl from byte 1,513, line 12: .*\(shard 4 of 7: "):
            bytemill.count_pieces(rows, engine=engine, shard_bytes=500, progress=False, order=order)
    tok = bytemill.train(rows, bytemill.Word(), errors="skip", progress=False)
    with pytest.raises(FormatError, match=r"rows.jsonl from byte 1,513, line 12: "):
        tok.encode_files(rows, folder / "bad.bin", engine=engine, shard_bytes=500, progress=False)
    report = tok.encode_files(rows, folder / "r.bin", engine=engine, shard_bytes=500, progress=False, errors="skip")
    assert (report.documents, report.skipped_rows) == (200, 1)


def an_interrupt_leaves_finished_shards(corpora: dict[str, Path], folder: Path, engine: Engine) -> None:
    """Ctrl-C while shards are under way; the same call goes on from those that were done."""
    marks = folder / "marks"
    marks.mkdir()
    found = folder / "found"
    told: list[float] = []

    def interrupt(progress: bytemill.progress.Progress) -> None:  # type: ignore[name-defined]
        told.append(progress.done)
        if len(told) == 2:
            threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()

    how = {**HOW, "progress": interrupt}
    tok = bytemill.train(corpora["lines"], bytemill.BPE(300), special_tokens=["<end>"], progress=False)
    found.mkdir()
    with pytest.raises(KeyboardInterrupt):
        tok.encode_files(corpora["lines"], found / "{split}.bin", engine=Slow(engine, marks), **how)
    finished = {path.name: path.stat().st_mtime_ns for path in found.glob("*.bin")}
    assert finished
    again = encoded(corpora["lines"], found, engine, resume=True)
    assert again == encoded(corpora["lines"], folder / "one", None)
    assert all((found / name).stat().st_mtime_ns == when for name, when in finished.items())
