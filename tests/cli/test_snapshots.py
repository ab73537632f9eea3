"""Whole terminals: each file in `snapshots/` is a session; its `$` lines are run, what they show is compared.

To write them anew after a change: BYTEMILL_UPDATE_SNAPSHOTS=1 pytest tests/cli/test_snapshots.py
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bytemill.cli.app import run

from .conftest import environment

SNAPSHOTS = sorted((Path(__file__).parent / "snapshots").glob("*.txt"))

#: What differs from run to run or with the tokenizer format, and what stands in its place.
VOLATILE = [
    (r"(?m)^(seconds +)[\d.]+( \(.*\))?$", r"\1…"),
    (r'("seconds": )[\d.e-]+', r"\1…"),
    (r"[\d.]+ [kMG]?B/s", "… MB/s"),
    (r"(?m)^(tokens/second  ).*$", r"\1…"),
    (r"(\"tokens_per_second\": )[\d.e+-]+", r"\1…"),
    (r"(\.mill(?:\.json)?|tokenizer\.json|\.counts|\.model) \([\d.]+ k?B\)", r"\1 (… kB)"),
    (r"\b[0-9a-f]{32,64}\b", "…"),
]


def session(script: str) -> str:
    """Runs the `$` lines of a script in the current folder; `[n]` is an exit code other than 0."""
    shown = []
    for line in script.splitlines():
        if line.startswith("$ "):
            command = line[2:]
            code, output = (in_shell if needs_shell(command) else in_process)(command)
            for pattern, stand_in in VOLATILE:
                output = re.sub(pattern, stand_in, output)
            if output and not output.endswith("\n"):
                output += "\n"
            shown.append(f"{line}\n{output}" + (f"[{code}]\n" if code else ""))
    return "\n".join(shown)


def needs_shell(command: str) -> bool:
    words = shlex.shlex(command, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    return not command.startswith("bytemill ") or "$" in command or any(set(w) <= set("|<>&;") for w in words)


def in_shell(command: str) -> tuple[int, str]:
    done = subprocess.run(
        ["bash", "-c", f'bytemill() {{ "{sys.executable}" -m bytemill "$@"; }}; {command}'],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment(),
        timeout=30,
    )
    return done.returncode, done.stdout.decode()


def in_process(command: str) -> tuple[int, str]:
    """The same in a tenth of the time, for a command that needs no shell."""
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    name, *arguments = shlex.split(command)
    assert name == "bytemill"
    with (
        contextlib.redirect_stdout(terminal),
        contextlib.redirect_stderr(terminal),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
        code = run(arguments)
    return code, terminal.buffer.getvalue().decode()


@pytest.mark.parametrize("snapshot", SNAPSHOTS, ids=lambda path: path.stem)
def test_session(snapshot: Path, folder: Path) -> None:
    expected = snapshot.read_text(encoding="utf-8")
    actual = session(expected)
    if os.environ.get("BYTEMILL_UPDATE_SNAPSHOTS"):
        snapshot.write_text(actual, encoding="utf-8")
    else:
        assert actual == expected


def test_there_are_snapshots() -> None:
    assert {path.stem for path in SNAPSHOTS} >= {"train", "encode", "decode", "count", "inspect", "convert"}
