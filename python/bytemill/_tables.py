"""Columns of Parquet and Arrow files, read by pyarrow in blocks. `_kept` and `_table_shards` import it here, too."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ._arguments.names import did_you_mean
from .errors import SpecError

if TYPE_CHECKING:
    from ._kept import KeptColumns, Noted

#: Rows of a Parquet row group, or of a batch, are taken apart into batches of this many.
BATCH_ROWS = 1 << 14
#: What notes the values of kept columns of a batch, if there are any: from a row up to another.
Note: TypeAlias = "Callable[[int, int], Noted] | None"


def arrow_module(name: str = "pyarrow") -> Any:
    """pyarrow, or an error that says how to install it."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise ImportError("Parquet and Arrow files need pyarrow: pip install 'bytemill[arrow]'") from None


def read_arrow_column(
    path: str | os.PathLike[str], column: str, keep: KeptColumns | None
) -> Iterator[tuple[tuple[Any, Note], int]]:
    """The arrays of texts in a column, each with about how many bytes of the file have been read before it."""
    arrow_module()
    return ((_rows(batch, column, keep), read) for batch, read in _arrow_batches(Path(path), column, keep))


def _rows(batch: Any, column: str, keep: KeptColumns | None) -> tuple[Any, Note]:
    return _texts(walk_batch(batch, column), column), None if keep is None else keep.noting(batch)


def _texts(array: Any, column: str) -> Any:
    arrow = arrow_module()
    kind = array.type
    if arrow.types.is_string(kind) or arrow.types.is_large_string(kind):
        return array
    if arrow.types.is_dictionary(kind) or str(kind) == "string_view" or arrow.types.is_null(kind):
        return array.cast(arrow.large_string())
    raise SpecError(f"the column {column!r} holds {kind}, not text; name the one that holds the text with field=")


class ParquetColumn:
    """A column of a Parquet file; `a.b` is the field b of the column a. Several threads can read its row groups.

    With `keep`, other columns go along with it.
    """

    def __init__(self, path: str | os.PathLike[str], column: str, keep: KeptColumns | None) -> None:
        self.path, self.column, self.keep = Path(path), column, keep
        self.wanted = list(dict.fromkeys([column, *([] if keep is None else keep.names)]))
        file = arrow_module("pyarrow.parquet").ParquetFile(path)
        self.metadata = file.metadata
        _known(column, file.schema_arrow)
        if keep is not None:
            keep.check(file.schema_arrow)

    @property
    def groups(self) -> list[tuple[int, int, int]]:
        """For each row group: its rows, the bytes of the columns in memory, and those of the file up to its end."""
        size, count = self.path.stat().st_size, self.metadata.num_row_groups
        groups = (self.metadata.row_group(number) for number in range(count))
        return [
            (group.num_rows, self._bytes(group), size * (number + 1) // count) for number, group in enumerate(groups)
        ]

    def _bytes(self, group: Any) -> int:
        columns = (group.column(number) for number in range(group.num_columns))
        is_wanted = {part for name in self.wanted for part in (name, name.split(".")[0])}
        within = tuple(f"{name}." for name in self.wanted)
        return sum(
            column.total_uncompressed_size
            for column in columns
            if column.path_in_schema in is_wanted or column.path_in_schema.startswith(within)
        )

    def arrays(self, group: int, rows: int) -> Iterator[tuple[Any, Note]]:
        """Yields the arrays of a row group, each with the given number of rows. Each call opens its own reader."""
        file = arrow_module("pyarrow.parquet").ParquetFile(self.path, metadata=self.metadata)
        for batch in file.iter_batches(rows, row_groups=[group], columns=self.wanted, use_threads=False):
            yield _rows(batch, self.column, self.keep)


@contextlib.contextmanager
def opened_arrow(path: Path) -> Iterator[tuple[Any, Any]]:
    """A reader of a file, which is mapped into memory, or of a stream; and the file itself."""
    arrow, ipc = arrow_module(), arrow_module("pyarrow.ipc")
    with arrow.memory_map(str(path)) as source:
        is_file = source.read(6) == b"ARROW1"
        source.seek(0)
        yield (ipc.open_file if is_file else ipc.open_stream)(source), source


def _arrow_batches(path: Path, column: str, keep: KeptColumns | None) -> Iterator[tuple[Any, int]]:
    """Batch by batch of a file or of a stream, and how many bytes of it have been read."""
    with opened_arrow(path) as (reader, source):
        _known(column, reader.schema)
        if keep is not None:
            keep.check(reader.schema)
        numbered = hasattr(reader, "get_batch")
        batches = map(reader.get_batch, range(reader.num_record_batches)) if numbered else reader
        for batch in batches:
            for start in range(0, batch.num_rows, BATCH_ROWS):
                yield batch.slice(start, BATCH_ROWS), source.tell()


def _known(column: str, schema: Any) -> None:
    if column not in schema.names and column.split(".")[0] not in schema.names:
        names = ", ".join(map(repr, schema.names))
        meant = did_you_mean(column, schema.names)
        raise SpecError(
            f"no column {column!r} in this file, which has {names}; name the one with the text with field={meant}"
        )


def walk_batch(batch: Any, column: str) -> Any:
    """A column of a batch, or a field in one."""
    if column in batch.schema.names:
        return batch.column(batch.schema.names.index(column))
    first, *rest = column.split(".")
    found = batch.column(batch.schema.names.index(first))
    compute = arrow_module("pyarrow.compute")
    for name in rest:
        found = compute.struct_field(found, name)
    return found
