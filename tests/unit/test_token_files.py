"""Token files in every format that needs no other library, read back by their descriptions and by `open_tokens`."""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import lzma
import random
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bytemill
from bytemill.errors import FormatError, SpecError, TextError

EOS = "<eos>"
FORMATS = {"bin": "bin", "npy": "npy", "megatron": "idx", "datatrove": "ds", "llmc": "bin", "jsonl": "jsonl"}


def sample(count: int, seed: int = 0) -> list[str]:
    rng = random.Random(seed)
    words = ["the", "cat", "sat", "on", "a", "mat", "naïve", "我能", "dog,", '"quoted"', "\n", "\t"]
    return ["", "x", *(" ".join(rng.choices(words, k=rng.randint(1, 80))) for _ in range(count))]


DOCUMENTS = sample(400)


@pytest.fixture(scope="module")
def tok() -> bytemill.Tokenizer:
    return bytemill.train(DOCUMENTS, bytemill.BPE(285), special_tokens=[EOS, "<bos>"], progress=False)


@pytest.fixture(scope="module")
def rows(tok: bytemill.Tokenizer) -> list[list[int]]:
    return [[*tok.encode(text), tok.special_tokens[EOS]] for text in DOCUMENTS]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "documents.jsonl"
    path.write_text("".join(json.dumps({"text": text, "meta": {"id": i}}) + "\n" for i, text in enumerate(DOCUMENTS)))
    return path


def read_megatron(path: Path) -> list[list[int]]:
    """As Megatron's own reader does: lengths, pointers, documents."""
    data = path.with_suffix(".idx").read_bytes()
    assert data[:9] == b"MMIDIDX\x00\x00" and struct.unpack("<Q", data[9:17]) == (1,)
    dtype = {8: np.dtype("<u2"), 4: np.dtype("<i4")}[data[17]]
    sequences, documents = struct.unpack("<QQ", data[18:34])
    lengths = np.frombuffer(data, "<i4", sequences, 34)
    pointers = np.frombuffer(data, "<i8", sequences, 34 + lengths.nbytes)
    indices = np.frombuffer(data, "<i8", documents, 34 + lengths.nbytes + pointers.nbytes)
    assert len(data) == 34 + lengths.nbytes + pointers.nbytes + indices.nbytes
    assert indices.tolist() == list(range(documents))
    ids = path.with_suffix(".bin").read_bytes()
    return [np.frombuffer(ids, dtype, n, at).tolist() for n, at in zip(lengths, pointers, strict=True)]


def read_datatrove(path: Path) -> list[list[int]]:
    ids = np.fromfile(path, "<u2")
    ends = np.fromfile(f"{path}.index", "<u8")
    name, size = Path(f"{path}.metadata").read_text().splitlines()[0].split("|")
    assert len(name) == 64 and size == "2"
    return [part.tolist() for part in np.split(ids, ends[:-1].astype(np.int64))]


def read_llmc(path: Path) -> list[list[int]]:
    header = np.fromfile(path, "<i4", 256)
    ids = np.fromfile(path, "<u2", offset=1024)
    assert header[:3].tolist() == [20240520, 1, len(ids)] and not header[3:].any()
    return split(ids, path)


def split(ids: Any, path: Path) -> list[list[int]]:
    offsets = np.load(f"{path}.docs")
    assert offsets[0] == 0 and offsets[-1] == len(ids)
    return [part.tolist() for part in np.split(ids, offsets[1:-1])]


READERS: dict[str, Callable[[Path], list[list[int]]]] = {
    "bin": lambda path: split(np.fromfile(path, "<u2"), path),
    "npy": lambda path: split(np.load(path), path),
    "megatron": read_megatron,
    "datatrove": read_datatrove,
    "llmc": read_llmc,
    "jsonl": lambda path: [json.loads(line)["ids"] for line in path.read_text().splitlines()],
}


@pytest.mark.parametrize("format", FORMATS)
def test_documents_come_back(
    tok: bytemill.Tokenizer, rows: list[list[int]], source: Path, tmp_path: Path, format: str
) -> None:
    output = tmp_path / f"out.{FORMATS[format]}"
    contents = []
    for threads in (1, 2, 5):
        report = tok.encode_files(source, output, format=format, append=EOS, threads=threads, verify=True)
        assert (report.documents, report.tokens, report.verified) == (len(rows), sum(map(len, rows)), len(rows))
        assert READERS[format](output) == rows
        names = sorted(path for path in tmp_path.iterdir() if path != source)
        assert not any(path.name.startswith(".") for path in names)
        contents.append([path.read_bytes() for path in names])
    assert contents[0] == contents[1] == contents[2], "for any number of threads"
    data = bytemill.open_tokens(output, tokenizer=tok)
    assert (len(data), data.tokens, data.fingerprint) == (len(rows), report.tokens, tok.fingerprint)
    assert [row.tolist() for row in data] == rows


@pytest.mark.parametrize("format", FORMATS)
def test_shards_end_with_a_document(
    tok: bytemill.Tokenizer, rows: list[list[int]], source: Path, tmp_path: Path, format: str
) -> None:
    output = tmp_path / f"out.{FORMATS[format]}"
    report = tok.encode_files(source, output, format=format, append=EOS, shard_tokens=1000)
    assert len(report.files) > 5 and not output.exists()
    assert all(1000 <= file.tokens < 1200 for file in report.files[:-1])
    assert [row for file in report.files for row in READERS[format](file.path)] == rows
    assert [row.tolist() for row in bytemill.open_tokens(output)] == rows
    assert [row.tolist() for row in bytemill.open_tokens(report.files[1].path)] == READERS[format](report.files[1].path)
    # Fewer the next time: none of the others stays.
    again = tok.encode_files(source, output, format=format, append=EOS, shard_tokens="3k")
    kept = {path.name for path in tmp_path.glob(f"out-*.{report.files[0].path.suffix[1:]}")}
    assert kept == {file.path.name for file in again.files}
    assert [row.tolist() for row in bytemill.open_tokens(output)] == rows


def test_dtypes(tok: bytemill.Tokenizer, rows: list[list[int]], source: Path, tmp_path: Path) -> None:
    for format in ("npy", "megatron", "llmc", "datatrove"):
        output = tmp_path / f"{format}.{FORMATS[format]}"
        assert tok.encode_files(source, output, format=format, dtype="uint32", append=EOS).dtype == "uint32"
        data = bytemill.open_tokens(output)
        assert data[1].dtype.itemsize == 4 and [row.tolist() for row in data] == rows
    assert np.fromfile(tmp_path / "llmc.bin", "<i4", 3)[:2].tolist() == [20240801, 7]
    wide = bytemill.train([" ".join(map(str, range(65_600)))], bytemill.Word(), progress=False)
    with pytest.raises(SpecError, match="does not fit into uint16"):
        wide.encode_files(source, tmp_path / "w.bin", dtype="uint16")


def test_before_and_after_every_document(tok: bytemill.Tokenizer, source: Path, tmp_path: Path) -> None:
    bos, eos = tok.special_tokens["<bos>"], tok.special_tokens[EOS]
    expected = [[bos, *tok.encode(text), eos] for text in DOCUMENTS]
    for threads in (1, 2):
        tok.encode_files(source, tmp_path / "a.bin", prepend="<bos>", append=EOS, threads=threads)
        assert [row.tolist() for row in bytemill.open_tokens(tmp_path / "a.bin")] == expected
    text = "the cat sat on a mat " * 60_000
    (tmp_path / "long.txt").write_text(text)
    rows = tok.encode_files([tmp_path / "long.txt"] * 2, prepend="<bos>", threads=2)
    assert rows.to_list() == [[bos, *tok.encode(text)]] * 2


def test_splits(tok: bytemill.Tokenizer, rows: list[list[int]], source: Path, tmp_path: Path) -> None:
    report = tok.encode_files(source, tmp_path / "{split}.bin", append=EOS, split=0.2, seed=7)
    assert [file.path.name for file in report.files] == ["train.bin", "val.bin"]
    train, val = ([row.tolist() for row in bytemill.open_tokens(file.path)] for file in report.files)
    assert 40 < len(val) < 130 and sorted(train + val) == sorted(rows)
    assert [row.tolist() for row in bytemill.open_tokens(report.manifest, split="val")] == val
    # A document is on the same side wherever it stands.
    lines = source.read_text().splitlines(keepends=True)
    source.write_text("".join(reversed(lines)))
    tok.encode_files(source, tmp_path / "b.bin", append=EOS, split=0.2, seed=7)
    assert [row.tolist() for row in bytemill.open_tokens(tmp_path / "b-val.bin")] == val[::-1]
    tok.encode_files(source, tmp_path / "c.bin", append=EOS, split=0.2, seed=8)
    assert [row.tolist() for row in bytemill.open_tokens(tmp_path / "c-val.bin")] != val[::-1]
    for wrong in (0, 1, -0.5):
        with pytest.raises(SpecError, match="between 0 and 1"):
            tok.encode_files(source, tmp_path / "d.bin", split=wrong)


def test_shuffling(tok: bytemill.Tokenizer, rows: list[list[int]], source: Path, tmp_path: Path) -> None:
    def shuffled(**options: Any) -> list[list[int]]:
        tok.encode_files(source, tmp_path / "s.bin", append=EOS, shuffle=True, **options)
        assert not list(tmp_path.glob(".*"))
        return [row.tolist() for row in bytemill.open_tokens(tmp_path / "s.bin")]

    first = shuffled(seed=1, threads=1)
    assert first != rows and sorted(first) == sorted(rows)
    assert first == shuffled(seed=1, threads=3)
    assert first == shuffled(seed=1, shard_tokens=2000)
    assert first != shuffled(seed=2)


def test_packed_rows(tok: bytemill.Tokenizer, rows: list[list[int]], source: Path, tmp_path: Path) -> None:
    flat = [id for row in rows for id in row]
    tok.encode_files(source, tmp_path / "p.npy", append=EOS, pack=128, pad=EOS)
    packed = np.load(tmp_path / "p.npy")
    assert packed.shape == (-(-len(flat) // 128), 128)
    assert packed.reshape(-1)[: len(flat)].tolist() == flat
    assert (packed.reshape(-1)[len(flat) :] == tok.special_tokens[EOS]).all()
    assert [row.tolist() for row in bytemill.open_tokens(tmp_path / "p.npy")] == rows
    tok.encode_files(source, tmp_path / "p.jsonl", append=EOS, pack=128, pad=0)
    records = [json.loads(line) for line in (tmp_path / "p.jsonl").read_text().splitlines()]
    assert {len(record["ids"]) for record in records} == {128}
    assert [sum(record["lengths"]) for record in records[:-1]] == [128] * (len(records) - 1)
    assert sum(len(record["lengths"]) for record in records) >= sum(1 for row in rows if row)
    with pytest.raises(SpecError, match="has no pad token; pass pad="):
        bytemill.train(DOCUMENTS, bytemill.BPE(280), progress=False).encode_files(source, tmp_path / "p.npy", pack=128)
    with pytest.raises(SpecError, match="pack is not for megatron"):
        tok.encode_files(source, tmp_path / "p.idx", pack=128, pad=0)


def written(folder: Path, format: str, compress: str) -> Path:
    names = {"text": "txt", "lines": "txt"}
    path = folder / f"in.{names.get(format, format)}"
    if format == "jsonl":
        text = "".join(json.dumps({"text": document}) + "\n" for document in DOCUMENTS)
    elif format == "json":
        text = json.dumps([{"text": document} for document in DOCUMENTS], indent=1)
    elif format in ("csv", "tsv"):
        with path.open("w", newline="") as file:
            writer = csv.writer(file, delimiter="\t" if format == "tsv" else ",")
            writer.writerows([["id", "text"], *([str(i), document] for i, document in enumerate(DOCUMENTS))])
        text = path.read_bytes().decode()
    else:
        text = "<|end|>".join(DOCUMENTS)
    pack: dict[str, Callable[[bytes], bytes]] = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress}
    pack |= {".bz2": bz2.compress}
    path = path.with_name(path.name + compress)
    path.write_bytes(pack[compress](text.encode()))
    return path


@pytest.mark.parametrize("compress", ["", ".gz", ".xz", ".bz2"])
@pytest.mark.parametrize("format", ["jsonl", "json", "csv", "tsv", "text"])
def test_every_input(
    tok: bytemill.Tokenizer, rows: list[list[int]], tmp_path: Path, format: str, compress: str
) -> None:
    path = written(tmp_path, format, compress)
    separator = "<|end|>" if format == "text" else None
    report = tok.encode_files(path, tmp_path / "out.bin", separator=separator, append=EOS)
    assert report.documents == len(rows)
    assert [row.tolist() for row in bytemill.open_tokens(tmp_path / "out.bin")] == rows
    assert tok.encode_files(path, separator=separator, append=EOS, threads=2).to_list() == rows


def test_patterns_and_documents_of_python(tok: bytemill.Tokenizer, rows: list[list[int]], tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for name in ("a/2.txt", "a/1.txt", "0.txt"):
        (tmp_path / name).write_text(f"the cat {name}")
    expected = [tok.encode(f"the cat {name}") for name in ("0.txt", "a/1.txt", "a/2.txt")]
    assert tok.encode_files(str(tmp_path / "**" / "*.txt")).to_list() == expected
    with pytest.raises(SpecError, match="no file matches"):
        tok.encode_files(str(tmp_path / "*.nothing"))
    tok.encode_files(None, tmp_path / "d.bin", documents=iter(DOCUMENTS), append=EOS)
    assert [row.tolist() for row in bytemill.open_tokens(tmp_path / "d.bin")] == rows

    def failing() -> Iterator[str]:
        yield "the"
        raise ZeroDivisionError("of the iterable")

    with pytest.raises(ZeroDivisionError, match="of the iterable"):
        tok.encode_files(None, tmp_path / "e.bin", documents=failing())
    assert not (tmp_path / "e.bin").exists() and not list(tmp_path.glob(".*"))


BAD = b'{"text": "the"}\n{"text": null}\n{"text": 7}\n{"other": ""}\nnot json\n{"text": "c\xff"}\n{"text": "cat"}\n'


def test_bad_rows(tok: bytemill.Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_bytes(BAD)
    with pytest.raises(FormatError, match=r"bad.jsonl, line 2: field \"text\" is null"):
        tok.encode_files(tmp_path / "bad.jsonl", tmp_path / "out.bin")
    for threads in (1, 2):
        report = tok.encode_files(tmp_path / "bad.jsonl", tmp_path / "out.bin", errors="skip", threads=threads)
        assert (report.documents, report.skipped_rows, len(report.skipped_because)) == (2, 5, 5)
        assert "line 5: not JSON" in report.skipped_because[3]
        found = [row.tolist() for row in bytemill.open_tokens(tmp_path / "out.bin")]
        assert found == [tok.encode("the"), tok.encode("cat")]
    with pytest.raises(FormatError, match="line 4: no field"):
        tok.encode_files(tmp_path / "bad.jsonl", errors="replace")
    lines = BAD.splitlines(keepends=True)
    (tmp_path / "bad.jsonl").write_bytes(b"".join(lines[:3] + lines[5:]))
    rows = tok.encode_files(tmp_path / "bad.jsonl", errors="replace").to_list()
    assert rows == [tok.encode(text) for text in ("the", "", "", "c\ufffd", "cat")]
    (tmp_path / "bad.jsonl").write_bytes(b"".join(lines[1:4]))
    with pytest.raises(SpecError, match=r"all 3 were skipped; the first one: .*line 1"):
        tok.encode_files(tmp_path / "bad.jsonl", tmp_path / "out.bin", errors="skip")


def test_a_bad_text_file_is_skipped_as_a_whole(tok: bytemill.Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"the cat " * 100_000 + b"\xff")
    (tmp_path / "b.txt").write_text("a mat")
    with pytest.raises(TextError):
        tok.encode_files([tmp_path / "a.txt", tmp_path / "b.txt"])
    report = tok.encode_files([tmp_path / "a.txt", tmp_path / "b.txt"], tmp_path / "o.bin", errors="skip")
    assert (report.documents, report.skipped_rows) == (1, 1)
    assert bytemill.open_tokens(tmp_path / "o.bin")[0].tolist() == tok.encode("a mat")


def test_the_manifest(tok: bytemill.Tokenizer, source: Path, tmp_path: Path) -> None:
    report = tok.encode_files(source, tmp_path / "m.bin", append=EOS, shuffle=True, seed=3)
    told = json.loads(report.manifest.read_text())
    assert told["tokenizer"] == {"fingerprint": tok.fingerprint, "vocab_size": tok.vocab_size}
    assert told["options"]["append"] == EOS and told["options"]["seed"] == 3
    (entry,) = told["inputs"]
    assert (entry["path"], entry["bytes"], entry["documents"]) == (str(source), source.stat().st_size, len(DOCUMENTS))
    assert len(entry["xxh3"]) == 32
    # A folder with token files in it is read without what describes them.
    (tmp_path / "only").mkdir()
    (tmp_path / "only" / "a.txt").write_text("the cat")
    tok.encode_files(tmp_path / "only", tmp_path / "only" / "a.npy")
    assert tok.encode_files(tmp_path / "only").to_list() == [tok.encode("the cat")]


def test_token_data(tok: bytemill.Tokenizer, rows: list[list[int]], source: Path, tmp_path: Path) -> None:
    tok.encode_files(source, tmp_path / "t.bin", append=EOS, shard_tokens=500)
    data = bytemill.open_tokens(tmp_path / "t.bin")
    flat = [id for row in rows for id in row]
    assert data[-1].tolist() == rows[-1] and [row.tolist() for row in data[3:9:2]] == rows[3:9:2]
    assert data.slice(490, 1510).tolist() == flat[490:1510] and data.slice(-5, data.tokens).tolist() == flat[-5:]
    batches = list(data.batches(64, 8))
    assert batches[0].shape == (8, 64) and batches[0].dtype == np.int64
    assert np.concatenate(batches).reshape(-1).tolist() == flat[: len(flat) // 64 * 64]
    shuffled = np.concatenate(list(data.batches(64, 8, seed=1)))
    assert sorted(map(tuple, shuffled)) == sorted(map(tuple, np.concatenate(batches)))
    with pytest.raises(IndexError):
        data[len(rows)]
    with pytest.raises(FormatError, match="of another tokenizer"):
        data.check(bytemill.train(["other"], bytemill.Word(), progress=False))
    (tmp_path / "bare.bin").write_bytes(b"\1\0\2\0")
    with pytest.raises(SpecError, match="pass dtype="):
        bytemill.open_tokens(tmp_path / "bare.bin")
    assert bytemill.open_tokens(tmp_path / "bare.bin", dtype="uint16")[0].tolist() == [1, 2]
    with pytest.raises(FileNotFoundError):
        bytemill.open_tokens(tmp_path / "nothing.bin")


def test_estimates_hold_the_number(tok: bytemill.Tokenizer, tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.jsonl").write_text(
            "".join(json.dumps({"text": text}) + "\n" for text in sample(20_000, number))
        )
    paths = sorted(tmp_path.glob("*.jsonl"))
    found = tok.estimate_files(paths)
    tokens = sum(count.tokens for count in tok.count_files(paths))
    assert found.sampled_bytes < found.bytes
    assert found.low <= tokens <= found.high and found.high - found.low < tokens / 10
    exact = tok.estimate_files(paths[0].parent / "small.txt") if (tmp_path / "small.txt").write_text("a cat") else None
    assert exact is not None and exact.low == exact.tokens == exact.high == tok.count("a cat")


@pytest.mark.parametrize(
    "how", [{"shuffle": True}, {"split": 0.3}, {"shuffle": True, "split": 0.3, "pack": 64, "pad": 0}]
)
def test_what_is_in_another_order_is_verified(
    tok: bytemill.Tokenizer, source: Path, tmp_path: Path, how: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from bytemill.data import verify

    output = tmp_path / "{split}.bin" if "split" in how else tmp_path / "o.bin"
    report = tok.encode_files(source, output, append=EOS, verify=True, progress=False, **how)
    assert report.verified == report.documents == len(DOCUMENTS)

    def another(tok: bytemill.Tokenizer, reading: Any, every: int) -> Iterator[verify.SampledDocument]:
        yield verify.SampledDocument(0, [1, 2, 3], "some.txt")

    monkeypatch.setattr(verify, "sampled", another)
    with pytest.raises(FormatError, match=r"no document is that of some\.txt"):
        tok.encode_files(source, output, append=EOS, verify=True, progress=False, **how)


def test_only_files_of_an_earlier_run_are_removed(tok: bytemill.Tokenizer, source: Path, tmp_path: Path) -> None:
    """A manifest that somebody else has put there once named what was removed."""
    for name in ("o-00000.bin", "o-val.bin", "notes.txt", "b.bin", "o.bin.docs"):
        (tmp_path / name).write_text("old")
    (tmp_path / "above").mkdir()
    (tmp_path / "above" / "o.bin").write_text("old")
    tok.encode_files(source, tmp_path / "o.bin")
    manifest = tmp_path / "o.bin.bytemill.json"
    told = json.loads(manifest.read_text())
    names = ["o-00000.bin", "o-val.bin", "notes.txt", "b.bin", "above/o.bin", "../o.bin", str(tmp_path / "notes.txt")]
    told["files"] = [{**told["files"][0], "name": name} for name in names]
    manifest.write_text(json.dumps(told))
    tok.encode_files(source, tmp_path / "o.bin")
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert left >= {"notes.txt", "b.bin", "above/o.bin", "o.bin", "o.bin.docs"}
    assert not left & {"o-00000.bin", "o-val.bin"}


#: What of a manifest is changed, and to what.
HOSTILE_MANIFESTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no object": lambda told: [told],
    "no files": lambda told: {**told, "files": None},
    "files of another kind": lambda told: {**told, "files": [1]},
    "a name above": lambda told: {**told, "files": [{**told["files"][0], "name": ".."}]},
    "a path": lambda told: {**told, "files": [{**told["files"][0], "name": "/etc/hostname"}]},
    "no name": lambda told: {**told, "files": [{**told["files"][0], "name": None}]},
    "no tokenizer": lambda told: {**told, "tokenizer": {}},
    "no format": lambda told: {**told, "format": "pickle"},
    "objects": lambda told: {**told, "dtype": "O"},
    "fractions": lambda told: {**told, "dtype": "float32"},
}


@pytest.mark.parametrize("name", HOSTILE_MANIFESTS)
def test_a_hostile_manifest_is_refused(tok: bytemill.Tokenizer, source: Path, tmp_path: Path, name: str) -> None:
    tok.encode_files(source, tmp_path / "o.bin")
    manifest = tmp_path / "o.bin.bytemill.json"
    manifest.write_text(json.dumps(HOSTILE_MANIFESTS[name](json.loads(manifest.read_text()))))
    with pytest.raises((FormatError, SpecError)):
        bytemill.open_tokens(manifest)


def npy(array: Any, path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, array)


#: By the output: what is written over a file beside it, and how.
HOSTILE_FILES: dict[str, tuple[str, str, Callable[[Path], Any]]] = {
    "documents that go back": ("o.bin", "o.bin.docs", lambda path: npy(np.array([0, 9, 3, 9]), path)),
    "documents before the start": ("o.bin", "o.bin.docs", lambda path: npy(np.array([0, -5, 9]), path)),
    "documents past the end": ("o.bin", "o.bin.docs", lambda path: npy(np.array([0, 10**12, 5]), path)),
    "a square of documents": ("o.bin", "o.bin.docs", lambda path: npy(np.zeros((2, 2), int), path)),
    "no documents": ("o.bin", "o.bin.docs", lambda path: npy(np.zeros(0, int), path)),
    "halves of documents": ("o.bin", "o.bin.docs", lambda path: npy(np.array([0.0, 1.5]), path)),
    "a header that does not end": (
        "o.npy",
        "o.npy",
        lambda path: path.write_bytes(b"\x93NUMPY\x01\x00\x08\x00{'a': (("),
    ),
    "an empty array": ("o.npy", "o.npy", lambda path: path.write_bytes(b"")),
    "fractions": ("o.npy", "o.npy", lambda path: npy(np.zeros(4), path)),
    "ends before the start": ("o.ds", "o.ds.index", lambda path: path.write_bytes(b"\xff" * 16)),
    "lengths below zero": ("o.idx", "o.idx", lambda path: path.write_bytes(path.read_bytes()[:34] + b"\xff" * 4000)),
    "a count without an end": (
        "o.idx",
        "o.idx",
        lambda path: path.write_bytes(path.read_bytes()[:18] + b"\xff" * 8 + path.read_bytes()[26:]),
    ),
    "ids below zero": ("o.jsonl", "o.jsonl", lambda path: path.write_text('{"ids": [1, -1]}\n')),
    "ids that are too large": ("o.jsonl", "o.jsonl", lambda path: path.write_text('{"ids": [4294967296]}\n')),
    "ids that are no numbers": ("o.jsonl", "o.jsonl", lambda path: path.write_text('{"ids": "123"}\n')),
    "a row of rows": ("o.jsonl", "o.jsonl", lambda path: path.write_text('{"ids": [[1], [2]]}\n')),
    "no rows": ("o.jsonl", "o.jsonl", lambda path: path.write_text("[1, 2]\n")),
    "rows without an end": ("o.jsonl", "o.jsonl", lambda path: path.write_text("[" * 100_000)),
    "lengths of nothing": ("o.jsonl", "o.jsonl", lambda path: path.write_text('{"ids": [1], "lengths": [-1, 2]}\n')),
}


@pytest.mark.parametrize("name", HOSTILE_FILES)
def test_a_hostile_token_file_is_refused(tok: bytemill.Tokenizer, source: Path, tmp_path: Path, name: str) -> None:
    output, changed, change = HOSTILE_FILES[name]
    tok.encode_files(source, tmp_path / output)
    change(tmp_path / changed)
    with pytest.raises((FormatError, SpecError)):
        data = bytemill.open_tokens(tmp_path / output)
        # Documents in the middle are looked at where they are asked for.
        list(data)


def test_a_type_that_is_none_of_ids(tmp_path: Path) -> None:
    (tmp_path / "o.bin").write_bytes(bytes(16))
    for dtype in ("O", "float32", "S4", "nonsense", "u2,u2"):
        with pytest.raises(SpecError, match="dtype is"):
            bytemill.open_tokens(tmp_path / "o.bin", dtype=dtype)
