"""keep_columns: other columns of the sources beside the ids, as readers of the output see them."""

from __future__ import annotations

import csv
import datetime
import decimal
import json
import math
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill.errors import FormatError, SpecError

from ..conftest import need
from ..unit import test_resume

pytestmark = pytest.mark.data

COUNT = 700
TEXTS = [f"document {i}, " * (i % 30) for i in range(COUNT)]
ROWS: list[dict[str, Any]] = [
    {
        "id": i,
        "text": text,
        "score": i / 7 if i % 3 else i,
        "url": None if i % 11 == 0 else f'https://é.example/"{i}"\n',
        "good": i % 2 == 0,
        "meta": {"tags": ["a", i], "length": len(text)} if i % 5 else None,
    }
    for i, text in enumerate(TEXTS)
]
KEPT = ["id", "score", "url", "good", "meta"]
FORMATS = ["jsonl", "parquet", "arrow"]


@pytest.fixture(scope="module")
def tok() -> bytemill.Tokenizer:
    return bytemill.train(TEXTS, bytemill.BPE(290), progress=False)


def write_lines(path: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return path


def typed_table() -> Any:
    """Types that JSON does not have, dictionaries and nested values."""
    arrow = need("pyarrow")
    moment = datetime.datetime(2026, 11, 18, 1, 2, 3, 4567, tzinfo=datetime.timezone.utc)
    columns = {
        "text": arrow.array(TEXTS),
        "id": arrow.array(range(COUNT), arrow.int16()),
        "when": arrow.array([moment + datetime.timedelta(days=i) for i in range(COUNT)], arrow.timestamp("us", "UTC")),
        "price": arrow.array([decimal.Decimal(i) / 100 for i in range(COUNT)], arrow.decimal128(9, 2)),
        "raw": arrow.array([bytes([i % 256, 255]) for i in range(COUNT)]),
        "kind": arrow.array([["a", "b", None][i % 3] for i in range(COUNT)]).dictionary_encode(),
        "vector": arrow.array([[i / 2, i / 3] for i in range(COUNT)], arrow.list_(arrow.float32(), 2)),
        "meta": arrow.array([None if i % 9 == 0 else {"url": f"u{i}", "n": i} for i in range(COUNT)]),
    }
    return arrow.table(columns)


def read_rows(report: bytemill.EncodeReport) -> list[dict[str, Any]]:
    """By polars, or line by line."""
    polars = need("polars")
    rows: list[dict[str, Any]] = []
    for file in report.files:
        path = Path(file.path)
        if path.suffix == ".jsonl":
            rows += [json.loads(line) for line in path.read_text().splitlines()]
        else:
            rows += (polars.read_parquet if path.suffix == ".parquet" else polars.read_ipc)(path).to_dicts()
    return rows


def expected(tok: bytemill.Tokenizer, format: str, rows: list[dict[str, Any]] = ROWS) -> list[dict[str, Any]]:
    """In a table, what is neither a text nor a number nor a boolean is its JSON."""

    def value(given: Any) -> Any:
        return json.dumps(given, ensure_ascii=False) if format != "jsonl" and isinstance(given, dict) else given

    return [{"ids": tok.encode(row["text"]), **{name: value(row[name]) for name in KEPT}} for row in rows]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("ending", ["jsonl", "json"])
def test_fields_of_json_are_kept(tok: bytemill.Tokenizer, tmp_path: Path, format: str, ending: str) -> None:
    source = write_lines(tmp_path / "in.jsonl")
    if ending == "json":
        source = tmp_path / "in.json"
        source.write_text(json.dumps(ROWS, ensure_ascii=False))
    contents = set()
    for threads in (1, 2, 5):
        report = tok.encode_files(source, tmp_path / f"o.{format}", keep_columns=KEPT, threads=threads)
        contents.add((tmp_path / f"o.{format}").read_bytes())
        assert read_rows(report) == expected(tok, format)
    assert len(contents) == 1
    assert not list(tmp_path.glob(".*"))
    assert [row.tolist() for row in bytemill.open_tokens(tmp_path / f"o.{format}", tokenizer=tok)] == [
        tok.encode(text) for text in TEXTS
    ]
    all_of_them = tok.encode_files(source, tmp_path / f"a.{format}", keep_columns="*")
    assert read_rows(all_of_them) == expected(tok, format)


@pytest.mark.parametrize("format", FORMATS)
def test_shards_splits_and_another_order(tok: bytemill.Tokenizer, tmp_path: Path, format: str) -> None:
    source = write_lines(tmp_path / "in.jsonl")
    how: dict[str, Any] = {"shard_tokens": 2000, "split": 0.3, "shuffle": True, "keep_columns": KEPT, "verify": True}
    report = tok.encode_files(source, tmp_path / f"o.{format}", **how)
    found = read_rows(report)
    assert len(report.files) > 3 and [row["id"] for row in found] != list(range(COUNT))
    assert sorted(found, key=lambda row: row["id"]) == expected(tok, format)
    table = typed_table().drop_columns(["raw", "when", "price"])
    need("pyarrow.parquet").write_table(table, tmp_path / "in.parquet", row_group_size=90)
    report = tok.encode_files(
        tmp_path / "in.parquet", tmp_path / f"p.{format}", **{**how, "keep_columns": ["kind", "id"]}
    )
    rows = sorted(zip(TEXTS, table["kind"].to_pylist(), range(COUNT), strict=True), key=lambda row: row[2])
    found = sorted(read_rows(report), key=lambda row: row["id"])
    assert found == [{"ids": tok.encode(text), "kind": kind, "id": id} for text, kind, id in rows]


@pytest.mark.parametrize("source", ["in.parquet", "in.arrow", "stream.arrow"])
@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_types_of_tables_are_kept(tok: bytemill.Tokenizer, tmp_path: Path, source: str, format: str) -> None:
    arrow, parquet, ipc = need("pyarrow"), need("pyarrow.parquet"), need("pyarrow.ipc")
    table = typed_table()
    path = tmp_path / source
    if source == "in.parquet":
        parquet.write_table(table, path, row_group_size=90)
    else:
        make = ipc.new_stream if source.startswith("stream") else ipc.new_file
        with arrow.OSFile(str(path), "wb") as file, make(file, table.schema) as writer:
            writer.write_table(table.unify_dictionaries(), max_chunksize=80)
    names = ["id", "when", "price", "raw", "kind", "vector", "meta", "meta.url"]
    contents = set()
    for threads in (1, 3):
        output = tmp_path / f"o.{format}"
        tok.encode_files(path, output, keep_columns=names, threads=threads)
        contents.add(output.read_bytes())
        read = parquet.read_table(output) if format == "parquet" else need("pyarrow.feather").read_table(output)
        assert read["ids"].to_pylist() == [tok.encode(text) for text in TEXTS]
        for name in names:
            wanted = need("pyarrow.compute").struct_field(table["meta"], "url") if name == "meta.url" else table[name]
            wanted = wanted.cast(arrow.string()) if name == "kind" else wanted
            assert read[name].type == wanted.type
            assert read[name].to_pylist() == wanted.to_pylist()
    assert len(contents) == 1


def test_tables_to_lines(tok: bytemill.Tokenizer, tmp_path: Path) -> None:
    arrow = need("pyarrow")
    table = typed_table()
    need("pyarrow.parquet").write_table(table, tmp_path / "in.parquet", row_group_size=90)
    names = ["id", "when", "price", "kind", "vector", "meta"]
    found = read_rows(tok.encode_files(tmp_path / "in.parquet", tmp_path / "o.jsonl", keep_columns=names))
    assert found[5]["when"] == "2026-11-23 01:02:03.004567Z" and found[5]["price"] == "0.05"
    for name in ("id", "kind", "vector", "meta"):
        assert [row[name] for row in found] == table[name].to_pylist(), name
    with pytest.raises(FormatError, match="column 'raw' holds binary, which JSON lines cannot"):
        tok.encode_files(tmp_path / "in.parquet", tmp_path / "o.jsonl", keep_columns="*")
    odd = arrow.table({"text": ["a", "b", "c"], "x": [1.0, math.nan, 2.0]})
    need("pyarrow.parquet").write_table(odd, tmp_path / "odd.parquet")
    with pytest.raises(FormatError, match=r"odd.parquet, row 2: a kept column has nan"):
        tok.encode_files(tmp_path / "odd.parquet", tmp_path / "o.jsonl", keep_columns=["x"])
    found = read_rows(
        tok.encode_files(tmp_path / "odd.parquet", tmp_path / "o.jsonl", keep_columns=["x"], errors="skip")
    )
    assert [row["x"] for row in found] == [1.0, 2.0]
    how: dict[str, Any] = {"keep_columns": ["x"], "errors": "replace"}
    found = read_rows(tok.encode_files(tmp_path / "odd.parquet", tmp_path / "o.jsonl", **how))
    assert [(row["ids"], row["x"]) for row in found] == [
        (tok.encode("a"), 1.0),
        (tok.encode("b"), None),
        (tok.encode("c"), 2.0),
    ]


@pytest.mark.parametrize("format", FORMATS)
def test_columns_of_csv_are_texts_unless_a_type_is_given(tok: bytemill.Tokenizer, tmp_path: Path, format: str) -> None:
    with (tmp_path / "in.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", "note"])
        writer.writerows([str(i), text, f'say "{i}",\n'] for i, text in enumerate(TEXTS))
    report = tok.encode_files(tmp_path / "in.csv", tmp_path / f"o.{format}", keep_columns=["note", "id"])
    rows = read_rows(report)
    assert [(row["note"], row["id"]) for row in rows] == [(f'say "{i}",\n', str(i)) for i in range(COUNT)]
    report = tok.encode_files(tmp_path / "in.csv", tmp_path / f"o.{format}", keep_columns={"id": "int64"})
    assert [row["id"] for row in read_rows(report)] == list(range(COUNT))
    with pytest.raises(SpecError, match=r'no column "x" to keep in .*in.csv, which has "id", "text", "note"'):
        tok.encode_files(tmp_path / "in.csv", tmp_path / f"o.{format}", keep_columns=["x"])


@pytest.mark.parametrize("format", FORMATS)
def test_rows_that_are_left_out_take_their_values_along(tok: bytemill.Tokenizer, tmp_path: Path, format: str) -> None:
    rows = [{**row, "text": None if row["id"] % 4 == 1 else row["text"]} for row in ROWS]
    source = write_lines(tmp_path / "in.jsonl", rows)
    report = tok.encode_files(source, tmp_path / f"o.{format}", keep_columns=["id"], errors="skip")
    assert [row["id"] for row in read_rows(report)] == [i for i in range(COUNT) if i % 4 != 1]
    report = tok.encode_files(source, tmp_path / f"o.{format}", keep_columns=["id"], errors="replace")
    assert [row["id"] for row in read_rows(report)] == list(range(COUNT))


def test_a_value_of_another_type_is_a_bad_row(tok: bytemill.Tokenizer, tmp_path: Path) -> None:
    rows = [*ROWS, *ROWS, {"id": "odd", "text": "the"}]
    source, output = write_lines(tmp_path / "in.jsonl", rows), tmp_path / "o.parquet"
    with pytest.raises(FormatError, match=r'line 1401: the kept column "id" is of the type int64, and "odd" is not'):
        tok.encode_files(source, output, keep_columns=["id"])
    report = tok.encode_files(source, output, keep_columns=["id"], errors="skip")
    assert (report.documents, report.skipped_rows) == (2 * COUNT, 1)
    rows = read_rows(tok.encode_files(source, output, keep_columns=["id"], errors="replace"))
    assert rows[-1] == {"ids": tok.encode("the"), "id": None}
    rows = read_rows(tok.encode_files(source, output, keep_columns={"id": "json"}))
    assert (rows[0]["id"], rows[-1]["id"]) == ("0", '"odd"')
    source = write_lines(tmp_path / "new.jsonl", [*ROWS, *ROWS, {"text": "the", "new": 1}])
    with pytest.raises(FormatError, match='the field "new" is in none of the first records'):
        tok.encode_files(source, output, keep_columns="*")


def test_what_has_no_columns_is_refused(tok: bytemill.Tokenizer, tmp_path: Path) -> None:
    arrow, parquet = need("pyarrow"), need("pyarrow.parquet")
    source = write_lines(tmp_path / "in.jsonl")
    (tmp_path / "a.txt").write_text("the")
    output = tmp_path / "o.parquet"
    for format in ("bin", "npy", "megatron", "datatrove", "llmc"):
        with pytest.raises(SpecError, match=f"the format of the output is {format}, which holds ids alone"):
            tok.encode_files(source, tmp_path / "o", format=format, keep_columns=["id"])
    with pytest.raises(SpecError, match=r"a.txt is text, which has no columns to keep"):
        tok.encode_files(tmp_path / "a.txt", output, keep_columns=["id"])
    with pytest.raises(SpecError, match=r"a.txt is text, which has no columns to keep"):
        tok.encode_files([source, tmp_path / "a.txt"], output, keep_columns=["id"])
    with pytest.raises(SpecError, match="documents= are texts"):
        tok.encode_files(documents=iter(["a"]), output=output, keep_columns=["id"])
    with pytest.raises(SpecError, match="packed rows"):
        tok.encode_files(source, output, keep_columns=["id"], pack=8, pad=0)
    with pytest.raises(SpecError, match="leave out engine= and shard_bytes="):
        tok.encode_files(source, output, keep_columns=["id"], shard_bytes="1MB")
    with pytest.raises(SpecError, match="are for an output"):
        tok.encode_files(source, keep_columns=["id"])
    with pytest.raises(TypeError, match="keep_columns is a list of names"):
        tok.encode_files(source, output, keep_columns="id")
    with pytest.raises(SpecError, match="keep_columns"):
        tok.encode_files(source, output, keep_columns={"id": "int8"})
    parquet.write_table(arrow.table({"text": ["a"], "id": [1]}), tmp_path / "a.parquet")
    parquet.write_table(arrow.table({"text": ["a"], "id": ["1"]}), tmp_path / "b.parquet")
    parquet.write_table(arrow.table({"text": ["a"], "ids": [[1]]}), tmp_path / "c.parquet")
    with pytest.raises(FormatError, match="column 'id' holds string, and that of the first file int64"):
        tok.encode_files([tmp_path / "a.parquet", tmp_path / "b.parquet"], output, keep_columns=["id"])
    with pytest.raises(SpecError, match="unlike the first file"):
        tok.encode_files([tmp_path / "a.parquet", source], output, keep_columns=["id"])
    with pytest.raises(FormatError, match="no column 'x' to keep in this file, which has 'text', 'id'"):
        tok.encode_files(tmp_path / "a.parquet", output, keep_columns=["x"])
    with pytest.raises(SpecError, match='cannot be called "ids"'):
        tok.encode_files(tmp_path / "c.parquet", output, keep_columns="*")
    with pytest.raises(SpecError, match="leave out that of"):
        tok.encode_files(tmp_path / "a.parquet", output, keep_columns={"id": "int64"})
    assert not list(tmp_path.glob(".*")) and not output.exists()


def test_other_readers_see_the_columns(tok: bytemill.Tokenizer, tmp_path: Path) -> None:
    duckdb, datasets = need("duckdb"), need("datasets")
    source = write_lines(tmp_path / "in.jsonl")
    tok.encode_files(source, tmp_path / "o.parquet", keep_columns=["id", "good"], shard_tokens=2000)
    found = duckdb.sql(f"SELECT sum(id), count(*) FILTER (good) FROM '{tmp_path}/o-*.parquet'").fetchall()
    assert found == [(sum(range(COUNT)), COUNT // 2)]
    files = sorted(str(path) for path in tmp_path.glob("o-*.parquet"))
    dataset = datasets.Dataset.from_parquet(files, cache_dir=str(tmp_path / "cache"))
    assert dataset["id"][:] == list(range(COUNT)) and dataset.column_names == ["ids", "id", "good"]


@pytest.fixture(scope="module")
def corpus(tok: bytemill.Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    tok.save(folder / "tok.mill")
    write_lines(folder / "in.jsonl", ROWS * 10)
    table = need("pyarrow").concat_tables([typed_table().select(["text", "id", "kind", "vector"])] * 10)
    need("pyarrow.parquet").write_table(table, folder / "in.parquet", row_group_size=900)
    return folder


@pytest.mark.parametrize(
    ("source", "output", "order"),
    [
        ("in.jsonl", "o.jsonl", {}),
        ("in.jsonl", "o.parquet", {"shuffle": True, "split": 0.2}),
        ("in.parquet", "o.arrow", {}),
        ("in.parquet", "o.parquet", {"shuffle": True, "split": 0.2}),
    ],
)
def test_a_killed_run_is_resumed(corpus: Path, tmp_path: Path, source: str, output: str, order: dict[str, Any]) -> None:
    options = {"keep_columns": "*", "shard_tokens": 30_000, **order}
    test_resume.check(corpus, tmp_path, test_resume.Work(output, options, [source]), 1)
