"""Two processes that write one output at the same time.

Token files take long and are large, and two writers are a mistake: the second is refused. Tokenizers and counts are
saved at once, often by every process of a training: each save is whole, and the last one stays.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import bytemill
from tests.samples import words

SAVE = """
import sys
import bytemill
tok = bytemill.load(sys.argv[1])
print("ready", flush=True)
for _ in range(150):
    tok.save(sys.argv[2])
    assert bytemill.load(sys.argv[2]).vocab_size in (5, 3004)
"""
ENCODE = """
import sys
import bytemill
tok = bytemill.load(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
try:
    tok.encode_files([sys.argv[3]] * 20, sys.argv[2], progress=False)
except bytemill.errors.SpecError as error:
    print(error)
else:
    print("written")
"""


def started(code: str, *arguments: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, text=True, **streams)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize("name", ["a.mill", "tokenizer.json"])
def test_tokenizers_are_whole_whoever_saves_last(name: str, tmp_path: Path) -> None:
    small, large = words(["a"]), words([" ".join(f"word{i}" for i in range(3000))])
    small.save(tmp_path / "small.mill")
    large.save(tmp_path / "large.mill")
    (tmp_path / "out").mkdir()
    out = tmp_path / "out" / name
    writers = [started(SAVE, tmp_path / f"{kind}.mill", out) for kind in ("small", "large", "small")]
    for writer in writers:
        _, errors = writer.communicate(timeout=120)
        assert writer.returncode == 0, errors
    assert bytemill.load(out).encode("a word7") in (small.encode("a word7"), large.encode("a word7"))
    assert [path.name for path in out.parent.iterdir()] == [name]


def test_a_second_writer_of_token_files_is_refused(tmp_path: Path) -> None:
    tok = words(["the cat"])
    tok.save(tmp_path / "a.mill")
    (tmp_path / "a.txt").write_text("the cat " * 200_000)
    for folder in ("alone", "out"):
        (tmp_path / folder).mkdir()
    tok.encode_files([tmp_path / "a.txt"] * 20, tmp_path / "alone" / "a.bin")
    expected = (tmp_path / "alone" / "a.bin").read_bytes()
    names = sorted(path.name for path in (tmp_path / "alone").iterdir())
    out = tmp_path / "out" / "a.bin"
    refused = 0
    for _ in range(5):
        writers = [started(ENCODE, tmp_path / "a.mill", out, tmp_path / "a.txt") for _ in range(3)]
        said = []
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write("go\n")
            writer.stdin.flush()
        for writer in writers:
            output, errors = writer.communicate(timeout=60)
            assert writer.returncode == 0, errors
            said.append(output)
        assert set(said) <= {"written\n", f"another process is writing {out}; wait for it to end\n"}
        assert "written\n" in said
        refused += said.count("written\n") < 3
        assert out.read_bytes() == expected
        assert sorted(path.name for path in out.parent.iterdir()) == names
    assert refused > 0
