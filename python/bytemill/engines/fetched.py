"""A shard as files on this machine, for the core to read."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from .._core import format_of_name
from .._tables import arrow_module
from ..errors import BytemillError, SkippedDocuments
from .borders import border
from .shards import Part, Shard, separator_of
from .storage import copied, filesystem, is_url, opened

if TYPE_CHECKING:
    from .._arguments.types import HowToRead

#: Before a range that begins inside a file. A reader takes the first of them for the mark of a file's beginning; what
#: follows is then a document like any other, whatever it begins with.
MARK = "\ufeff".encode()


@dataclasses.dataclass(frozen=True)
class Fetched:
    """The files of a shard, and the part that each is."""

    parts: dict[str, Part]

    @property
    def paths(self) -> list[str]:
        return list(self.parts)

    @contextlib.contextmanager
    def telling(self) -> Iterator[None]:
        """Errors and warnings name places as users know them."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", SkippedDocuments)
            try:
                yield
            except BytemillError as error:
                raise type(error)(self.named(str(error))) from None
        for warning in caught:
            warnings.warn(self.named(str(warning.message)), warning.category, stacklevel=3)

    def named(self, message: str) -> str:
        """A message with the names that users know in place of those of temporary files."""
        for path, part in self.parts.items():
            if part.unit == "bytes" and part.start:
                message = _absolute(message, path, part)
            message = message.replace(path, str(part))
        return message


def _absolute(message: str, path: str, part: Part) -> str:
    """A place in a range as the place in its file."""

    def place(found: re.Match[str]) -> str:
        return f"byte {part.start + int(found[1]) - len(MARK)} of {part.name}"

    return re.sub(rf"byte (\d+) of {re.escape(path)}", place, message)


@contextlib.contextmanager
def fetched(shard: Shard, how: HowToRead) -> Iterator[Fetched]:
    """Whole files of this machine are read where they are; all else is copied for as long as it is needed."""
    with tempfile.TemporaryDirectory(prefix="bytemill-shard-") as folder:
        found = {}
        for number, planned in enumerate(shard.parts):
            path, part = _local(planned, how, Path(folder, str(number)))
            if path is not None:
                found[str(path)] = part
        yield Fetched(found)


def _local(part: Part, how: HowToRead, folder: Path) -> tuple[Path | None, Part]:
    """The file, None if no document begins in the part; and the part with its borders."""
    if part.unit == "file" and not is_url(part.path):
        return Path(part.path), part
    folder.mkdir()
    # The name says the format.
    path = folder / part.path.rpartition("/")[2]
    if part.unit == "groups":
        _copy_row_groups(part, how[1], path)
        return path, part
    with opened(part.path) as read:
        if part.unit == "file":
            copied(read, 0, part.size, path)
            return path, part
        separator = separator_of(how[0] or format_of_name(part.path), how[3]) or b"\n"
        start = border(read, part.size, part.start, separator)
        end = border(read, part.size, part.end, separator)
        if start >= end:
            return None, part
        copied(read, start, end, path, MARK if start else b"")
    return path, dataclasses.replace(part, start=start, end=end, bytes=end - start)


def _copy_row_groups(part: Part, column: str, path: Path) -> None:
    parquet = arrow_module("pyarrow.parquet")
    with contextlib.ExitStack() as stack:
        source = part.path
        if is_url(source):
            system, within = filesystem(source)
            source = stack.enter_context(system.open(within, "rb"))
        file = stack.enter_context(parquet.ParquetFile(source))
        # A column that is not there is what the reader tells of.
        names = file.schema_arrow.names
        columns = [name for name in (column, column.split(".")[0]) if name in names][:1] or None
        table = file.read_row_groups(range(part.start, part.end), columns=columns, use_threads=False)
        parquet.write_table(table, path, compression="NONE")
