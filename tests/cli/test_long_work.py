"""Long work: a bar on a terminal and silence elsewhere; Ctrl-C and SIGTERM stop it at once and leave nothing."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bytemill.progress import Progress, amount, watching

from .conftest import COMMAND, environment

pty = pytest.importorskip("pty", reason="terminals and signals of POSIX")

#: 2,000 times the same 5 MB: minutes of work that need no room on the disk.
LONG = ["long.txt"] * 2_000


@pytest.fixture
def long_text(folder: Path) -> Path:
    path = Path("long.txt")
    path.write_text("The cat sat on the mat, and the dog ran.\n" * 125_000)
    return path


def wait_until(is_so: Callable[[], bool]) -> None:
    """However slow the machine is."""
    deadline = time.monotonic() + 30
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.05)


def has_open(process: subprocess.Popen[bytes], name: str) -> bool:
    """Whether a process is reading a file; where the system does not tell, it is given time to."""
    files = Path("/proc", str(process.pid), "fd")
    if not files.exists():
        time.sleep(1.2)
        return True
    try:
        return any(file.readlink().name == name for file in files.iterdir())
    except OSError:  # closed while we looked
        return False


@pytest.mark.long
@pytest.mark.parametrize(
    "arguments",
    [
        ["encode", "chars.mill", *LONG, "-o", "out.bin"],
        ["train", *LONG, "-o", "out.mill", "--family", "word"],
        ["count", "chars.mill", *LONG],
        ["encode", "chars.mill", *LONG, "--input-format", "lines"],
    ],
    ids=["encode to a file", "train", "count", "encode to stdout"],
)
@pytest.mark.parametrize(
    ("number", "outcome"), [(signal.SIGINT, (130, b"interrupted\n")), (signal.SIGTERM, (143, b"terminated\n"))]
)
def test_signals_that_end_work(
    long_text: Path,
    tmp_path_factory: pytest.TempPathFactory,
    arguments: list[str],
    number: signal.Signals,
    outcome: tuple[int, bytes],
) -> None:
    before = set(Path().iterdir())
    scratch = tmp_path_factory.mktemp("scratch")
    with subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment(TMPDIR=str(scratch)),
    ) as running:
        wait_until(lambda: has_open(running, "long.txt") or running.poll() is not None)
        assert running.poll() is None, running.stderr.read()
        running.send_signal(number)
        started = time.monotonic()
        code = running.wait(10)
        waited = time.monotonic() - started
        assert (code, running.stderr.read()) == outcome
    assert waited < 5
    assert set(Path().iterdir()) == before
    assert list(scratch.iterdir()) == []


def test_ctrl_c_with_a_checkpoint(process, long_text: Path) -> None:
    family = ["--family", "word"]
    command = ["train", *LONG[:150], "-o", "out.mill", *family, "--checkpoint", "c", "--threads", "1"]
    with subprocess.Popen([*COMMAND, *command], stderr=subprocess.PIPE, env=environment()) as running:
        wait_until(lambda: has_open(running, "long.txt") or running.poll() is not None)
        running.send_signal(signal.SIGINT)
        code = running.wait(10)
        note = b"note: the counts so far are in c; the same command continues from there\n"
        assert (code, running.stderr.read()) == (130, note + b"interrupted\n")
    assert Path("c").exists()
    refused = process(*command, "--special", "cat")
    assert refused.returncode == 2
    assert b"with other special tokens than those that are given now" in refused.stderr
    assert b"or name another with --checkpoint\n" in refused.stderr
    assert process(*command).returncode == 0
    assert not Path("c").exists()
    assert process("train", *LONG[:150], "-o", "straight.mill", *family).returncode == 0
    assert Path("out.mill").read_bytes() == Path("straight.mill").read_bytes()


def test_ctrl_c_while_reading_standard_input(folder: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "train", "-", "-o", "out.mill"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(TMPDIR=str(folder / "texts")),
    ) as running:
        wait_until(lambda: any(Path("texts").glob("bytemill-*/stdin.txt")))
        running.send_signal(signal.SIGINT)
        assert running.wait(5) == 130
    assert sorted(path.name for path in Path("texts").iterdir()) == ["a.txt", "b.txt"]


def on_a_terminal(*arguments: str) -> str:
    """What a command shows when standard error is a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.DEVNULL, stderr=theirs, env=environment(TERM="xterm")
    ) as running:
        os.close(theirs)
        shown = b""
        while select.select([ours], [], [], 20)[0]:
            try:
                shown += os.read(ours, 1 << 16)
            except OSError:  # the other end is closed
                break
        assert running.wait(10) == 0
    os.close(ours)
    return shown.decode()


def test_a_bar_on_a_terminal_and_silence_elsewhere(process, long_text: Path) -> None:
    shown = on_a_terminal("encode", "chars.mill", *LONG[:30], "-o", "out.bin", "--threads", "1")
    assert " of 153.8 MB" in shown
    assert "MB/s" in shown
    assert " left" in shown
    assert process("encode", "chars.mill", "long.txt", "-o", "out.bin", "--json").stderr == b""


def test_the_amount_beside_the_bar() -> None:
    assert amount(Progress("x", 25_000_000, 100_000_000, "bytes", 0.5)) == "25.0 MB of 100.0 MB  50.0 MB/s  0:02 left"
    assert amount(Progress("x", 300, None, "pieces", 2)) == "300 pieces  150 pieces/s"
    # What an earlier run has done is no part of the rate.
    assert (
        amount(Progress("x", 900, 1000, "pieces", 2, before=700))
        == "900 pieces of 1,000 pieces  100 pieces/s  0:01 left"
    )
    encoding = Progress("encoding", 1000, 2000, "bytes", 1, documents=12, tokens=3456)
    assert amount(encoding) == "1.0 kB of 2.0 kB  1.0 kB/s  0:01 left  12 documents  3,456 tokens"


def test_demo(process) -> None:
    scratch = tempfile.mkdtemp(dir=".")
    done = process("demo", "--megabytes", "1", "--vocab-size", "1k", TMPDIR=scratch)
    assert (done.returncode, done.stderr) == (0, b"")
    shown = done.stdout.decode()
    for part in (
        "1,000 tokens trained in ",
        "characters: 51 tokens",
        "bpe: ",
        "[<UNK>:zebra]",
        " from 1.00 to ",
        "every byte is the same",
        "the same ids",
        "👩\u200d🚀",
        'refused: the text contains the special token "<|endoftext|>"',
        "bytemill train my.txt -o tokenizer.json",
    ):
        assert part in shown, part
    assert "\x1b" not in shown
    assert list(Path(scratch).iterdir()) == []


def test_the_demo_in_colour(process) -> None:
    done = process("demo", "--megabytes", "0.3", "--vocab-size", "500", FORCE_COLOR="1", TERM="xterm-256color")
    assert done.returncode == 0
    assert b"\x1b[30;48;5;" in done.stdout


def test_work_that_goes_on_does_not_count_what_was_there(monkeypatch):
    clock = iter([0.0, 0.0, 10.0, 12.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    told = []
    with watching(told.append, resumes=True) as watcher:
        watcher("encoding", 5000, 9000, "bytes")
        watcher("encoding", 6000, 9000, "bytes")
    assert [(progress.rate, progress.seconds_left) for progress in told] == [(0.0, None), (500.0, 6.0)]
