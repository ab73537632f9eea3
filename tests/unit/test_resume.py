"""Encoding that was killed, or that filled the disk, goes on to the files of an undisturbed run."""

from __future__ import annotations

import gzip
import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import bytemill
from bytemill.errors import FormatError, SpecError

resource = pytest.importorskip("resource", reason="limits and signals of POSIX")

#: Outputs with their options: each kind of file that can be half-written.
OUTPUTS: dict[str, dict[str, Any]] = {
    "out.bin": {},
    "out.npy": {"shard_tokens": 20_000},
    "out.idx": {"split": 0.3, "seed": 1, "prepend": "<s>"},
    "out.jsonl": {"shard_tokens": 50_000, "append": "<s>"},
    "out.ds": {"shuffle": True, "seed": 2, "shard_tokens": 30_000},
}
SOURCES = ["a.txt", "b.jsonl.gz", "c.csv"]
WORK = """
import json, sys
import bytemill
sources, output, options = json.loads(sys.argv[1])
tok = bytemill.load("tok.mill")
print("ready", flush=True)
tok.encode_files(sources, output, checkpoint=0, resume=True, progress=False, threads=2, **options)
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("resume")
    rng = random.Random(5)
    words = ["the", "cat", "sat", "on", "a", "mat", "naïve", "我能", "dog", "\n"]

    def text(length: int) -> str:
        return " ".join(rng.choices(words, k=length))

    (folder / "a.txt").write_text(text(250_000))
    lines = "".join(json.dumps({"text": text(rng.randint(0, 400))}) + "\n" for _ in range(1500))
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(lines.encode(), 1))
    rows = "".join(f'{i},"{text(50)}"\n' for i in range(3000))
    (folder / "c.csv").write_text("id,text\n" + rows)
    bytemill.train(folder / "a.txt", bytemill.BPE(280), special_tokens=["<s>"], progress=False).save(
        folder / "tok.mill"
    )
    return folder


class Work(NamedTuple):
    """What is encoded by another process, in the folder of the corpus."""

    name: str
    options: dict[str, Any]
    sources: list[str] = SOURCES


def start(corpus: Path, folder: Path, work: Work) -> subprocess.Popen[str]:
    arguments = json.dumps([work.sources, str(folder / work.name), work.options])
    process = subprocess.Popen(
        [sys.executable, "-c", WORK, arguments], cwd=corpus, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    return process


def contents(folder: Path) -> dict[str, bytes]:
    """Without what may differ: the manifest tells the job, and so the path."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith(".json")}


def killed_and_resumed(corpus: Path, folder: Path, work: Work, moments: list[float]) -> int:
    """The number of kills that met the work; after the last of them it is left to end."""
    met = 0
    for moment in moments:
        process = start(corpus, folder, work)
        time.sleep(moment)
        process.kill()
        _, errors = process.communicate()
        assert process.returncode in (0, -signal.SIGKILL), errors
        met += process.returncode != 0
    process = start(corpus, folder, work)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    return met


def undisturbed(corpus: Path, folder: Path, work: Work) -> float:
    process = start(corpus, folder, work)
    started = time.monotonic()
    assert process.communicate()[1] == ""
    return time.monotonic() - started


def check(corpus: Path, tmp_path: Path, work: Work, kills: int) -> None:
    """Kills at random moments, until `kills` have met the work; other machines are quicker than the first run was."""
    (tmp_path / "whole").mkdir()
    took = undisturbed(corpus, tmp_path / "whole", work)
    expected = contents(tmp_path / "whole")
    rng, met = random.Random(work.name), 0
    for number in range(5 * kills):
        folder = tmp_path / str(number)
        folder.mkdir()
        met += killed_and_resumed(corpus, folder, work, [rng.uniform(0, took / 2) for _ in range(1 + number % 2)])
        assert contents(folder) == expected
        if met >= kills:
            return
    pytest.fail(f"only {met} of the kills met the work")


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_killed_run_is_resumed(corpus: Path, tmp_path: Path, name: str) -> None:
    check(corpus, tmp_path, Work(name, OUTPUTS[name]), 1)


@pytest.mark.long
@pytest.mark.parametrize("name", OUTPUTS)
def test_killed_at_many_moments(corpus: Path, tmp_path: Path, name: str) -> None:
    check(corpus, tmp_path, Work(name, OUTPUTS[name]), 10)


def test_a_run_that_is_done_is_not_done_again(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(corpus)
    tok = bytemill.load("tok.mill")
    first = tok.encode_files(SOURCES, tmp_path / "o.bin")
    written = (tmp_path / "o.bin").stat().st_mtime_ns
    again = tok.encode_files(SOURCES, tmp_path / "o.bin", resume=True)
    assert (tmp_path / "o.bin").stat().st_mtime_ns == written
    assert (again.tokens, again.documents, again.files) == (first.tokens, first.documents, first.files)


#: Ends the process in the middle of the work, as a full disk does not.
LIMITED = """
import json, resource, signal, sys
import bytemill
sources, output, options = json.loads(sys.argv[1])
tok = bytemill.load("tok.mill")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    tok.encode_files(sources, output, checkpoint=0, progress=False, **options)
except OSError as error:
    print(type(error).__name__, error)
"""


def test_a_full_disk(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of a file's size stands for the end of the disk."""
    monkeypatch.chdir(corpus)
    (tmp_path / "whole").mkdir()
    (tmp_path / "full").mkdir()
    tok = bytemill.load("tok.mill")
    tok.encode_files(SOURCES, tmp_path / "whole" / "o.bin")
    size = (tmp_path / "whole" / "o.bin").stat().st_size
    arguments = json.dumps([SOURCES, str(tmp_path / "full" / "o.bin"), {}])
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, arguments, str(size * 3 // 4)], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("OSError [Errno 27] File too large") and "o.bin" in done.stdout, done.stderr
    assert not (tmp_path / "full" / "o.bin").exists()
    tok.encode_files(SOURCES, tmp_path / "full" / "o.bin", resume=True)
    assert contents(tmp_path / "full") == contents(tmp_path / "whole")


def test_finished_shards_stay(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that ends with an error leaves the shards that are whole, and goes on when the error is mended."""
    monkeypatch.chdir(corpus)
    (tmp_path / "in").mkdir()
    good = "".join(json.dumps({"text": "the cat " * 200}) + "\n" for _ in range(400))
    path = tmp_path / "in" / "a.jsonl"
    path.write_text(good + "not JSON\n")
    tok = bytemill.load("tok.mill")
    options: dict[str, Any] = {"shard_tokens": 10_000, "checkpoint": 0, "threads": 1}
    with pytest.raises(FormatError, match="line 401"):
        tok.encode_files(path, tmp_path / "o.bin", **options)
    assert (tmp_path / "o-00000.bin").exists() and not (tmp_path / "o.bin.bytemill.json").exists()
    # The source has changed: nobody knows whether what is there is still of it.
    path.write_text(good)
    with pytest.raises(SpecError, match="start anew, without resume"):
        tok.encode_files(path, tmp_path / "o.bin", resume=True, **options)
    tok.encode_files(path, tmp_path / "o.bin", **options)
    assert not list(tmp_path.glob(".*"))
    assert [row.tolist() for row in bytemill.open_tokens(tmp_path / "o.bin")] == [tok.encode("the cat " * 200)] * 400


def test_a_journal_that_names_other_files_is_refused(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(corpus)
    (tmp_path / "a.jsonl").write_text((json.dumps({"text": "the cat " * 200}) + "\n") * 400 + "not JSON\n")
    tok = bytemill.load("tok.mill")
    options: dict[str, Any] = {"shard_tokens": 10_000, "checkpoint": 0, "threads": 1, "resume": True}
    with pytest.raises(FormatError, match="line 401"):
        tok.encode_files(tmp_path / "a.jsonl", tmp_path / "o.bin", **options)
    journal = tmp_path / ".o.bin.bytemill-journal"
    told = json.loads(journal.read_text())
    for path in ("", "..", "/", "notes.txt", str(tmp_path / "o-00007.bin")):
        told["writer"]["streams"][0]["done"][0]["path"] = path
        journal.write_text(json.dumps(told))
        with pytest.raises(FormatError, match="it names files of another output; start anew, without resume"):
            tok.encode_files(tmp_path / "a.jsonl", tmp_path / "o.bin", **options)


def test_small_work_that_fails_leaves_nothing(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(corpus)
    (tmp_path / "a.jsonl").write_text('{"text": "the"}\nnot JSON\n')
    for options in ({}, {"shuffle": True}, {"shard_tokens": 10, "split": 0.5}):
        with pytest.raises(FormatError):
            bytemill.load("tok.mill").encode_files(tmp_path / "a.jsonl", tmp_path / "o.bin", **options)
        assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


def test_work_files_that_a_kill_left_at_the_very_end_go_with_the_next_run(corpus: Path, tmp_path: Path) -> None:
    """The output is whole by then, and nothing is encoded again."""
    undisturbed(corpus, tmp_path, Work("out.ds", OUTPUTS["out.ds"]))
    expected = contents(tmp_path)
    (tmp_path / "..out.ds.shuffle-011.entries.partial").write_bytes(b"left")
    undisturbed(corpus, tmp_path, Work("out.ds", OUTPUTS["out.ds"]))
    assert contents(tmp_path) == expected
