"""What long work reads: paths, or documents; and guards for the one mistaken for the other."""

from __future__ import annotations

import itertools
import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .._arguments.paths import path_list
from ..engines.job import Engine
from ..engines.local import Local
from ..engines.named import engine_of
from ..engines.storage import is_url
from ..errors import SpecError

Source = str | os.PathLike[str] | list[Path] | Iterable[str]


class Caller(NamedTuple):
    """The function that reads, for advice: its name, and what it does with a text."""

    name: str
    does: str
    done: str


class LooksLikeFileNames(UserWarning):
    """Documents were given that look like the names of files."""


def documents(source: Source, caller: Caller) -> list[str] | Iterator[str]:
    """Paths as a list of strings, documents as an iterator: what the core takes."""
    if isinstance(source, (str, os.PathLike)):
        _refuse_text_as_path(source, caller)
        return path_list(source)
    if isinstance(source, (list, tuple)) and source and all(isinstance(item, os.PathLike) for item in source):
        return path_list(source)
    if isinstance(source, (bytes, bytearray)) or not isinstance(source, Iterable):
        found = type(source).__name__
        raise TypeError(f"source is a path, a list of Path or an iterable of str, not {found}")
    if isinstance(source, Mapping):
        raise TypeError(
            "source is a path, a list of Path or an iterable of str, and a mapping is none of these: its keys would be "
            f"{caller.done} as text; for its values, pass list(source.values())"
        )
    given: Iterator[Any] = iter(source)
    first = list(itertools.islice(given, 1))
    # One name in a list is enough of a hint, and more documents than one need not be kept.
    if first and isinstance(first[0], str) and _FILE_NAME.fullmatch(first[0]):
        _warn_of_file_names(first[0], caller)
    return _chained(first, given)


def engine_and_files(
    engine: Engine | str | None, shard_bytes: int | str | None, source: Any, caller: Caller
) -> tuple[Engine, list[str]] | None:
    """The engine of a call and the files that it is to read; None if the call is for this machine alone."""
    given = [source] if isinstance(source, (str, os.PathLike)) else source if isinstance(source, (list, tuple)) else []
    # Without an engine, a list of `str` is documents, whatever they begin with.
    if engine is None and shard_bytes is None and not (isinstance(source, str) and is_url(source)):
        return None
    if not given or not all(isinstance(one, (str, os.PathLike)) for one in given):
        raise SpecError("an engine reads files: name files, folders or URLs, or leave out engine= for documents")
    if isinstance(source, str) and not is_url(source):
        _refuse_text_as_path(source, caller)
    found = [os.fspath(one) for one in given]
    return engine_of(engine, found) or Local(), found


def _chained(first: list[Any], documents: Iterator[Any]) -> Iterator[Any]:
    while first:
        yield first.pop()
    yield from documents


def _refuse_text_as_path(source: str | os.PathLike[str], caller: Caller) -> None:
    """A `str` names a file; a text given in its place is the commonest mistake and gets the better message."""
    if isinstance(source, str) and any(c.isspace() for c in source) and not _exists(source):
        raise FileNotFoundError(
            "source is a str, which names a file or folder, and there is none of that name; "
            f"to {caller.does} the text itself, pass it in a list: {caller.name}([text], …)"
        )


def _exists(name: str) -> bool:
    try:
        return Path(name).exists()
    except (OSError, ValueError):  # too long to be the name of a file, or with a NUL in it
        return False


_FILE_NAME = re.compile(r"[^\s<>\"|?*]{1,200}\.[A-Za-z][A-Za-z0-9]{0,7}(\.(gz|zst))?")


def _warn_of_file_names(first: str, caller: Caller) -> None:
    warnings.warn(
        f"the documents look like file names ({first!r}, …) and are {caller.done} as text; "
        f"to read files, pass Path objects: {caller.name}([Path(name) for name in names], …)",
        LooksLikeFileNames,
        stacklevel=4,
    )
