"""Published models of three families: what is written is what `encode` gives, for every input, reader and policy."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import itertools
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bytemill
from bytemill.errors import FormatError

from ..conftest import need
from ..unit.test_token_files import read_datatrove, read_llmc, read_megatron

pytestmark = [pytest.mark.data, pytest.mark.shared]

MODELS = {
    "bpe": "openai-gpt2/tokenizer.json",
    "unigram": "t5-base/spiece.model",
    "wordpiece": "bert-base-uncased/tokenizer.json",
}
#: Characters of a document, and of what is taken of each text.
LENGTH, MOST = 700, 12_000


@pytest.fixture(scope="module", params=MODELS)
def tok(request: pytest.FixtureRequest, shared: Path) -> bytemill.Tokenizer:
    return bytemill.load(shared / "models" / MODELS[request.param])


@pytest.fixture(scope="module")
def texts(shared: Path) -> list[str]:
    """Some of each shared text."""
    found = [""]
    for path in sorted((shared / "corpora").glob("*/*")):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        text = data.decode()[:MOST]
        found += [text[start : start + LENGTH] for start in range(0, len(text), LENGTH)]
    return found


@pytest.fixture(scope="module")
def expected(tok: bytemill.Tokenizer, texts: list[str]) -> list[list[int]]:
    return [tok.encode(text) for text in texts]


def lines_of(texts: list[str]) -> bytes:
    return "".join(json.dumps({"id": i, "text": text}) + "\n" for i, text in enumerate(texts)).encode()


def csv_of(texts: list[str]) -> bytes:
    file = io.StringIO(newline="")
    csv.writer(file).writerows([["id", "text"], *([str(i), text] for i, text in enumerate(texts))])
    return file.getvalue().encode()


def zstd(data: bytes) -> bytes:
    return bytes(need("pyarrow").compress(data, codec="zstd", asbytes=True))


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": zstd,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
}


@pytest.mark.parametrize("threads", [1, 2])
def test_every_input(
    tok: bytemill.Tokenizer, texts: list[str], expected: list[list[int]], tmp_path: Path, threads: int
) -> None:
    contents = {"jsonl": lines_of(texts), "json": json.dumps(texts).encode(), "csv": csv_of(texts)}
    for ending, content in contents.items():
        for suffix, compress in COMPRESSIONS.items():
            path = tmp_path / f"a.{ending}{suffix}"
            path.write_bytes(compress(content))
            assert tok.encode_files(path, threads=threads, progress=False).to_list() == expected, path.name
    table = need("pyarrow").table({"id": list(range(len(texts))), "text": texts})
    need("pyarrow.parquet").write_table(table, tmp_path / "a.parquet", row_group_size=50)
    need("pyarrow.feather").write_feather(table, tmp_path / "a.arrow", chunksize=40)
    for name in ("a.parquet", "a.arrow"):
        assert tok.encode_files(tmp_path / name, threads=threads, progress=False).to_list() == expected, name
    (tmp_path / "texts").mkdir()
    for number, text in enumerate(texts):
        (tmp_path / "texts" / f"{number:04}.txt").write_text(text, newline="")
    # A mark at the start of a file is no text.
    marked = [tok.encode(text.removeprefix("\ufeff")) for text in texts]
    assert tok.encode_files(tmp_path / "texts", threads=threads, progress=False).to_list() == marked


def documents_of(ids: Any, path: Path) -> list[list[int]]:
    offsets = np.load(f"{path}.docs")
    return [ids[start:end].tolist() for start, end in itertools.pairwise(offsets)]


def read_dataset(path: Path) -> list[list[int]]:
    dataset = need("datasets").Dataset.from_parquet(str(path), cache_dir=str(path.parent / "cache"))
    return [list(row) for row in dataset["ids"]]


CONSUMERS: dict[str, tuple[str, Callable[[Path], list[list[int]]]]] = {
    "numpy.memmap": ("o.bin", lambda path: documents_of(np.memmap(path, np.uint16, "r"), path)),
    "numpy.load": ("o.npy", lambda path: documents_of(np.load(path, mmap_mode="r"), path)),
    "megatron": ("o.idx", read_megatron),
    "datatrove": ("o.ds", read_datatrove),
    "llmc": ("o.bin", read_llmc),
    "pyarrow": ("o.arrow", lambda path: need("pyarrow.feather").read_table(path)["ids"].to_pylist()),
    "polars": ("o.parquet", lambda path: need("polars").read_parquet(path)["ids"].to_list()),
    "duckdb": (
        "o.parquet",
        lambda path: [row for (row,) in need("duckdb").sql(f"SELECT ids FROM '{path}'").fetchall()],
    ),
    "datasets": ("o.parquet", read_dataset),
}


@pytest.mark.parametrize("consumer", CONSUMERS)
@pytest.mark.parametrize("threads", [1, 2])
def test_every_consumer(
    tok: bytemill.Tokenizer, texts: list[str], expected: list[list[int]], tmp_path: Path, consumer: str, threads: int
) -> None:
    name, read = CONSUMERS[consumer]
    (tmp_path / "in.jsonl").write_bytes(lines_of(texts))
    format = "llmc" if consumer == "llmc" else None
    output = tmp_path / name
    report = tok.encode_files(tmp_path / "in.jsonl", output, format=format, threads=threads, verify=True)
    assert (report.documents, report.verified) == (len(texts), len(texts))
    assert read(output) == expected


def test_every_policy(tok: bytemill.Tokenizer, texts: list[str], expected: list[list[int]], tmp_path: Path) -> None:
    bad = [b'{"text": null}\n', b'{"text": 1}\n', b'{"text": "a\xff"}\n']
    path = tmp_path / "a.jsonl"
    path.write_bytes(bad[0] + lines_of(texts) + bad[1] + bad[2])
    with pytest.raises(FormatError, match=r"a\.jsonl, line 1: "):
        tok.encode_files(path, tmp_path / "o.bin", progress=False)
    for threads in (1, 2):
        how: dict[str, Any] = {"threads": threads, "progress": False}
        report = tok.encode_files(path, tmp_path / "o.bin", errors="skip", **how)
        assert (report.documents, report.skipped_rows) == (len(texts), 3)
        assert [row.tolist() for row in bytemill.open_tokens(tmp_path / "o.bin", tokenizer=tok)] == expected
        replaced = tok.encode_files(path, errors="replace", **how).to_list()
        empty = tok.encode("")
        assert replaced == [empty, *expected, empty, tok.encode("a\ufffd")]
