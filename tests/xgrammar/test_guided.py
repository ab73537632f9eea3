"""The program in examples/ that follows a grammar with xgrammar (`make test-xgrammar`)."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

import bytemill
from tests.conftest import ROOT, need

pytestmark = pytest.mark.xgrammar

PROGRAM = ROOT / "examples/structured-output/guided.py"
SCHEMA = {
    "type": "object",
    "properties": {"legs": {"type": "integer", "minimum": 0, "maximum": 99}, "kind": {"enum": ["cat", "bird"]}},
    "required": ["legs", "kind"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def tok() -> bytemill.Tokenizer:
    need("xgrammar")
    text = json.dumps({"legs": 4, "kind": "cat"}) + json.dumps({"legs": 2, "kind": "bird"})
    return bytemill.train([text * 9], bytemill.BPE(300), special_tokens=["<|end|>"], progress=False)


def test_chance_follows_the_schema(tok: bytemill.Tokenizer) -> None:
    spec = importlib.util.spec_from_file_location("guided", PROGRAM)
    assert spec is not None and spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    found = set()
    for seed in range(20):
        text = tok.decode(program.guided(tok, json.dumps(SCHEMA), tok.special_tokens["<|end|>"], seed))
        read = json.loads(text)
        assert list(read) == ["legs", "kind"] and 0 <= read["legs"] <= 99
        found.add(read["kind"])
    assert found == {"cat", "bird"}


def test_the_command(tok: bytemill.Tokenizer, tmp_path: Path) -> None:
    tok.save(tmp_path / "tokenizer.json")
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    command = [sys.executable, str(PROGRAM), str(tmp_path / "tokenizer.json"), str(tmp_path / "schema.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["kind"] in ("cat", "bird")
