"""Documents as texts in Python, each with its place, for commands that look at every text or answer as they read."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from typing import TypeVar

from .._arguments.names import did_you_mean
from ..errors import FormatError, SpecialTokenError, TextError, UnknownTokenError
from .lines import line_batches
from .sources import STANDARD_INPUT, STDIN, THE_TEXT, Reading, encoded

#: Texts in a batch of files: enough work for all threads.
BATCH_CHARACTERS = 1 << 20
BATCH_TEXTS = 1 << 12
#: What may be wrong with one text of several.
OF_A_TEXT = (SpecialTokenError, TextError, UnknownTokenError)

Made = TypeVar("Made")


@dataclasses.dataclass
class Batch:
    """Texts, and where each comes from."""

    texts: list[str] = dataclasses.field(default_factory=list)
    places: list[str] = dataclasses.field(default_factory=list)

    def add(self, text: str, place: str) -> None:
        self.texts.append(text)
        self.places.append(place)

    def each(self, work: Callable[[str], Made]) -> Iterator[Made]:
        """What becomes of each text. Errors name its place."""
        for text, place in zip(self.texts, self.places, strict=True):
            try:
                yield work(text)
            except OF_A_TEXT as error:
                raise type(error)(f"{place}: {error}") from None


def batches(reading: Reading) -> Iterator[Batch]:
    """The documents in batches. Lines of standard input come as soon as they are there."""
    if reading.is_stdin and reading.input_format in ("lines", "jsonl"):
        yield from _lines_of_stdin(reading)
        return
    batch, size = Batch(), 0
    for text, place in documents(reading):
        batch.add(text, place)
        size += len(text)
        if size >= BATCH_CHARACTERS or len(batch.texts) >= BATCH_TEXTS:
            yield batch
            batch, size = Batch(), 0
    if batch.texts:
        yield batch


def documents(reading: Reading) -> Iterator[tuple[str, str]]:
    """Each document with its place."""
    from .. import _core
    from .._arguments.paths import how_to_read

    if reading.text is not None and reading.input_format in (None, "text"):
        yield decoded(encoded(reading.text), reading.errors, THE_TEXT), THE_TEXT
        return
    with reading.files() as files:
        for text, place in _core.Documents([str(path) for path in files], how_to_read(**reading.how)):
            yield text, files.named(place)


def file_batches(reading: Reading) -> Iterator[tuple[str, list[str]]]:
    """The documents of each file in batches, with its name."""
    from ..see.texts import read_texts
    from ..training.sources import Caller

    with reading.files() as files:
        for name, texts in read_texts([*files], Caller("read", "read", "read"), **reading.how):
            yield files.named(name), texts


def one_document(reading: Reading) -> str:
    """The text of a command that takes just one."""
    found = documents(reading)
    text = next(found, ("", ""))[0]
    if next(found, None) is not None:
        raise FormatError("there are several documents; give one file, or --text")
    return text


def _lines_of_stdin(reading: Reading) -> Iterator[Batch]:
    for first, lines in line_batches(STDIN):
        batch = Batch()
        for number, line in enumerate(lines, first):
            place = f"{STANDARD_INPUT}, line {number:,}"
            text = decoded(line.removesuffix(b"\r"), reading.errors, place)
            if reading.input_format == "lines":
                batch.add(text, place)
            elif text.strip():
                batch.add(field_of(text, reading.field or "text", place), place)
        yield batch


def decoded(data: bytes, errors: str, place: str) -> str:
    try:
        return data.decode("utf-8", errors)
    except UnicodeDecodeError as error:
        byte = f"byte {error.start} is 0x{data[error.start]:02x}, which"
        raise TextError(f"{place}: {byte} is not UTF-8 there; --errors replace reads it as U+FFFD") from None


def field_of(line: str, field: str, place: str) -> str:
    try:
        record = json.loads(line.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise FormatError(f"{place}: not JSON: {error}") from None
    text = record.get(field) if isinstance(record, dict) else None
    if isinstance(text, str):
        return text
    names = list(record) if isinstance(record, dict) else []
    hint = did_you_mean(field, names) or f" (fields: {', '.join(names) or 'none'})"
    raise FormatError(f"{place}: no text in a field named {field!r}{hint}")
