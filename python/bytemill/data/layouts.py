"""The ids and the offsets of the documents in a file of each format that bytemill writes."""

from __future__ import annotations

import json
import tokenize
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._tables import arrow_module
from ..errors import BytemillError, FormatError, SpecError

MEGATRON_MAGIC = b"MMIDIDX\x00\x00"
MEGATRON_TYPES = {1: "<u1", 2: "<i1", 3: "<i2", 4: "<i4", 5: "<i8", 8: "<u2"}
#: The first number of llm.c's header, and the type of its ids.
LLMC_TYPES = {20240520: "<u2", 20240801: "<u4"}
LLMC_HEADER_BYTES = 1024


class Part(NamedTuple):
    """The ids of a file, and where each document starts and ends in them."""

    ids: NDArray[Any]
    offsets: NDArray[np.int64]

    def document(self, row: int) -> NDArray[Any]:
        """The ids of a document. Its ends are checked here: to look at all of them would be to read them all."""
        start, end = int(self.offsets[row]), int(self.offsets[row + 1])
        if not 0 <= start <= end <= len(self.ids):
            raise FormatError(f"document {row:,} is from {start:,} to {end:,} of {len(self.ids):,} ids")
        return self.ids[start:end]


#: What reading a file raises that somebody changed or wrote another way. The header of a `.npy` file is an expression
#: of Python, which numpy reads with Python's own reader.
MISMADE = (
    *(ValueError, TypeError, LookupError, AttributeError, OverflowError, EOFError, RecursionError, SyntaxError),
    tokenize.TokenError,
)


def read_part(path: Path, format: str | None = None, dtype: str | None = None) -> Part:
    """A file of a known format; without one, the file is looked at."""
    format = format or format_of(path)
    if format not in READERS:
        raise FormatError(f"{path}: there is no format of token files named {format!r}")
    if dtype is not None:
        check_dtype(dtype)
    if format == "bin" and dtype is None:
        raise SpecError(
            f"{path} holds bare ids, and nothing beside it says how wide they are; pass dtype=, as in 'uint16'"
        )
    try:
        part = READERS[format](path, dtype)
    except (BytemillError, OSError):
        raise
    except MISMADE as error:
        raise FormatError(f"{path} is no whole file of the format {format}: {error}") from None
    ids, offsets = part
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise FormatError(f"{path} holds {ids.dtype} of shape {ids.shape}, expected one row of integers")
    if offsets.ndim != 1 or offsets.dtype.kind not in "iu" or not len(offsets):
        raise FormatError(f"{path}: the places of its documents are not one row of integers")
    if offsets[0] != 0 or not 0 <= int(offsets[-1]) <= len(ids):
        raise FormatError(f"{path} has {len(ids):,} ids, and its documents end at {int(offsets[-1]):,}")
    return part


def check_dtype(dtype: object) -> None:
    try:
        is_whole = np.dtype(dtype).kind in "iu"  # type: ignore[call-overload]
    except TypeError:
        is_whole = False
    if not is_whole:
        raise SpecError(f"dtype is that of ids, as in 'uint16', not {dtype!r}")


def format_of(path: Path) -> str:
    """By the ending, and what is beside a `.bin` or before its ids."""
    ending = path.suffix.lower()
    known = {".npy": "npy", ".ds": "datatrove", ".idx": "megatron"}
    known |= {".jsonl": "jsonl", ".parquet": "parquet", ".arrow": "arrow"}
    if ending in known:
        return known[ending]
    if ending != ".bin":
        raise SpecError(f"{path} is no token file by its name; open the manifest beside it (*.bytemill.json)")
    if path.with_suffix(".idx").exists():
        return "megatron"
    with path.open("rb") as file:
        head = np.frombuffer(file.read(LLMC_HEADER_BYTES), "<u1")
    is_llmc = len(head) == LLMC_HEADER_BYTES and int(head[:4].view("<i4")[0]) in LLMC_TYPES and not head[12:].any()
    return "llmc" if is_llmc else "bin"


def mapped(path: Path, dtype: str, offset: int = 0) -> NDArray[Any]:
    """A file as an array, without reading it."""
    kind = np.dtype(dtype)
    size = path.stat().st_size - offset
    if size < 0 or size % kind.itemsize:
        raise FormatError(f"{path} has {size + offset:,} bytes, which is not a whole number of {kind.name} ids")
    return np.memmap(path, kind, mode="r", offset=offset) if size else np.zeros(0, kind)


def with_offsets(path: Path, ids: NDArray[Any]) -> Part:
    """With what stands beside the ids; without that, all of them are one document."""
    offsets = path.with_name(path.name + ".docs")
    found = array_file(offsets) if offsets.exists() else np.array([0, len(ids)])
    return Part(ids, found)


def array_file(path: Path) -> NDArray[Any]:
    """A `.npy` file, mapped."""
    try:
        return np.lib.format.open_memmap(path, mode="r")
    except MISMADE:
        raise FormatError(f"{path} is not a .npy file, or not a whole one") from None


def read_bin(path: Path, dtype: str | None) -> Part:
    return with_offsets(path, mapped(path, dtype or "uint16"))


def read_npy(path: Path, dtype: str | None) -> Part:
    return with_offsets(path, array_file(path).reshape(-1))


def read_llmc(path: Path, dtype: str | None) -> Part:
    header = np.fromfile(path, "<i4", 256)
    if len(header) < 256 or int(header[0]) not in LLMC_TYPES:
        raise FormatError(f"{path} does not begin like a file of llm.c")
    ids = mapped(path, LLMC_TYPES[int(header[0])], LLMC_HEADER_BYTES)
    if len(ids) != int(header[2]):
        raise FormatError(f"{path} has {len(ids):,} ids and says that it has {int(header[2]):,}")
    return with_offsets(path, ids)


def read_datatrove(path: Path, dtype: str | None) -> Part:
    index, metadata = path.with_name(path.name + ".index"), path.with_name(path.name + ".metadata")
    if dtype is None:
        first = metadata.read_text().splitlines()[0] if metadata.exists() else ""
        dtype = {"2": "uint16", "4": "uint32"}.get(first.rpartition("|")[2])
    if dtype is None:
        raise SpecError(f"{path}: nothing beside it says how wide its ids are; pass dtype=, as in 'uint16'")
    ends = mapped(index, "<u8").astype(np.int64)
    return Part(mapped(path, dtype), np.concatenate((np.zeros(1, np.int64), ends)))


def read_megatron(path: Path, dtype: str | None) -> Part:
    path = path.with_suffix(".bin")
    index = path.with_suffix(".idx")
    with index.open("rb") as file:
        magic, numbers = file.read(9), file.read(25)
    if magic != MEGATRON_MAGIC or len(numbers) < 25:
        raise FormatError(f"{index} does not begin like an index of Megatron")
    kind, count = numbers[8], int.from_bytes(numbers[9:17], "little")
    if kind not in MEGATRON_TYPES:
        raise FormatError(f"{index} is for ids of a type {kind}, which is none of integers")
    lengths = np.memmap(index, "<i4", mode="r", offset=34, shape=(count,)) if count else np.zeros(0, "<i4")
    return Part(
        mapped(path, MEGATRON_TYPES[kind]), np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)))
    )


def joined(rows: list[Any], dtype: str | None) -> Part:
    lengths = np.array([len(row) for row in rows], np.int64)
    ids = np.concatenate([row_of_ids(row) for row in rows]) if rows else np.zeros(0, np.uint32)
    return Part(ids.astype(dtype or "uint32"), np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths))))


def row_of_ids(row: Any) -> NDArray[np.uint32]:
    """Whole numbers of 32 bits, and no others."""
    found = np.array(row) if len(row) else np.zeros(0, np.uint32)
    if (
        found.ndim != 1
        or found.dtype.kind not in "iu"
        or (len(found) and not 0 <= found.min() <= found.max() < 1 << 32)
    ):
        raise TypeError(f"{row!s:.60} is no row of ids")
    return found.astype(np.uint32)


def read_jsonl(path: Path, dtype: str | None) -> Part:
    """In memory, as lines are no array. Rows that were packed become documents again."""
    with path.open("rb") as file:
        records = [json.loads(line) for line in file]
    if any("lengths" in record for record in records):
        return joined([row for record in records for row in _unpacked(record["ids"], record["lengths"])], dtype)
    return joined([record["ids"] for record in records], dtype)


def _unpacked(ids: Any, lengths: Any) -> list[Any]:
    if min(lengths, default=0) < 0 or sum(lengths) > len(ids):
        raise FormatError(f"a row of {len(ids):,} ids has documents of the lengths {lengths!s:.60}")
    ends = np.cumsum(lengths).tolist()
    return [ids[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def read_table(path: Path, dtype: str | None) -> Part:
    """A file of Arrow's is mapped where it can be; of Parquet's, the column is in memory."""
    arrow = arrow_module()
    if path.suffix.lower() == ".parquet":
        table = arrow_module("pyarrow.parquet").read_table(path, memory_map=True)
    else:
        table = arrow_module("pyarrow.ipc").open_file(arrow.memory_map(str(path))).read_all()
    if "lengths" in table.column_names:
        columns = zip(table.column("ids").to_pylist(), table.column("lengths").to_pylist(), strict=True)
        return joined([part for ids, lengths in columns for part in _unpacked(ids, lengths)], dtype)
    chunks = table.column("ids").chunks
    ids = [chunk.flatten().to_numpy() for chunk in chunks]
    lengths = (
        np.concatenate([np.diff(chunk.offsets.to_numpy()) for chunk in chunks]) if chunks else np.zeros(0, np.int64)
    )
    whole = ids[0] if len(ids) == 1 else np.concatenate(ids) if ids else np.zeros(0, dtype or "uint32")
    return Part(whole, np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64))))


READERS: dict[str, Callable[[Path, str | None], Part]] = {
    "bin": read_bin,
    "npy": read_npy,
    "llmc": read_llmc,
    "megatron": read_megatron,
    "datatrove": read_datatrove,
    "jsonl": read_jsonl,
    "parquet": read_table,
    "arrow": read_table,
}
