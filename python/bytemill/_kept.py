"""Columns of Parquet and Arrow files that go along with the ids: their types, and their values row by row."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ._arguments.names import did_you_mean
from ._tables import arrow_module, opened_arrow, walk_batch
from .errors import SpecError

#: How many names of columns a message shows.
SHOWN = 12


class Noted(NamedTuple):
    """Values of some rows: bytes, the place of each row in them, and the rows that cannot be noted, with the reason."""

    values: bytes
    places: list[tuple[int, int]]
    bad: list[tuple[int, str]]


def kept_schema(
    path: str | os.PathLike[str], format: str, columns: Sequence[str] | None, text: str
) -> tuple[list[tuple[str, str]], bytes]:
    """The columns with the names of their types, and all of it as Arrow writes a schema."""
    arrow = arrow_module()
    whole = _schema(Path(path), format)
    names = [name for name in whole.names if name != text] if columns is None else list(columns)
    schema = arrow.schema([arrow.field(name, _plain(_type(whole, name))) for name in names])
    return [(field.name, str(field.type)) for field in schema], schema.serialize().to_pybytes()


def _schema(path: Path, format: str) -> Any:
    if format == "parquet":
        return arrow_module("pyarrow.parquet").ParquetFile(path).schema_arrow
    with opened_arrow(path) as (reader, _):
        return reader.schema


def _type(schema: Any, name: str) -> Any:
    """The type of a column, or of a field in one."""
    first, *rest = [name] if name in schema.names else name.split(".")
    if first in schema.names:
        found = schema.field(schema.names.index(first)).type
        for part in rest:
            number = found.get_field_index(part) if arrow_module().types.is_struct(found) else -1
            if number < 0:
                break
            found = found.field(number).type
        else:
            return found
    names = ", ".join(map(repr, schema.names[:SHOWN]))
    meant = did_you_mean(name, schema.names)
    raise SpecError(f"no column {name!r} to keep in this file, which has {names}; leave it out of keep_columns={meant}")


def _plain(kind: Any) -> Any:
    """The type of the values of a dictionary: what a file numbers them by is its own affair."""
    return kind.value_type if arrow_module().types.is_dictionary(kind) else kind


class KeptColumns:
    """The columns to keep. Several threads can use it."""

    def __init__(self, schema: bytes, for_lines: bool, replace: bool) -> None:
        arrow = arrow_module()
        self.schema = arrow_module("pyarrow.ipc").read_schema(arrow.py_buffer(schema))
        self.for_lines, self.replace = for_lines, replace
        if for_lines:
            for field in self.schema:
                _refuse_for_lines(field)

    @property
    def names(self) -> list[str]:
        return list(self.schema.names)

    def check(self, schema: Any) -> None:
        """Refuses a file whose columns have other types than those of the first one."""
        for field in self.schema:
            found = _plain(_type(schema, field.name))
            if found != field.type:
                raise SpecError(
                    f"the column {field.name!r} holds {found}, and that of the first file {field.type}; keep columns "
                    "of the same types, or write two outputs"
                )

    def noting(self, batch: Any) -> Callable[[int, int], Noted]:
        """What notes the values of rows of a batch, by their numbers."""
        arrow = arrow_module()
        arrays = [walk_batch(batch, name) for name in self.names]
        plain = [array.cast(field.type) for array, field in zip(arrays, self.schema, strict=True)]
        kept = arrow.record_batch(plain, schema=self.schema)
        note = self._as_lines if self.for_lines else _as_table
        return lambda start, end: note(kept.slice(start, end - start))

    def _as_lines(self, rows: Any) -> Noted:
        """Members of a JSON object for each row."""
        parts, places, bad, length = [], [], [], 0
        for number, row in enumerate(_json_rows(rows)):
            try:
                members = json.dumps(row, ensure_ascii=False, allow_nan=False)[1:-1].encode()
            except ValueError:
                members = json.dumps(_without_nan(row), ensure_ascii=False)[1:-1].encode()
                if not self.replace:
                    bad.append((number, f"a kept column has {_nan_of(row)}, which JSON cannot hold; write parquet"))
            parts.append(members)
            places.append((length, len(members)))
            length += len(members)
        return Noted(b"".join(parts), places, bad)


def _as_table(rows: Any) -> Noted:
    return Noted(rows.serialize().to_pybytes(), [(0, row) for row in range(rows.num_rows)], [])


def _json_rows(rows: Any) -> Iterator[dict[str, Any]]:
    """Rows of values that JSON has; times and decimals are texts, as Arrow writes them."""
    arrow = arrow_module()
    columns = [
        (column.cast(arrow.string()) if _is_text_in_json(column.type) else column).to_pylist()
        for column in rows.columns
    ]
    return (dict(zip(rows.schema.names, values, strict=True)) for values in zip(*columns, strict=True))


def _is_text_in_json(kind: Any) -> bool:
    types = arrow_module().types
    return bool(types.is_timestamp(kind) or types.is_date(kind) or types.is_time(kind) or types.is_decimal(kind))


def _is_json(kind: Any) -> bool:
    types = arrow_module().types
    if types.is_struct(kind):
        return all(_is_json(field.type) for field in kind)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _is_json(kind.value_type)
    is_text = types.is_string(kind) or types.is_large_string(kind) or str(kind) == "string_view"
    return bool(
        is_text or types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind) or types.is_null(kind)
    )


def _refuse_for_lines(field: Any) -> None:
    if not _is_json(field.type) and not _is_text_in_json(field.type):
        raise SpecError(
            f"the column {field.name!r} holds {field.type}, which JSON lines cannot; write parquet or arrow, or leave "
            "it out of keep_columns="
        )


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and not float("-inf") < value < float("inf")


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nan(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_without_nan(part) for part in value]
    return None if _is_nan(value) else value


def _nan_of(value: Any) -> str:
    """The first number that JSON does not have: nan, inf or -inf."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return str(value) if _is_nan(value) else next(filter(None, map(_nan_of, parts)), "")
