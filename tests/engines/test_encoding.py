"""Token files of shards: the documents of one file, the same bytes for every engine, and safe to begin again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill.engines import Local
from bytemill.engines.job import Told, Work
from bytemill.engines.shards import Shard
from bytemill.errors import FormatError, SpecError
from tests.engines.corpora import written

SHARDS = {"shard_bytes": 20_000, "progress": False}


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return written(tmp_path_factory.mktemp("corpora"))


@pytest.fixture(scope="module")
def tok(corpora: dict[str, Path]) -> bytemill.Tokenizer:
    return bytemill.train(corpora["texts"], bytemill.BPE(400), special_tokens=["<end>"], progress=False)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


class Backwards(Local):
    """Works on the last shard first, and on every shard twice, as engines do that begin what seems to be slow again."""

    def map(self, work: Work, shards: Sequence[Shard], told: Told) -> list[Any]:
        return super().map(work, [*reversed(shards), *reversed(shards)], told)[: len(shards)][::-1]


class Interrupted(Local):
    """Ends after some shards, as by Ctrl-C."""

    def __init__(self, after: int) -> None:
        self.after = after

    def map(self, work: Work, shards: Sequence[Shard], told: Told) -> list[Any]:
        super().map(work, shards[: self.after], told)
        raise KeyboardInterrupt


@pytest.mark.parametrize("name", ["train.bin", "train.npy", "train.idx", "train.ds", "train.jsonl"])
@pytest.mark.parametrize("corpus", ["lines", "texts", "mixed"])
def test_the_documents_are_those_of_one_file(
    tok: bytemill.Tokenizer, corpora: dict[str, Path], tmp_path: Path, name: str, corpus: str
) -> None:
    one, many = tmp_path / "one", tmp_path / "many"
    for folder in (one, many):
        folder.mkdir()
    alone = tok.encode_files(corpora[corpus], one / name, append="<end>", progress=False)
    report = tok.encode_files(corpora[corpus], many / name, append="<end>", **SHARDS)
    assert len(report.files) > 2
    assert (report.documents, report.tokens, report.bytes) == (alone.documents, alone.tokens, alone.bytes)
    expected, found = (bytemill.open_tokens(folder / name, tokenizer=tok) for folder in (one, many))
    assert [row.tolist() for row in found] == [row.tolist() for row in expected]
    manifests = [json.loads(path.manifest.read_text()) for path in (alone, report)]
    ignored = ("files", "inputs", "job", "options")
    assert all(manifests[0][key] == manifests[1][key] for key in manifests[0] if key not in ignored)
    assert not [path for path in many.rglob("*") if path.name.startswith(".")]


def test_files_do_not_depend_on_the_engine(tok: bytemill.Tokenizer, corpora: dict[str, Path], tmp_path: Path) -> None:
    how = {"split": 0.3, "pack": 64, "pad": "<end>", "append": "<end>", **SHARDS}
    found = []
    for number, engine in enumerate((None, "local", Backwards())):
        folder = tmp_path / str(number)
        folder.mkdir()
        tok.encode_files(corpora["lines"], folder / "{split}.npy", engine=engine, threads=number + 1, **how)
        found.append(contents(folder))
    assert found[0] == found[1] == found[2]
    assert {"train-00003.npy", "val-00003.npy", "tokens.npy.bytemill.json"} <= set(found[0])
    assert bytemill.open_tokens(tmp_path / "0" / "tokens.npy.bytemill.json", split="val").tokens > 0


def test_interrupted_work_goes_on(tok: bytemill.Tokenizer, corpora: dict[str, Path], tmp_path: Path) -> None:
    undisturbed, folder = tmp_path / "undisturbed", tmp_path / "found"
    undisturbed.mkdir()
    folder.mkdir()
    tok.encode_files(corpora["lines"], undisturbed / "t.bin", **SHARDS)
    with pytest.raises(KeyboardInterrupt):
        tok.encode_files(corpora["lines"], folder / "t.bin", engine=Interrupted(4), **SHARDS)
    finished = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.bin")}
    assert sorted(finished) == [f"t-{number:05}.bin" for number in range(4)]
    # One of them is lost, and one is left of a worker that was killed.
    (folder / "t-00002.bin").unlink()
    (folder / ".t.bin.shards" / "0123").mkdir()
    (folder / ".t.bin.shards" / "0123" / "t-00005.bin").write_text("half")
    tok.encode_files(corpora["lines"], folder / "t.bin", resume=True, **SHARDS)
    assert contents(folder) == contents(undisturbed)
    again = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.bin")}
    assert [name for name in finished if again[name] != finished[name]] == ["t-00002.bin"]


def test_other_work_is_not_taken_for_this(tok: bytemill.Tokenizer, corpora: dict[str, Path], tmp_path: Path) -> None:
    undisturbed, folder = tmp_path / "undisturbed", tmp_path / "found"
    undisturbed.mkdir()
    folder.mkdir()
    with pytest.raises(KeyboardInterrupt):
        tok.encode_files(corpora["lines"], folder / "t.bin", engine=Interrupted(3), append="<end>", **SHARDS)
    for where, resume in ((undisturbed, False), (folder, True)):
        tok.encode_files(corpora["lines"], where / "t.bin", resume=resume, **SHARDS)
    assert contents(folder) == contents(undisturbed)


def test_fewer_shards_leave_no_file_of_earlier_ones(
    tok: bytemill.Tokenizer, corpora: dict[str, Path], tmp_path: Path
) -> None:
    tok.encode_files(corpora["lines"], tmp_path / "t.idx", **SHARDS)
    before = set(contents(tmp_path))
    tok.encode_files(corpora["lines"], tmp_path / "t.idx", shard_bytes="100KB", progress=False)
    after = set(contents(tmp_path))
    assert after < before and {"t-00000.bin", "t-00000.idx", "t.bin.bytemill.json"} <= after


def test_rows_are_skipped_and_told(tok: bytemill.Tokenizer, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    # Whole shards have nothing but bad rows.
    rows.write_text('{"text": null}\n' * 40 + '{"text": "good"}\n' * 10 + '{"text": 1}\n' * 40)
    how = {"shard_bytes": 200, "progress": False}
    with pytest.raises(FormatError, match=r"rows.jsonl, line 1: .* \(shard 1 of 7: .*bytes 0 to 200\)"):
        tok.encode_files(rows, tmp_path / "a.bin", **how)
    report = tok.encode_files(rows, tmp_path / "a.bin", errors="skip", **how)
    assert (report.documents, report.skipped_rows, len(report.skipped_because)) == (10, 80, 20)
    assert report.skipped_because[0] == f'{rows}, line 1: field "text" is null, expected a string'
    assert len(bytemill.open_tokens(tmp_path / "a.bin")) == 10
    rows.write_text('{"text": null}\n' * 40)
    with pytest.raises(SpecError, match="there is no document left: all 40 were skipped"):
        tok.encode_files(rows, tmp_path / "b.bin", errors="skip", **how)


def test_a_document_may_be_longer_than_shards(tok: bytemill.Tokenizer, tmp_path: Path) -> None:
    source = tmp_path / "long.txt"
    source.write_text("a\n" + "long " * 2000 + "\nb\n")
    how = {"input_format": "lines", "progress": False}
    report = tok.encode_files(source, tmp_path / "t.bin", shard_bytes=1000, verify=True, **how)
    assert (report.documents, report.verified, len(report.files)) == (3, 3, 2)
    told = json.loads(report.manifest.read_text())
    assert [entry["range"]["start"] for entry in told["inputs"]] == [0, 10003]
    assert told["options"]["shard_bytes"] == 1000


def test_urls_are_read_and_written(tok: bytemill.Tokenizer, corpora: dict[str, Path], tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    for path in corpora["mixed"].iterdir():
        memory.pipe_file(f"/corpus/{path.name}", path.read_bytes())
    memory.pipe_file("/corpus/.hidden", b"not read")
    tok.encode_files(corpora["mixed"], tmp_path / "t.npy", **SHARDS)
    report = tok.encode_files("memory://corpus", "memory://out/t.npy", **SHARDS)
    written = {path.rpartition("/")[2]: memory.cat_file(path) for path in memory.find("/out")}
    assert report.files[0].path == "memory://out/t-00000.npy"
    expected = contents(tmp_path)
    assert set(written) == set(expected)
    assert all(written[name] == expected[name] for name in written if not name.endswith(".json"))
    counts = bytemill.count_pieces("memory://corpus/*.ndjson", shard_bytes="20KB", progress=False)
    assert list(counts.items()) == list(bytemill.count_pieces(corpora["mixed"] / "c.ndjson", progress=False).items())
    with pytest.raises(SpecError, match="there is no file at memory://nothing"):
        bytemill.count_pieces("memory://nothing/*.txt", progress=False)


def test_what_shards_cannot_do_is_refused(tok: bytemill.Tokenizer, corpora: dict[str, Path], tmp_path: Path) -> None:
    given: list[tuple[dict[str, Any], str]] = [
        ({"shuffle": True}, "shuffle=True is for all documents together"),
        ({"shard_tokens": 100}, "leave out shard_tokens="),
    ]
    for how, message in given:
        with pytest.raises(SpecError, match=message):
            tok.encode_files(corpora["texts"], tmp_path / "t.bin", **SHARDS, **how)
    with pytest.raises(SpecError, match="shards are of files"):
        tok.encode_files(None, tmp_path / "t.bin", documents=["a"], **SHARDS)
    with pytest.raises(SpecError, match="name the file to write"):
        tok.encode_files(corpora["texts"], **SHARDS)
    with pytest.raises(SpecError, match="leave it out for URLs"):
        tok.encode_files("memory://x", tmp_path / "t.bin", verify=True, **SHARDS)
    assert not list(tmp_path.iterdir())


def test_only_files_of_an_earlier_run_are_removed(
    tok: bytemill.Tokenizer, corpora: dict[str, Path], tmp_path: Path
) -> None:
    """A manifest that somebody else has put there once had whole folders removed, wherever they were."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.txt").write_text("mine")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    (folder / "train-00099.bin").write_text("old")
    names = ["../other", str(tmp_path / "other"), "notes.txt", "..", ".", "", "train-00099.bin"]
    manifest = folder / "train.bin.bytemill.json"
    for told in ({"files": [{"name": name} for name in names]}, {"files": 3}, [], {"files": [{"name": None}, {}]}):
        manifest.write_text(json.dumps(told))
        tok.encode_files(corpora["texts"], folder / "train.bin", engine="local", **SHARDS)
        assert {"notes.txt", "train.bin.bytemill.json"} <= {*contents(folder)}
        assert contents(tmp_path / "other") == {"a.txt": b"mine"}
    assert not (folder / "train-00099.bin").exists()
