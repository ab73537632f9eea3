"""The documented exit codes, and that no way to fail shows a traceback."""

from __future__ import annotations

import base64
import subprocess
import sys
from pathlib import Path

import pytest

import bytemill
from bytemill.cli import exits
from bytemill.cli.exits import Failure, explain, nearest_path

from .conftest import COMMAND, environment


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--version"], exits.OK),
        (["--help"], exits.OK),
        (["count", "words.mill", "corpus.txt"], exits.OK),
        (["count", "words.mill", "missing.txt"], exits.FAILED),
        (["count", "corpus.txt", "corpus.txt"], exits.FAILED),
        (["count", "words.mill", "latin1.txt"], exits.FAILED),
        (["encode", "words.mill", "latin1.txt"], exits.FAILED),
        (["encode", "words.mill", "corpus.txt", "-o", "corpus.bin", "--specials", "refuse"], exits.OK),
        (["inspect", "words.mill", "a<EOS>", "--specials", "refuse"], exits.FAILED),
        ([], exits.USAGE),
        (["cuont"], exits.USAGE),
        (["count"], exits.USAGE),
        (["count", "words.mill", "--nonsense"], exits.USAGE),
        (["count", "words.mill", "corpus.txt", "--threads", "0"], exits.USAGE),
        (["train", "corpus.txt"], exits.USAGE),
        (["train", "corpus.txt", "-o", "-"], exits.USAGE),
        (["convert", "words.mill", "-"], exits.USAGE),
        (["check", "words.mill", "texts"], exits.OK),
        (["encode", "words.mill", "corpus.txt", "-o", "out.txt"], exits.USAGE),
        (["encode", "words.mill", "corpus.txt", "--append", "<nope>"], exits.USAGE),
        (["train", "corpus.txt", "-o", "out.mill", "--lowercase", "--normalizer", "nfc"], exits.USAGE),
        (["train", "corpus.txt", "-o", "out.mill", "--family", "char", "--split-cjk"], exits.USAGE),
    ],
)
def test_code(invoke, arguments, code):
    actual, _, err = invoke(*arguments)
    assert actual == code, err
    assert "Traceback" not in err
    assert err.startswith("error: ") == (code != exits.OK and arguments != [])


def test_debug_shows_the_traceback(process):
    done = process("--debug", "count", "words.mill", "missing.txt")
    assert done.returncode == 1
    assert b"Traceback" in done.stderr


def test_a_mistake_of_ours_is_reported_without_a_traceback():
    assert explain(ZeroDivisionError("division by zero")) == Failure(
        exits.FAILED,
        "unexpected ZeroDivisionError: division by zero",
        "this is a bug in bytemill; please report what `bytemill --debug …` shows",
    )


def test_os_errors_name_the_file():
    assert explain(PermissionError(13, "Permission denied", "x.txt")).message == "x.txt: Permission denied"
    assert explain(OSError(28, "No space left on device")).message == "No space left on device"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_an_error(folder):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, "count", "words.mill", "corpus.txt"],
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(),
        )
    assert (done.returncode, done.stderr) == (1, b"error: No space left on device\n")


def test_the_reader_of_a_pipe_may_leave(folder):
    Path("long.txt").write_text("the cat\n" * 200_000)
    with subprocess.Popen(
        [*COMMAND, "encode", "words.mill", "long.txt", "--input-format", "lines"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as running:
        running.stdout.readline()
        running.stdout.close()
        assert (running.wait(10), running.stderr.read()) == (exits.BROKEN_PIPE, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell that closes streams")
def test_streams_may_be_closed(folder):
    def run(arguments: str) -> tuple[int, bytes, bytes]:
        command = " ".join([*COMMAND, arguments])
        done = subprocess.run(command, shell=True, capture_output=True, env=environment())
        return done.returncode, done.stdout, done.stderr

    assert run("count words.mill corpus.txt >&-") == (exits.OK, b"", b"")
    assert run("encode words.mill corpus.txt -o closed.bin >&- 2>&-") == (exits.OK, b"", b"")
    assert Path("closed.bin").stat().st_size > 0
    assert run("count words.mill missing.txt 2>&-") == (exits.FAILED, b"", b"")
    code, _, told = run("encode words.mill <&-")
    assert (code, told) == (
        exits.USAGE,
        b"error: there is no source, and standard input is closed; name a file\n",
    )


@pytest.mark.parametrize(
    ("given", "near"),
    [
        ("corpis.txt", "corpus.txt"),
        ("text/a.txt", "texts"),
        ("texts/aa.txt", "texts/a.txt"),
        ("zzz", None),
        ("texts/a.txt/b", None),
    ],
)
def test_nearest_path(folder, given, near):
    assert nearest_path(Path(given)) == (None if near is None else Path(near))
    if near is not None:
        assert nearest_path(folder / given) == folder / near


def test_ranks_are_converted_and_verified(invoke, folder):
    tokens = [bytes([byte]) for byte in range(256)] + [b"ab"]
    lines = [f"{base64.b64encode(token).decode()} {rank}" for rank, token in enumerate(tokens)]
    (folder / "r50k_base.tiktoken").write_text("\n".join(lines))
    assert invoke("convert", "r50k_base.tiktoken", "a.mill")[0] == exits.OK
    assert invoke("convert", "a.mill", "b.tiktoken")[0] == exits.OK
    assert (folder / "b.tiktoken").read_text().split() == (folder / "r50k_base.tiktoken").read_text().split()


def test_what_ranks_do_not_say_is_given(invoke, folder):
    tokens = [bytes([byte]) for byte in range(256)] + [b"ab"]
    lines = [f"{base64.b64encode(token).decode()} {rank}" for rank, token in enumerate(tokens)]
    (folder / "own.tiktoken").write_text("\n".join(lines))
    code, _, told = invoke("convert", "own.tiktoken", "a.mill")
    assert code == exits.FAILED and "--pattern" in told
    given = ["--special", "<|end|>=300"]
    assert invoke("convert", "own.tiktoken", "a.mill", "--pattern", "gpt2", *given)[0] == exits.OK
    assert invoke("convert", "own.tiktoken", "b.mill", "--pattern", r"\w+|\W+", *given)[0] == exits.OK
    assert bytemill.load("a.mill").encode("ab cab<|end|>", specials="all") == [256, 32, 99, 256, 300]
    assert bytemill.load("b.mill").encode("ab cab<|end|>", specials="all") == [256, 32, 99, 256, 300]
    assert invoke("convert", "own.tiktoken", "c.mill", "--pattern", "gpt2", "--special", "<|end|>")[0] == exits.USAGE
    assert invoke("convert", "own.tiktoken", "c.mill", "--pattern", "gpt3")[0] == exits.USAGE
