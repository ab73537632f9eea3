"""Columns of Parquet and Arrow files, read and written by pyarrow in blocks. Nothing else imports it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import SpecError

#: Rows of a Parquet row group, or of a batch, are taken apart into batches of this many.
BATCH_ROWS = 1 << 14
#: Ids in a row group that is written: memory is a few times that of its numbers.
GROUP_IDS = 1 << 22


def arrow_module(name: str = "pyarrow") -> Any:
    """pyarrow, or an error that says how to install it."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise ImportError("Parquet and Arrow files need pyarrow: pip install 'bytemill[arrow]'") from None


def read_arrow_column(path: str | os.PathLike[str], column: str) -> Iterator[tuple[Any, int]]:
    """The arrays of texts in a column, each with about how many bytes of the file have been read before it."""
    arrow_module()
    return ((_texts(array, column), read) for array, read in _arrow_batches(Path(path), column))


def _texts(array: Any, column: str) -> Any:
    arrow = arrow_module()
    kind = array.type
    if arrow.types.is_string(kind) or arrow.types.is_large_string(kind):
        return array
    if arrow.types.is_dictionary(kind) or str(kind) == "string_view" or arrow.types.is_null(kind):
        return array.cast(arrow.large_string())
    raise SpecError(f"the column {column!r} holds {kind}, not text; name the one that holds the text with field=")


class ParquetColumn:
    """A column of a Parquet file; `a.b` is the field b of the column a. Several threads can read its row groups."""

    def __init__(self, path: str | os.PathLike[str], column: str) -> None:
        self.path, self.column = Path(path), column
        file = arrow_module("pyarrow.parquet").ParquetFile(path)
        self.metadata = file.metadata
        _known(column, file.schema_arrow)

    @property
    def groups(self) -> list[tuple[int, int, int]]:
        """Of each row group its rows, the bytes of the column in memory, and the bytes of the file up to its end."""
        size, count = self.path.stat().st_size, self.metadata.num_row_groups
        groups = (self.metadata.row_group(number) for number in range(count))
        return [
            (group.num_rows, self._bytes(group), size * (number + 1) // count) for number, group in enumerate(groups)
        ]

    def _bytes(self, group: Any) -> int:
        columns = (group.column(number) for number in range(group.num_columns))
        is_wanted = (self.column, self.column.split(".")[0])
        return sum(
            column.total_uncompressed_size
            for column in columns
            if column.path_in_schema in is_wanted or column.path_in_schema.startswith(f"{self.column}.")
        )

    def arrays(self, group: int, rows: int) -> Iterator[Any]:
        """Yields the arrays of a row group, each with the given number of rows. Each call opens its own reader."""
        file = arrow_module("pyarrow.parquet").ParquetFile(self.path, metadata=self.metadata)
        for batch in file.iter_batches(rows, row_groups=[group], columns=[self.column], use_threads=False):
            yield _texts(_walk(batch, self.column), self.column)


def _arrow_batches(path: Path, column: str) -> Iterator[tuple[Any, int]]:
    """Batch by batch of a file, which is mapped into memory, or of a stream."""
    arrow, ipc = arrow_module(), arrow_module("pyarrow.ipc")
    with arrow.memory_map(str(path)) as source:
        is_file = source.read(6) == b"ARROW1"
        source.seek(0)
        if is_file:
            reader = ipc.open_file(source)
            batches = (reader.get_batch(number) for number in range(reader.num_record_batches))
        else:
            reader = ipc.open_stream(source)
            batches = iter(reader)
        _known(column, reader.schema)
        for batch in batches:
            for start in range(0, batch.num_rows, BATCH_ROWS):
                yield _walk(batch.slice(start, BATCH_ROWS), column), source.tell()


def _known(column: str, schema: Any) -> None:
    if column not in schema.names and column.split(".")[0] not in schema.names:
        names = ", ".join(map(repr, schema.names))
        raise SpecError(f"no column {column!r} in this file, which has {names}; name the one with the text with field=")


def _walk(batch: Any, column: str) -> Any:
    if column in batch.schema.names:
        return batch.column(batch.schema.names.index(column))
    first, *rest = column.split(".")
    found = batch.column(batch.schema.names.index(first))
    compute = arrow_module("pyarrow.compute")
    for name in rest:
        found = compute.struct_field(found, name)
    return found


def write_shard(
    ids: str | os.PathLike[str],
    ends: str | os.PathLike[str],
    dtype: str,
    format: str,
    row: int | None,
    output: str | os.PathLike[str],
) -> None:
    """Writes the ids of a shard as a list column `ids`; of packed rows also the `lengths` of the documents in each."""
    arrow = arrow_module()
    tokens, borders = _mapped(ids, np.dtype(dtype)), _mapped(ends, np.dtype("<u8"))
    kind = arrow.uint16() if dtype == "uint16" else arrow.uint32()
    fields = [("ids", arrow.large_list(kind))]
    if row is not None:
        fields.append(("lengths", arrow.list_(arrow.int32())))
    schema = arrow.schema(fields)
    tables = _document_tables(tokens, borders, schema) if row is None else _row_tables(tokens, borders, schema, row)
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


def _mapped(path: str | os.PathLike[str], dtype: np.dtype[Any]) -> NDArray[Any]:
    return np.memmap(path, dtype, mode="r") if Path(path).stat().st_size else np.zeros(0, dtype)


def _document_tables(tokens: NDArray[Any], borders: NDArray[Any], schema: Any) -> Iterator[Any]:
    """Tables of about as many ids as a group holds."""
    arrow = arrow_module()
    first, start = 0, 0
    while first < len(borders):
        last = max(first + 1, int(np.searchsorted(borders, start + GROUP_IDS, side="right")))
        end = int(borders[last - 1])
        offsets = np.concatenate(([start], borders[first:last].astype(np.int64))) - start
        lists = arrow.LargeListArray.from_arrays(
            arrow.array(offsets, arrow.int64()), arrow.array(tokens[start:end]), type=schema.field("ids").type
        )
        yield arrow.Table.from_arrays([lists], schema=schema)
        first, start = last, end


def _row_tables(tokens: NDArray[Any], borders: NDArray[Any], schema: Any, row: int) -> Iterator[Any]:
    arrow = arrow_module()
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
