"""The command as its users meet it: a real process in a folder of its own."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import bytemill
from bytemill.cli.app import run as run_in_process

COMMAND = [sys.executable, "-m", "bytemill"]

TEXT = "The cat sat on the mat.\nThe dog saw the cat, and the cat ran!\n"
RECORDS = [{"id": 1, "text": "the cat"}, {"id": 2, "text": "a dog\nran"}]

DROPPED = ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
TERMINAL = {"COLUMNS": "80", "TERM": "dumb", "LC_ALL": "C.UTF-8"}

Finished = subprocess.CompletedProcess[bytes]


def environment(**extra: str) -> dict[str, str]:
    """The variables of a process: a known width, and no colour unless a test asks for it."""
    kept = {name: value for name, value in os.environ.items() if name not in DROPPED}
    return {**kept, **TERMINAL, **extra}


def zstd(data: bytes) -> bytes:
    """A zstd frame of one uncompressed block, for texts below 256 bytes."""
    block = (len(data) << 3 | 1).to_bytes(3, "little")
    return bytes.fromhex("28b52ffd20") + bytes([len(data)]) + block + data


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a text in every form, and two tokenizers trained on it."""
    monkeypatch.chdir(tmp_path)
    for name in DROPPED:
        monkeypatch.delenv(name, raising=False)
    for name, value in TERMINAL.items():
        monkeypatch.setenv(name, value)
    jsonl = "".join(json.dumps(record) + "\n" for record in RECORDS)
    Path("corpus.txt").write_text(TEXT)
    Path("corpus.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    Path("corpus.txt.zst").write_bytes(zstd(TEXT.encode()))
    Path("records.jsonl").write_text(jsonl)
    Path("records.jsonl.gz").write_bytes(gzip.compress(jsonl.encode()))
    Path("latin1.txt").write_bytes("fine\ncafé\n".encode("latin-1"))
    Path("texts").mkdir()
    Path("texts/a.txt").write_text("the cat")
    Path("texts/b.txt").write_text("the dog")
    bytemill.train(Path("corpus.txt"), bytemill.Word(), progress=False).save("words.mill")
    bytemill.train(Path("corpus.txt"), bytemill.Char(), progress=False).save("chars.mill")
    return tmp_path


@pytest.fixture
def bpe(folder: Path) -> bytemill.Tokenizer:
    """A third tokenizer there, of byte pairs: `bpe.mill`."""
    tok = bytemill.train(Path("corpus.txt"), bytemill.BPE(262), special_tokens=["<EOS>"], progress=False)
    tok.save("bpe.mill")
    return tok


@pytest.fixture
def process(folder: Path) -> Callable[..., Finished]:
    """Runs `bytemill …` as a process of its own."""

    def call(*arguments: str, stdin: bytes = b"", **extra: str) -> Finished:
        return subprocess.run(
            [*COMMAND, *arguments], input=stdin, capture_output=True, timeout=30, env=environment(**extra)
        )

    return call


@pytest.fixture
def invoke(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    """Runs `bytemill …` in this process: exit code, standard output, standard error."""

    def call(*arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        code = run_in_process(arguments)
        return code, *capsys.readouterr()

    return call
