"""Long work that is stopped: by Ctrl-C, or by its own progress callback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bytemill
from bytemill.progress import Progress
from tests.samples import words

START = """
import sys, time
from pathlib import Path
import bytemill

folder = Path(sys.argv[1])
tok = bytemill.load(folder / "a.mill")

def endless():
    i = 0
    while True:
        i += 1
        yield f"word{i % 5000} and " * 1000

def different():
    i = 0
    while True:
        i += 1
        yield " ".join(f"{i:x}-{j:x}" for j in range(100))

def slow():
    while True:
        time.sleep(0.01)
        yield "the cat"

counts = bytemill.PieceCounts.from_dict({f"word{i}": 1 for i in range(50_000)})
texts = ["the cat, sat on the mat. " * 4000] * 200
print("ready", flush=True)
try:
    while True:
        WORK
except KeyboardInterrupt:
    print("stopped", flush=True)
"""

WORK = {
    "train on documents": "bytemill.train(endless(), bytemill.Word(), progress=False)",
    "train on one thread": "bytemill.train(endless(), bytemill.Char(), progress=False, threads=1)",
    "train on slow documents": "bytemill.train(slow(), bytemill.Word(), progress=False)",
    "train on files": "bytemill.train([folder / 'a.txt'] * 100, bytemill.Word(), progress=False)",
    "count pieces": "bytemill.count_pieces([folder / 'a.txt'] * 100, progress=False)",
    "count pieces that go to disk": "bytemill.count_pieces(different(), memory='1B', progress=False)",
    "merge counts": "bytemill.PieceCounts.merge([counts] * 100, progress=False)",
    "merge counts on disk": "bytemill.PieceCounts.merge([counts] * 100, memory='1B', progress=False)",
    "encode_batch": "tok.encode_batch(texts * 50)",
    "encode_batch on one thread": "tok.encode_batch(texts * 50, threads=1)",
    "count_batch": "tok.count_batch(texts * 50)",
    "encode_files": "tok.encode_files([folder / 'a.txt'] * 100, folder / 'out.bin', progress=False)",
    "encode_iterable": "for _ in tok.encode_iterable(endless()): pass",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("interrupts")
    words(["the cat"]).save(folder / "a.mill")
    (folder / "a.txt").write_text("the cat, sat on the mat. " * 400_000)
    return folder


@pytest.mark.parametrize("work", WORK)
def test_ctrl_c_stops_at_once_and_leaves_nothing(work: str, folder: Path) -> None:
    before = sorted(path.name for path in folder.iterdir() if path.name != "out.bin")
    process = subprocess.Popen(
        [sys.executable, "-c", START.replace("WORK", WORK[work]), str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        sent = time.monotonic()
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=10)
        took = time.monotonic() - sent
    finally:
        process.kill()
    assert (process.returncode, out, err) == (0, "stopped\n", "")
    # Mostly the end of the interpreter; the machine may be busy with other tests.
    assert took < 5
    assert sorted(path.name for path in folder.iterdir() if path.name != "out.bin") == before


class Enough(Exception):
    pass


def stop(progress: Progress) -> None:
    raise Enough(progress.phase)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_callback_that_raises_stops_a_training(threads: int) -> None:
    def endless():
        while True:
            yield "the cat " * 1000

    with pytest.raises(Enough, match="counting"):
        bytemill.train(endless(), bytemill.Word(), threads=threads, progress=stop)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_callback_that_raises_stops_the_encoding_of_files(threads: int, folder: Path) -> None:
    (folder / "out.bin").write_text("old")
    with pytest.raises(Enough, match="encoding"):
        words(["the cat"]).encode_files([folder / "a.txt"] * 100, folder / "out.bin", threads=threads, progress=stop)
    assert (folder / "out.bin").read_text() == "old"
    assert sorted(path.name for path in folder.iterdir()) == ["a.mill", "a.txt", "out.bin"]


def test_what_a_callback_raises_ends_the_work_even_if_it_is_no_exception() -> None:
    def leave(progress: Progress) -> None:
        raise SystemExit(7)

    def endless():
        while True:
            yield "the cat " * 1000

    with pytest.raises(SystemExit) as caught:
        bytemill.train(endless(), bytemill.Word(), progress=leave)
    assert caught.value.code == 7


def test_an_exception_of_the_documents_wins_over_no_progress() -> None:
    def documents():
        yield from ["the cat"] * 10_000
        raise Enough("documents")

    for threads in (1, 2):
        with pytest.raises(Enough, match="documents"):
            bytemill.train(documents(), bytemill.Word(), threads=threads, progress=False)


def test_before_the_first_array() -> None:
    """What numpy is asked once, in Python, is asked when the core is imported, where an interrupt is an exception."""
    script = """
import numpy.lib

def interrupted(version):
    raise KeyboardInterrupt

numpy.lib.NumpyVersion = interrupted
try:
    import bytemill
    bytemill.Tokenizer
except KeyboardInterrupt:
    print("stopped")
"""
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (found.stdout, found.stderr) == ("stopped\n", "")
