"""`bytemill inspect --code`: in colour, line by line, as JSON; with a tokenizer and without."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

SOURCE = "def f(x):\n    return x  # \x1b[2J\n"


@pytest.fixture
def file(folder) -> str:
    Path("main.py").write_text(SOURCE)
    return "main.py"


def test_pieces_line_by_line(invoke, file):
    code, out, _ = invoke("inspect", "--code", file)
    lines = out.splitlines()
    assert code == 0
    assert lines[0].split() == ["1:0", "keyword", "def"]
    assert lines[8].split() == ["2:0", "indentation", "····"]
    assert lines[-1].startswith("python, 31 bytes, 15 pieces: ")
    assert "\x1b" not in out


def test_the_source_in_colour(invoke, monkeypatch, file):
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm-256color"}.items():
        monkeypatch.setenv(name, value)
    _, out, _ = invoke("inspect", "--code", file)
    shown = out[: out.rindex("python, ")]
    painted = re.sub(r"\x1b\[[\d;]*m", "", shown)
    assert painted == SOURCE.replace("\x1b", "␛")
    assert len(set(re.findall(r"\x1b\[([\d;]+)m", shown)) - {"0"}) >= 4


def test_tokens_of_a_tokenizer_and_json(invoke, file):
    _, out, _ = invoke("inspect", "words.mill", "--code", file, "--json")
    facts = json.loads(out)
    assert facts["language"] == "python" and facts["bytes"] == len(SOURCE)
    assert {"id", "token", "kind", "start", "end", "line", "column", "node", "depth", "text"} == set(facts["tokens"][0])
    pieces = json.loads(invoke("inspect", "--code", file, "--json")[1])["pieces"]
    assert "".join(piece["text"] for piece in pieces) == SOURCE
    assert json.loads(invoke("inspect", "--code", file, "--language", "c", "--json")[1])["language"] == "c"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["inspect"], "name a tokenizer to inspect, or pass --code FILE"),
        (["inspect", "words.mill", "--language", "c"], "--language is for --code"),
        (["inspect", "words.mill", "text", "--code", "main.py"], "--code shows a file of its own"),
        (["inspect", "--code", "main.py", "--language", "pyhton"], "there is no language named"),
        (["inspect", "--code", "missing.py"], "missing.py"),
    ],
)
def test_mistakes(invoke, file, arguments, message):
    code, _, err = invoke(*arguments)
    assert code != 0 and message in err
