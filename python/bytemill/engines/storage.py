"""Files where they are: on this machine and what it has mounted, or behind a URL that fsspec knows."""

from __future__ import annotations

import contextlib
import glob
import os
import re
import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .. import _core
from .._arguments.paths import path_list
from ..errors import SpecError

#: Bytes that are copied at a time.
COPIED_BYTES = 1 << 23

Read = Callable[[int, int], bytes]


class SourceFile(NamedTuple):
    """A file to read: as it was named, where any process finds it, its size, and what changes when it changes."""

    name: str
    path: str
    size: int
    version: str
    format: str


def is_url(path: str | os.PathLike[str]) -> bool:
    """Whether it begins with a scheme; a text may have one anywhere."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]*://\S", os.fspath(path)) is not None


def filesystem(url: str) -> tuple[Any, str]:
    """What fsspec has for the URL, and the path in it."""
    try:
        import fsspec  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise ImportError(f"{url} is a URL, which fsspec reads: pip install 'bytemill[fsspec]'") from None
    found: tuple[Any, str] = fsspec.core.url_to_fs(url)
    return found


def listed(sources: list[str], input_format: str | None) -> list[SourceFile]:
    """The files that paths, patterns, folders and URLs stand for, in order."""
    found: list[SourceFile] = []
    for source in sources:
        found += _remote_files(source) if is_url(source) else _local_files(source)
    return [file if input_format is None else file._replace(format=input_format) for file in found]


def _local_files(source: str) -> list[SourceFile]:
    files = []
    for path, format in _core.list_files(path_list(source))[0]:
        if not path.is_file():
            raise SpecError(f"{path} is no file that can be read in parts; write its text to a file first")
        about = path.stat()
        files.append(SourceFile(str(path), str(path.absolute()), about.st_size, str(about.st_mtime_ns), format))
    return files


def _remote_files(url: str) -> list[SourceFile]:
    system, path = filesystem(url)
    if glob.has_magic(path):
        names = sorted(system.glob(path))
    elif system.isdir(path):
        names = [name for name in sorted(system.find(path)) if not _is_hidden(name[len(path) :])]
    else:
        names = [path]
    if not names:
        raise SpecError(f"there is no file at {url}")
    files = []
    for name in names:
        about = system.info(name)
        full = system.unstrip_protocol(name)
        files.append(SourceFile(full, full, int(about["size"]), str(system.ukey(name)), _core.format_of_name(name)))
    return files


def _is_hidden(name: str) -> bool:
    parts = [part for part in name.split("/") if part]
    return any(part.startswith(".") for part in parts) or name.endswith(".bytemill.json")


@contextlib.contextmanager
def opened(path: str) -> Iterator[Read]:
    """Reads ranges of a file: the bytes from a place up to another, or to the end of the file."""
    if is_url(path):
        system, within = filesystem(path)
        yield lambda start, end: system.cat_file(within, start=start, end=end) if start < end else b""
        return
    with Path(path).open("rb") as file:

        def read(start: int, end: int) -> bytes:
            file.seek(start)
            return file.read(max(0, end - start))

        yield read


def copied(read: Read, start: int, end: int, into: Path, before: bytes = b"") -> None:
    """Writes a range to a file, after the bytes `before`."""
    with into.open("wb") as file:
        file.write(before)
        for place in range(start, end, COPIED_BYTES):
            file.write(read(place, min(end, place + COPIED_BYTES)))


class Folder:
    """The folder that an output goes to: files appear there when they are whole."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._system: Any = None
        self._within = path
        if is_url(path):
            self._system, self._within = filesystem(path)

    @classmethod
    def of(cls, output: str) -> Folder:
        """The one that a file is in."""
        return cls(output.rpartition("/")[0]) if is_url(output) else cls(str(Path(output).absolute().parent))

    def place(self, name: str) -> str:
        return f"{self.path}/{name}" if self._system is not None else str(Path(self.path, name))

    def _inside(self, name: str) -> str:
        return f"{self._within}/{name}"

    def make(self, name: str = "") -> None:
        if self._system is None:
            Path(self.path, name).mkdir(parents=True, exist_ok=True)
        else:
            self._system.makedirs(self._inside(name) if name else self._within, exist_ok=True)

    def put(self, local: Path, name: str) -> None:
        """Moves a finished file here. A worker that does the same work twice puts the same bytes."""
        temporary = f".{uuid.uuid4().hex}.partial"
        if self._system is None:
            if os.stat(local).st_dev == os.stat(self.path).st_dev:  # noqa: PTH116
                local.replace(Path(self.path, name))
                return
            shutil.copyfile(local, Path(self.path, temporary))
            Path(self.path, temporary).replace(Path(self.path, name))
            local.unlink()
        else:
            self._system.put_file(str(local), self._inside(temporary))
            self._system.mv(self._inside(temporary), self._inside(name))
            local.unlink()

    def put_text(self, text: str, name: str) -> None:
        if self._system is None:
            temporary = Path(self.path, f"{name}.{uuid.uuid4().hex}.partial")
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(Path(self.path, name))
        else:
            self._system.pipe_file(self._inside(name), text.encode())

    def text(self, name: str) -> str | None:
        """The text of a file; None if there is none."""
        try:
            if self._system is None:
                return Path(self.path, name).read_text(encoding="utf-8")
            data: bytes = self._system.cat_file(self._inside(name))
            return data.decode()
        except FileNotFoundError:
            return None

    def size(self, name: str) -> int | None:
        """The size of a file; None if there is none."""
        try:
            if self._system is None:
                return Path(self.path, name).stat().st_size
            self._system.invalidate_cache()
            return int(self._system.info(self._inside(name))["size"])
        except FileNotFoundError:
            return None

    def remove(self, name: str) -> None:
        """Removes a file, or a folder with all that is in it, if it is there."""
        if self._system is not None:
            self._system.invalidate_cache()
            if self._system.exists(self._inside(name)):
                self._system.rm(self._inside(name), recursive=True)
        elif Path(self.path, name).is_dir():
            shutil.rmtree(Path(self.path, name), ignore_errors=True)
        else:
            Path(self.path, name).unlink(missing_ok=True)
