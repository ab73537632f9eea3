"""Shards of ids written as Parquet and Arrow files by pyarrow, in blocks."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._tables import arrow_module

#: Ids in a row group that is written: memory is a few times that of its numbers.
GROUP_IDS = 1 << 22
#: Bytes of kept values that are parsed at once: the parser counts them in 31 bits.
PARSED_BYTES = 1 << 28


class RawShard(NamedTuple):
    """A shard before it is converted: files of ids and of the ends of documents."""

    ids: str | os.PathLike[str]
    ends: str | os.PathLike[str]
    dtype: str
    #: The length of packed rows.
    row: int | None
    kept: KeptBatches | KeptRecords | None


def write_shard(shard: RawShard, format: str, output: str | os.PathLike[str]) -> None:
    """Writes the ids of a shard as a list column `ids`, and kept columns; of packed rows the `lengths` of documents."""
    arrow = arrow_module()
    kind = arrow.uint16() if shard.dtype == "uint16" else arrow.uint32()
    fields = [arrow.field("ids", arrow.large_list(kind))]
    if shard.row is not None:
        fields.append(arrow.field("lengths", arrow.list_(arrow.int32())))
    if shard.kept is not None:
        fields.extend(shard.kept.schema)
    schema = arrow.schema(fields)
    tables = _document_tables(shard, schema) if shard.row is None else _row_tables(shard, schema, shard.row)
    if format == "parquet":
        parquet = arrow_module("pyarrow.parquet")
        with parquet.ParquetWriter(output, schema, compression="zstd") as writer:
            for table in tables:
                writer.write_table(table)
    else:
        ipc = arrow_module("pyarrow.ipc")
        with arrow.OSFile(str(output), "wb") as file, ipc.new_file(file, schema) as writer:
            for table in tables:
                writer.write_table(table)


def _mapped(path: str | os.PathLike[str], dtype: str) -> NDArray[Any]:
    return np.memmap(path, dtype, mode="r") if Path(path).stat().st_size else np.zeros(0, dtype)


def _document_tables(shard: RawShard, schema: Any) -> Iterator[Any]:
    """Tables of about as many ids as a group holds."""
    arrow = arrow_module()
    tokens, borders = _mapped(shard.ids, shard.dtype), _mapped(shard.ends, "<u8")
    first, start = 0, 0
    while first < len(borders):
        last = max(first + 1, int(np.searchsorted(borders, start + GROUP_IDS, side="right")))
        end = int(borders[last - 1])
        offsets = np.concatenate(([start], borders[first:last].astype(np.int64))) - start
        lists = arrow.LargeListArray.from_arrays(
            arrow.array(offsets, arrow.int64()), arrow.array(tokens[start:end]), type=schema.field("ids").type
        )
        kept = [] if shard.kept is None else shard.kept.columns(first, last)
        yield arrow.Table.from_arrays([lists, *kept], schema=schema)
        first, start = last, end


def _row_tables(shard: RawShard, schema: Any, row: int) -> Iterator[Any]:
    arrow = arrow_module()
    tokens, borders = _mapped(shard.ids, shard.dtype), _mapped(shard.ends, "<u8")
    rows = len(tokens) // row
    at_once = max(1, GROUP_IDS // row)
    # Where a document or a row ends, another part of a row begins.
    for first in range(0, rows, at_once):
        last = min(rows, first + at_once)
        starts = np.arange(first, last + 1, dtype=np.int64) * row
        low, high = np.searchsorted(borders, (starts[0], starts[-1]), side="left")
        within = borders[low : high + 1].astype(np.int64)
        cuts = np.unique(np.concatenate((starts, within[(within > starts[0]) & (within < starts[-1])])))
        end = int(borders[-1]) if len(borders) else 0
        cuts = np.unique(np.minimum(cuts, max(end, int(starts[0]))))
        parts = np.diff(cuts)
        of_row = np.searchsorted(cuts[:-1], starts)
        ids = arrow.LargeListArray.from_arrays(
            arrow.array(starts - starts[0], arrow.int64()),
            arrow.array(tokens[starts[0] : starts[-1]]),
            type=schema.field("ids").type,
        )
        lengths = arrow.ListArray.from_arrays(
            arrow.array(of_row.astype(np.int32)), arrow.array(parts.astype(np.int32)), type=schema.field("lengths").type
        )
        yield arrow.Table.from_arrays([ids, lengths], schema=schema)


class KeptBatches:
    """Kept values of tables, which lie in a file as batches of Arrow's."""

    def __init__(self, values: str | os.PathLike[str], places: str | os.PathLike[str], schema: bytes) -> None:
        arrow = arrow_module()
        self.schema = arrow_module("pyarrow.ipc").read_schema(arrow.py_buffer(schema))
        self._places = _mapped(places, "<u8").reshape(-1, 2)
        self._values = arrow.memory_map(str(values)).read_buffer() if len(self._places) else None

    def columns(self, first: int, last: int) -> list[Any]:
        """The values of documents by their numbers, an array for each column."""
        arrow = arrow_module()
        starts, batch_of = np.unique(self._places[first:last, 0], return_inverse=True)
        rows = self._places[first:last, 1].astype(np.int64)
        # Documents batch by batch, so that no more of a batch is in memory than is wanted; then in their own order.
        order = np.argsort(batch_of, kind="stable")
        ends = np.searchsorted(batch_of[order], np.arange(len(starts)), side="right")
        chosen = np.split(rows[order], ends[:-1])
        taken = [self._batch(int(start)).take(arrow.array(rows)) for start, rows in zip(starts, chosen, strict=True)]
        table = arrow.Table.from_batches(taken, self.schema).combine_chunks()
        if not np.array_equal(order, np.arange(len(order))):
            table = table.take(arrow.array(np.argsort(order)))
        return list(table.columns)

    def _batch(self, start: int) -> Any:
        assert self._values is not None
        return arrow_module("pyarrow.ipc").read_record_batch(self._values.slice(start), self.schema)


class KeptRecords:
    """Kept values of records, which lie in a file as members of JSON objects."""

    def __init__(
        self, values: str | os.PathLike[str], places: str | os.PathLike[str], columns: Sequence[tuple[str, str]]
    ) -> None:
        arrow = arrow_module()
        kinds = {"bool": arrow.bool_(), "int64": arrow.int64(), "float64": arrow.float64()}
        self.schema = arrow.schema([(name, kinds.get(kind, arrow.string())) for name, kind in columns])
        self._places = _mapped(places, "<u8").reshape(-1, 2)
        self._values = _mapped(values, "u1").data

    def columns(self, first: int, last: int) -> list[Any]:
        """The values of documents by their numbers, an array for each column."""
        tables = [self._parsed(lines) for lines in self._lines(first, last)]
        return list(arrow_module().concat_tables(tables).combine_chunks().columns)

    def _lines(self, first: int, last: int) -> Iterator[bytes]:
        lines: list[bytes | memoryview] = []
        length = 0
        for start, extent in self._places[first:last].tolist():
            lines += (b"{", self._values[start : start + extent], b"}\n")
            length += extent + 3
            if length >= PARSED_BYTES:
                yield b"".join(lines)
                lines, length = [], 0
        if lines:
            yield b"".join(lines)

    def _parsed(self, lines: bytes) -> Any:
        arrow, parser = arrow_module(), arrow_module("pyarrow.json")
        return parser.read_json(
            arrow.BufferReader(lines),
            read_options=parser.ReadOptions(block_size=len(lines) + 1),
            parse_options=parser.ParseOptions(explicit_schema=self.schema, unexpected_field_behavior="error"),
        )
