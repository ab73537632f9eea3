"""Trainings that are stopped, in any way and at any time, go on from their checkpoint to the same end."""

from __future__ import annotations

import itertools
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill.progress import Progress
from bytemill.training import trainer

SPEC = bytemill.BPE(vocab_size=600)


class Enough(Exception):
    pass


@pytest.fixture(autouse=True)
def _checkpoints_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainer, "CHECKPOINT_SECONDS", 0.0)


@pytest.fixture(scope="module")
def text() -> str:
    chance = random.Random(4)
    words = ["".join(chance.choices("etaoinshrdlu中国é", k=chance.randint(1, 9))) for _ in range(20_000)]
    return " ".join(chance.choices(words, k=700_000))


@pytest.fixture(scope="module")
def file(text: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "text.txt"
    path.write_text(text, encoding="utf-8", newline="")
    return path


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    return tmp_path / "training.checkpoint"


def train(source: Any, spec: Any = SPEC, **options: Any) -> bytemill.Tokenizer:
    options.setdefault("progress", False)
    return bytemill.train(source, spec, **options)


def failing(documents: list[str], at: int) -> Iterator[str]:
    yield from documents[:at]
    raise Enough


def statistics(tok: bytemill.Tokenizer) -> dict[str, Any]:
    return {name: value for name, value in (tok.training_stats or {}).items() if name != "seconds"}


@pytest.mark.parametrize(
    "spec",
    [SPEC, bytemill.BPE(vocab_size=600, ties="tiktoken"), bytemill.Word(), bytemill.Char()],
    ids=["bpe", "tiktoken", "word", "char"],
)
@pytest.mark.parametrize("options", [{"threads": 1}, {"threads": 2}, {"threads": 2, "memory": "1MB"}], ids=str)
def test_documents_that_stop_coming(spec: Any, options: Any, text: str, checkpoint: Path) -> None:
    documents = [text[i : i + 10_000] for i in range(0, len(text), 10_000)]
    expected = train(documents, spec)
    counted = 0
    # The last one stops before the place that had been reached, which loses nothing.
    for at in (1, 250, 340, 100):
        with pytest.raises(Enough):
            train(failing(documents, at), spec, checkpoint=checkpoint, **options)
        counted = max(at, counted)
        assert bytemill.PieceCounts.load(checkpoint).documents == counted
    tok = train(iter(documents), spec, checkpoint=checkpoint, **options)
    assert tok == expected
    assert statistics(tok) == statistics(expected)
    assert not checkpoint.exists()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("phase", ["counting", "merging"])
def test_a_callback_that_stops_the_work(phase: str, threads: int, file: Path, checkpoint: Path) -> None:
    def stop(progress: Progress) -> None:
        if progress.phase == phase:
            raise Enough

    spec = bytemill.BPE(vocab_size=20_000, min_frequency=1)
    sources = [file] * 6
    with pytest.raises(Enough):
        train(sources, spec, threads=threads, checkpoint=checkpoint, progress=stop)
    saved = bytemill.PieceCounts.load(checkpoint)
    whole = 6 * file.stat().st_size
    assert saved.bytes == whole if phase == "merging" else 0 < saved.bytes < whole
    assert train(sources, spec, threads=threads, checkpoint=checkpoint) == train(sources, spec)
    assert not checkpoint.exists()


CHILD = """
import os, signal, sys, threading
from pathlib import Path
import bytemill
from bytemill.training import trainer

trainer.CHECKPOINT_SECONDS = 0.0
file, checkpoint, out, kind, delay, threads, memory = sys.argv[1:]
if kind != "none":
    threading.Timer(float(delay), os.kill, (os.getpid(), getattr(signal, kind))).start()
try:
    tok = bytemill.train([Path(file)] * 4, bytemill.BPE(vocab_size=8000), checkpoint=checkpoint, threads=int(threads),
        memory=memory or None, progress=False)
except KeyboardInterrupt:
    sys.exit(130)
tok.save(out)
"""


@pytest.mark.long
@pytest.mark.parametrize(("threads", "memory"), [(1, ""), (2, ""), (2, "1MB")])
@pytest.mark.parametrize("kind", ["SIGKILL", "SIGINT"])
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_killed_at_any_moment(kind: str, threads: int, memory: str, file: Path, tmp_path: Path) -> None:
    chance = random.Random(f"{kind}{threads}{memory}")
    checkpoint, out = tmp_path / "training.checkpoint", tmp_path / "out.mill"
    command = [sys.executable, "-c", CHILD, str(file), str(checkpoint), str(out)]
    codes = set()
    for _ in range(6):
        delay = chance.uniform(0.0, 0.8)
        done = subprocess.run(
            [*command, kind, str(delay), str(threads), memory], capture_output=True, text=True, timeout=60
        )
        codes.add(done.returncode)
        assert done.returncode in (0, 130, -signal.SIGKILL, -signal.SIGINT), done.stderr
        out.unlink(missing_ok=True)
    assert codes != {0}
    subprocess.run([*command, "none", "0", str(threads), memory], check=True, timeout=60)
    expected = train([file] * 4, bytemill.BPE(vocab_size=8000))
    assert bytemill.load(out) == expected
    assert not checkpoint.exists()


def test_what_decides_the_counts_must_be_the_same(tmp_path: Path, checkpoint: Path) -> None:
    documents = ["the cat", "the dog"]
    with pytest.raises(Enough):
        train(endless_after(documents), checkpoint=checkpoint, progress=stop_at_once)
    way_out = "; remove the file to begin anew, or name another with checkpoint="
    for options, why in (
        ({"pretokenizer": "gpt2"}, "was counted with other pretokenizers than those that are given now"),
        ({"normalizer": "nfc"}, "was counted with other normalizers than those that are given now"),
        ({"special_tokens": ["<x>"]}, "was counted with other special tokens than those that are given now"),
    ):
        with pytest.raises(bytemill.errors.SpecError) as caught:
            train(documents, checkpoint=checkpoint, **options)
        assert str(caught.value) == f"the checkpoint {checkpoint} {why}{way_out}"
    with pytest.raises(bytemill.errors.SpecError, match="was counted in another text than the one that is given now"):
        train(["the cow", *documents], checkpoint=checkpoint)
    with pytest.raises(bytemill.errors.SpecError, match='which ties="tiktoken" needs'):
        train(documents, bytemill.BPE(ties="tiktoken"), checkpoint=checkpoint)


def endless_after(documents: list[str]) -> Iterator[str]:
    yield from documents
    yield from itertools.repeat("x " * 1000)


def stop_at_once(_: Progress) -> None:
    raise Enough


def test_files_that_are_no_checkpoints_are_left_alone(tmp_path: Path, checkpoint: Path) -> None:
    checkpoint.write_text("my thesis")
    with pytest.raises(bytemill.errors.FormatError, match="or name another with checkpoint="):
        train(["the cat"], checkpoint=checkpoint)
    assert checkpoint.read_text() == "my thesis"
    counts = tmp_path / "a.counts"
    bytemill.count_pieces(["the cat"], pretokenizer="o200k").save(counts)
    with pytest.raises(bytemill.errors.SpecError, match="holds counts that are complete and no checkpoint"):
        train(["the cat"], checkpoint=counts)
    assert counts.exists()
    with pytest.raises(bytemill.errors.SpecError, match="is counted already; leave it out"):
        train(counts, checkpoint=checkpoint)
    with pytest.raises(FileNotFoundError, match="does not exist; create it first"):
        train(itertools.repeat("endless"), checkpoint=tmp_path / "none" / "c")


def test_a_tokenizer_that_cannot_be_saved_leaves_the_checkpoint(tmp_path: Path, checkpoint: Path) -> None:
    documents = ["the cat", "the dog"]
    with pytest.raises(OSError):
        train(documents, bytemill.Word(), checkpoint=checkpoint, save=tmp_path / "no such folder" / "tok.mill")
    assert bytemill.PieceCounts.load(checkpoint).documents == 2
    tok = train(documents, bytemill.Word(), checkpoint=checkpoint, save=tmp_path / "tok.mill")
    assert bytemill.load(tmp_path / "tok.mill") == tok and not checkpoint.exists()
