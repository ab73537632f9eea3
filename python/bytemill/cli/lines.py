"""Lines of a file or of standard input, as soon as they are there."""

from __future__ import annotations

import contextlib
import gzip
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from io import BufferedIOBase
from pathlib import Path

from ..errors import FormatError
from .sources import STDIN, existing, standard_input

CHUNK = 1 << 16


def line_batches(source: Path) -> Iterator[tuple[int, list[bytes]]]:
    """The complete lines that each read brings, with the number of the first.

    A file comes in large batches, a slow pipe line by line.
    """
    first = 1
    unfinished: list[bytes] = []
    try:
        with opened(source) as file:
            while chunk := file.read1(CHUNK):
                end = chunk.rfind(b"\n")
                if end < 0:
                    unfinished.append(chunk)
                    continue
                lines = b"".join([*unfinished, chunk[:end]]).split(b"\n")
                unfinished = [chunk[end + 1 :]]
                yield first, lines
                first += len(lines)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError(f"{source}: {error}") from None
    if any(unfinished):
        yield first, [b"".join(unfinished)]


def opened(source: Path) -> AbstractContextManager[BufferedIOBase]:
    if source == STDIN:
        return contextlib.nullcontext(standard_input())
    if existing(source).is_dir():
        raise FormatError(f"{source} is a folder; name a file")
    if source.suffix == ".zst":
        raise FormatError(f"{source} is compressed; unpack it on the way: zstd -dc {source} | bytemill …")
    return gzip.GzipFile(source) if source.suffix == ".gz" else source.open("rb")
