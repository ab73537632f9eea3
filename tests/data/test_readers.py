"""Training data with the libraries that read it, and tables that they write: each document is what `encode` gives."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bytemill
from bytemill.errors import FormatError, SpecError

from ..conftest import need

pytestmark = pytest.mark.data

TEXTS = ["", "the cat sat on the mat", "naïve 我能 text", "x" * 20, *(f"document {i}, " * (i % 40) for i in range(500))]
SPECS: dict[str, Callable[[], Any]] = {
    "bpe": lambda: bytemill.BPE(290),
    "unigram": lambda: bytemill.Unigram(40),
    "wordpiece": lambda: bytemill.WordPiece(60),
}


@pytest.fixture(scope="module", params=SPECS)
def tok(request: pytest.FixtureRequest) -> bytemill.Tokenizer:
    return bytemill.train(TEXTS, SPECS[request.param](), progress=False)


def table(**columns: Any) -> Any:
    return need("pyarrow").table({"text": TEXTS, "number": list(range(len(TEXTS))), **columns})


def write_parquet(path: Path, found: Any, **options: Any) -> None:
    need("pyarrow.parquet").write_table(found, path, row_group_size=100, **options)


def write_arrow(path: Path, found: Any, stream: bool = False) -> None:
    arrow, ipc = need("pyarrow"), need("pyarrow.ipc")
    make = ipc.new_stream if stream else ipc.new_file
    with arrow.OSFile(str(path), "wb") as file, make(file, found.schema) as writer:
        writer.write_table(found, max_chunksize=70)


@pytest.mark.parametrize("threads", [1, 2])
def test_tables_are_read(tok: bytemill.Tokenizer, tmp_path: Path, threads: int) -> None:
    arrow = need("pyarrow")
    expected = [tok.encode(text) for text in TEXTS]
    for compression in ("snappy", "zstd", "none"):
        write_parquet(tmp_path / "a.parquet", table(), compression=compression)
        assert tok.encode_files(tmp_path / "a.parquet", threads=threads).to_list() == expected
    for stream in (False, True):
        write_arrow(tmp_path / "a.arrow", table(), stream)
        assert tok.encode_files(tmp_path / "a.arrow", threads=threads).to_list() == expected
    large = table().set_column(0, "text", arrow.array(TEXTS, arrow.large_string()))
    write_arrow(tmp_path / "a.arrow", large)
    assert tok.encode_files(tmp_path / "a.arrow", threads=threads).to_list() == expected
    coded = table().set_column(0, "text", arrow.array(TEXTS).dictionary_encode())
    write_arrow(tmp_path / "a.arrow", coded)
    assert tok.encode_files(tmp_path / "a.arrow", threads=threads).to_list() == expected
    nested = table(meta=[{"body": text} for text in TEXTS])
    write_parquet(tmp_path / "a.parquet", nested)
    assert tok.encode_files(tmp_path / "a.parquet", field="meta.body", threads=threads).to_list() == expected


def test_rows_without_a_text(tok: bytemill.Tokenizer, tmp_path: Path) -> None:
    arrow = need("pyarrow")
    write_parquet(tmp_path / "a.parquet", arrow.table({"text": ["the", None, "cat"]}))
    with pytest.raises(FormatError, match=r"a.parquet, row 2: the value is null"):
        tok.encode_files(tmp_path / "a.parquet")
    report = tok.encode_files(tmp_path / "a.parquet", tmp_path / "o.bin", errors="skip")
    assert (report.documents, report.skipped_rows) == (2, 1)
    rows = tok.encode_files(tmp_path / "a.parquet", errors="replace").to_list()
    assert rows == [tok.encode(text) for text in ("the", "", "cat")]
    for field, message in [
        ("other", "no column 'other' in this file, which has 'text'"),
        ("n", "holds int64, not text"),
    ]:
        write_parquet(tmp_path / "b.parquet", arrow.table({"text": ["a"], **({"n": [1]} if field == "n" else {})}))
        with pytest.raises(FormatError, match=message):
            tok.encode_files(tmp_path / "b.parquet", field=field)
    (tmp_path / "c.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(FormatError, match=r"c.parquet"):
        tok.encode_files(tmp_path / "c.parquet")


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_tables_are_written(tok: bytemill.Tokenizer, tmp_path: Path, format: str) -> None:
    polars, duckdb = need("polars"), need("duckdb")
    (tmp_path / "in.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
    expected = [tok.encode(text) for text in TEXTS]
    contents = set()
    for threads in (1, 2):
        report = tok.encode_files(tmp_path / "in.jsonl", tmp_path / f"o.{format}", threads=threads, shard_tokens=3000)
        contents.add(b"".join(file.path.read_bytes() for file in report.files))
    assert len(contents) == 1 and len(report.files) > 1
    read = polars.read_parquet if format == "parquet" else polars.read_ipc
    assert [row for file in report.files for row in read(file.path)["ids"].to_list()] == expected
    assert [row.tolist() for row in bytemill.open_tokens(tmp_path / f"o.{format}", tokenizer=tok)] == expected
    if format == "parquet":
        found = duckdb.sql(f"SELECT sum(len(ids)) FROM '{tmp_path}/o-*.parquet'").fetchall()
        assert found == [(report.tokens,)]
    tok.encode_files(tmp_path / "in.jsonl", tmp_path / f"p.{format}", pack=64, pad=0)
    packed = read(tmp_path / f"p.{format}")
    flat = [id for row in expected for id in row]
    assert [id for row in packed["ids"].to_list() for id in row][: len(flat)] == flat
    lengths = packed["lengths"].to_list()
    assert [sum(row) for row in lengths[:-1]] == [64] * (len(lengths) - 1) and sum(map(sum, lengths)) == len(flat)


def test_columns_are_lent(tok: bytemill.Tokenizer) -> None:
    arrow, polars, pandas, duckdb = need("pyarrow"), need("polars"), need("pandas"), need("duckdb")
    texts = [*TEXTS, None, "end"]
    expected = [None if text is None else tok.encode(text) for text in texts]
    columns = [
        arrow.array(texts),
        arrow.array(texts, arrow.large_string()),
        arrow.array(texts).cast(arrow.string_view()),
        arrow.chunked_array([texts[:100], texts[100:]]),
        arrow.array(["before", *texts])[1:],
        polars.Series("text", texts),
        pandas.Series(texts, dtype="string[pyarrow]"),
        arrow.table({"text": texts}),
    ]
    for column in columns:
        for threads in (1, 2):
            ids = tok.encode_arrow(column, threads=threads)
            assert len(ids) == len(texts) and arrow.array(ids).to_pylist() == expected
    assert polars.Series(tok.encode_arrow(polars.Series(texts))).to_list() == expected
    frame = arrow.table({"text": texts})
    relation = duckdb.from_arrow(frame)
    assert arrow.array(tok.encode_arrow(relation)).to_pylist() == expected
    with pytest.raises(TypeError, match="several columns"):
        tok.encode_arrow(arrow.table({"a": ["x"], "b": ["y"]}))
    with pytest.raises(TypeError, match="not texts"):
        tok.encode_arrow(arrow.array([1, 2]))
    with pytest.raises(TypeError, match="PyCapsule"):
        tok.encode_arrow(["a"])


def test_an_array_that_was_taken_before_is_refused(tok: bytemill.Tokenizer) -> None:
    class Same:
        def __init__(self, name: str, capsules: Any) -> None:
            setattr(self, name, lambda requested_schema=None: capsules)

    texts = need("pyarrow").array(["the cat"])
    array = Same("__arrow_c_array__", texts.__arrow_c_array__())
    stream = Same("__arrow_c_stream__", need("pyarrow").chunked_array([texts]).__arrow_c_stream__())
    for what, once in ("array", array), ("stream", stream):
        assert len(tok.encode_arrow(once)) == 1
        with pytest.raises(ValueError, match=f"the Arrow {what} was read before"):
            tok.encode_arrow(once)


def test_ids_outlive_who_lent_them(tok: bytemill.Tokenizer) -> None:
    arrow = need("pyarrow")
    lent = arrow.array(tok.encode_arrow(arrow.array(TEXTS * 20)))
    gc.collect()
    np.zeros(10**6)
    assert lent.to_pylist() == [tok.encode(text) for text in TEXTS] * 20


def test_datatrove_merges_what_was_written(tok: bytemill.Tokenizer, tmp_path: Path) -> None:
    merger = need("datatrove.pipeline.tokens.merger")
    (tmp_path / "in").mkdir()
    (tmp_path / "in.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS if text))
    report = tok.encode_files(tmp_path / "in.jsonl", tmp_path / "in" / "a.ds", shard_tokens=3000)
    step = merger.DocumentTokenizerMerger(
        str(tmp_path / "in"), str(tmp_path / "out"), "merged", shuffle=False, save_final_metadata=False
    )
    step.run()
    ids = np.concatenate([np.fromfile(path, "<u2") for path in sorted((tmp_path / "out").glob("*.ds"))])
    assert len(report.files) > 1 and len(ids) == report.tokens
    assert sorted(ids.tolist()) == sorted(id for text in TEXTS for id in tok.encode(text))


def test_resuming_tables(tok: bytemill.Tokenizer, tmp_path: Path) -> None:
    """What is missing is encoded, and what is there stays."""
    write_parquet(tmp_path / "a.parquet", table())
    bad = need("pyarrow").table({"text": [*TEXTS * 30, None]})
    write_parquet(tmp_path / "b.parquet", bad)
    options: dict[str, Any] = {"shard_tokens": 5000, "checkpoint": 0, "threads": 1}
    with pytest.raises(FormatError, match="is null"):
        tok.encode_files([tmp_path / "a.parquet", tmp_path / "b.parquet"], tmp_path / "o.parquet", **options)
    first = (tmp_path / "o-00000.parquet").stat().st_mtime_ns
    with pytest.raises(FormatError, match="is null"):
        tok.encode_files(
            [tmp_path / "a.parquet", tmp_path / "b.parquet"], tmp_path / "o.parquet", resume=True, **options
        )
    assert (tmp_path / "o-00000.parquet").stat().st_mtime_ns == first
    with pytest.raises(SpecError, match="other work"):
        tok.encode_files([tmp_path / "a.parquet"], tmp_path / "o.parquet", resume=True, **options)
