"""The texts that something is looked at on: documents, each with the name of its file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from .. import _core
from .._arguments.paths import how_to_read
from ..training.sources import Caller, Source, documents

if TYPE_CHECKING:
    from .._arguments.types import HowToRead

#: The name of documents that come from no file.
TEXTS = "texts"

#: Characters that are encoded together: enough work for a measurement, little enough memory.
BATCH_CHARACTERS = 1 << 20

#: Documents of one file, with its name.
Batch = tuple[str, list[str]]


def read_texts(source: Source, caller: Caller, **how: Any) -> Iterator[Batch]:
    """The documents of paths, or documents themselves, in batches of one file each.

    `how` has the arguments of `how_to_read`.
    """
    settings = how_to_read(**how)
    found = documents(source, caller)
    if not isinstance(found, list):
        yield from _batches(TEXTS, _checked(found))
        return
    files, _ = _core.list_files(found)
    for path, _ in files:
        yield from _batches(str(path), _of_file(str(path), settings))


def _of_file(path: str, how: HowToRead) -> Iterator[str]:
    return (text for text, _ in _core.Documents([path], how))


def _checked(texts: Iterable[Any]) -> Iterator[str]:
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"a document is a str, not {type(text).__name__}")
        yield text


def _batches(name: str, texts: Iterable[str]) -> Iterator[Batch]:
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text) + 1
        if size >= BATCH_CHARACTERS:
            yield name, batch
            batch, size = [], 0
    if batch:
        yield name, batch
