"""Shards: what a job is divided into. They follow from the files and a size alone, never from the workers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from .._arguments.amounts import memory_bytes
from ..errors import SpecError
from .storage import SourceFile, filesystem, is_url

if TYPE_CHECKING:
    from .._arguments.types import HowToRead

#: The size of a shard where nobody names another.
SHARD_BYTES = 256_000_000
COMPRESSED = (".gz", ".zst", ".xz", ".bz2")


@dataclasses.dataclass(frozen=True)
class Part:
    """A file, or a range of it: bytes up to the next borders of documents, or row groups of a Parquet file."""

    name: str
    path: str
    size: int
    version: str
    start: int
    end: int
    unit: Literal["file", "bytes", "groups"]
    #: About this many bytes are to be read.
    bytes: int

    def __str__(self) -> str:
        """How a message names the place where reading begins."""
        if self.unit == "file" or self.start == 0:
            return self.name
        where = "byte" if self.unit == "bytes" else "row group"
        return f"{self.name} from {where} {self.start:,}"


@dataclasses.dataclass(frozen=True)
class Shard:
    """Parts of files that follow one another."""

    number: int
    of: int
    parts: tuple[Part, ...]

    @property
    def bytes(self) -> int:
        return sum(part.bytes for part in self.parts)


def shard_size(shard_bytes: int | str | None) -> int:
    """The number of bytes that a `shard_bytes=` argument means."""
    if shard_bytes is None:
        return SHARD_BYTES
    if isinstance(shard_bytes, int) and not isinstance(shard_bytes, bool):
        if shard_bytes < 1:
            raise SpecError(f"shard_bytes is at least 1, not {shard_bytes}")
        return shard_bytes
    found = memory_bytes(shard_bytes)
    return SHARD_BYTES if found is None else found


def planned(files: list[SourceFile], how: HowToRead, shard_bytes: int) -> tuple[Shard, ...]:
    """All files in their order, in shards of about `shard_bytes`.

    Lines, JSON lines and texts with a separator are divided anywhere, Parquet files between row groups. Other files are
    in one shard, several of them together if they are small.
    """
    shards: list[list[Part]] = [[]]
    room = shard_bytes
    for file in files:
        for part in _divided(file, how, shard_bytes, room):
            fits = part.bytes <= room or not shards[-1]
            if not fits:
                shards.append([])
                room = shard_bytes
            shards[-1].append(part)
            room -= part.bytes
            if room <= 0:
                shards.append([])
                room = shard_bytes
    filled = [parts for parts in shards if parts]
    return tuple(Shard(number, len(filled), tuple(parts)) for number, parts in enumerate(filled))


def separator_of(file_format: str, separator: str | None) -> bytes | None:
    """What stands between the documents of a file of many, where that can be found from anywhere in it."""
    if file_format in ("lines", "jsonl"):
        return b"\n"
    return separator.encode() if file_format == "text" and separator is not None else None


def _divided(file: SourceFile, how: HowToRead, shard_bytes: int, room: int) -> Iterator[Part]:
    """The parts of a file; the first is to fill the room that there is."""
    whole = Part(file.name, file.path, file.size, file.version, 0, file.size, "file", file.size)
    is_plain = not file.path.lower().endswith(COMPRESSED)
    if file.size <= room:
        yield whole
    elif file.format == "parquet":
        yield from _row_groups(whole, shard_bytes, room)
    elif is_plain and separator_of(file.format, how[3]) is not None:
        start, end = 0, room
        while start < file.size:
            end = min(end, file.size)
            yield dataclasses.replace(whole, start=start, end=end, unit="bytes", bytes=end - start)
            start, end = end, end + shard_bytes
    else:
        yield whole


def _row_groups(whole: Part, shard_bytes: int, room: int) -> Iterator[Part]:
    from .._tables import arrow_module

    parquet = arrow_module("pyarrow.parquet")
    if is_url(whole.path):
        system, within = filesystem(whole.path)
        with system.open(within, "rb") as file:
            metadata = parquet.read_metadata(file)
    else:
        metadata = parquet.read_metadata(whole.path)
    # Sizes before compression, brought to the size of the file.
    sizes = [metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups)]
    scale = whole.size / max(1, sum(sizes))
    start, taken = 0, 0.0
    for group, size in enumerate(sizes):
        if group > start and taken + size * scale > room:
            yield dataclasses.replace(whole, start=start, end=group, unit="groups", bytes=round(taken))
            start, taken, room = group, 0.0, shard_bytes
        taken += size * scale
    yield dataclasses.replace(whole, start=start, end=len(sizes), unit="groups", bytes=round(taken))
