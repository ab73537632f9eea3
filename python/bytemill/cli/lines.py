"""Texts one line at a time, for the commands that write to standard output as they read."""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import TypeVar

from ..errors import FormatError, SpecialTokenError, TextError, UnknownTokenError
from .sources import STDIN, existing, standard_input

CHUNK = 1 << 16
#: What may be wrong with one text of several.
OF_A_TEXT = (SpecialTokenError, TextError, UnknownTokenError)


Made = TypeVar("Made")


@dataclass
class Batch:
    """Texts, and the lines that they come from."""

    source: Path
    texts: list[str] = dataclasses.field(default_factory=list)
    lines: list[int] = dataclasses.field(default_factory=list)

    def each(self, work: Callable[[str], Made]) -> Iterator[Made]:
        """What becomes of each text. Errors name its line."""
        for text, line in zip(self.texts, self.lines, strict=True):
            try:
                yield work(text)
            except OF_A_TEXT as error:
                raise type(error)(f"{place(self.source, line)}: {error}") from None


def text_batches(sources: Sequence[Path], field: str, errors: str) -> Iterator[Batch]:
    """The texts of all sources in batches: each line of a `.jsonl` gives its field, any other line itself."""
    for source in list(sources) or [STDIN]:
        is_jsonl = not {".jsonl", ".ndjson"}.isdisjoint(source.suffixes[-2:])
        for first, lines in line_batches(source):
            batch = Batch(source)
            for number, line in enumerate(lines, first):
                text = decoded(line, errors, source, number)
                if is_jsonl and not text.strip():
                    continue
                batch.texts.append(field_of(text, field, source, number) if is_jsonl else text)
                batch.lines.append(number)
            yield batch


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
        raise FormatError(
            f"{source} is a folder; name a file, or encode the folder into a token file with -o tokens.bin"
        )
    if source.suffix == ".zst":
        raise FormatError(
            f"{source}: encode a .zst file into a token file with -o tokens.bin, "
            f"or unpack it on the way: zstd -dc {source} | bytemill …"
        )
    return gzip.GzipFile(source) if source.suffix == ".gz" else source.open("rb")


def decoded(line: bytes, errors: str, source: Path, number: int) -> str:
    try:
        return line.decode("utf-8", errors)
    except UnicodeDecodeError as error:
        byte = f"byte {error.start + 1} (0x{line[error.start]:02x})"
        raise TextError(f"{place(source, number)}: {byte} is not UTF-8; --errors replace reads it as U+FFFD") from None


def field_of(line: str, field: str, source: Path, number: int) -> str:
    try:
        record = json.loads(line.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise FormatError(f"{place(source, number)}: not JSON: {error}") from None
    text = record.get(field) if isinstance(record, dict) else None
    if isinstance(text, str):
        return text
    names = list(record) if isinstance(record, dict) else []
    close = difflib.get_close_matches(field, names, n=1)
    hint = f"; did you mean --field {close[0]}?" if close else f" (fields: {', '.join(names) or 'none'})"
    raise FormatError(f"{place(source, number)}: no text in a field named {field!r}{hint}")


def place(source: Path, number: int) -> str:
    return f"{'standard input' if source == STDIN else source}, line {number:,}"
