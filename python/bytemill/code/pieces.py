"""Pieces of source code by its syntax, and tokens that know theirs."""

from __future__ import annotations

import functools
import os
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._arguments.languages import grammar_name, language_name
from .._arguments.types import AnyPath, Text

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

#: The languages whose grammars are part of the package.
LANGUAGES: tuple[str, ...] = tuple(_core.code_names()[0])
#: The languages whose grammars are in packages of their own: `pip install "bytemill[languages]"`.
WHEEL_LANGUAGES: tuple[str, ...] = tuple(_core.code_names()[1])
#: What a piece can be.
KINDS: tuple[str, ...] = tuple(_core.code_names()[2])


Item = TypeVar("Item")


class _OfSource(Sequence[Item]):
    """A sequence of items, and the syntax of all of them as arrays. `kinds` are indices into `KINDS`."""

    def __init__(self, arrays: dict[str, Any]) -> None:
        self.language: str | None = arrays["language"]
        self.ends: NDArray[np.int64] = arrays["ends"]
        self.kinds: NDArray[np.uint8] = arrays["kinds"]
        self.nodes: NDArray[np.uint16] = arrays["nodes"]
        self.depths: NDArray[np.uint16] = arrays["depths"]
        self.lines: NDArray[np.int64] = arrays["lines"]
        self.columns: NDArray[np.int64] = arrays["columns"]

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> list[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | list[Item]:
        if isinstance(index, slice):
            return [self._item(i) for i in range(*index.indices(len(self)))]
        return self._item(range(len(self))[index])

    def __iter__(self) -> Iterator[Item]:
        return map(self._item, range(len(self)))

    @abstractmethod
    def _item(self, index: int) -> Item: ...

    def _place(self, index: int) -> tuple[int, int, str, int]:
        """Line, column, node and depth."""
        node = _node(self.language, int(self.nodes[index]))
        return int(self.lines[index]), int(self.columns[index]), node, int(self.depths[index])


class CodePiece(NamedTuple):
    """A piece of source code. `start`, `end` and `column` are in bytes; lines count from 1, columns from 0.

    `node` is the node of the syntax tree that the piece is or lies in, and `depth` the number of nodes around it.
    """

    kind: str
    text: bytes
    start: int
    end: int
    line: int
    column: int
    node: str
    depth: int


class CodePieces(_OfSource[CodePiece]):
    """The pieces of a source. Joined, they are the source.

    The same information is in the arrays `kinds`, `starts`, `ends`, `lines`, `columns`, `nodes` and `depths`.
    """

    def __init__(self, source: bytes, arrays: dict[str, Any]) -> None:
        super().__init__(arrays)
        self.source = source

    @property
    def starts(self) -> NDArray[np.int64]:
        return np.concatenate([np.zeros(min(1, len(self)), np.int64), self.ends[:-1]])

    def _item(self, index: int) -> CodePiece:
        start, end = int(self.ends[index - 1]) if index else 0, int(self.ends[index])
        return CodePiece(KINDS[self.kinds[index]], self.source[start:end], start, end, *self._place(index))

    def __repr__(self) -> str:
        return f"<bytemill.code.CodePieces of {self.language or 'no known language'}: {len(self):,} pieces>"


class CodeToken(NamedTuple):
    """A token of source code. `kind`, `node` and `depth` are those of the piece in which the token ends."""

    id: int
    token: str
    kind: str
    start: int
    end: int
    line: int
    column: int
    node: str
    depth: int


class CodeEncoding(_OfSource[CodeToken]):
    """The ids of a source, each with its syntax. Places are in bytes."""

    def __init__(self, tokenizer: Tokenizer, arrays: dict[str, Any]) -> None:
        super().__init__(arrays)
        self.tokenizer = tokenizer
        self.ids: NDArray[np.uint32] = arrays["ids"]
        self.starts: NDArray[np.int64] = arrays["starts"]

    def _item(self, index: int) -> CodeToken:
        id, kind = int(self.ids[index]), KINDS[self.kinds[index]]
        start, end = int(self.starts[index]), int(self.ends[index])
        return CodeToken(id, self.tokenizer.id_to_token(id) or "", kind, start, end, *self._place(index))

    def __repr__(self) -> str:
        return f"<bytemill.code.CodeEncoding of {self.language or 'no known language'}: {len(self):,} tokens>"


def code_pieces(source: Text, language: str | None = None, *, name: AnyPath | None = None) -> CodePieces:
    """Splits a source into pieces by the grammar of its language. The source may be any bytes.

    Without `language`, it is detected from the file `name`, the first line or the content. A source in an unknown
    language is split by its characters only.
    """
    data = _bytes(source)
    if language is None and name is not None:
        language = detect_language(data, name)
    return CodePieces(data, _core.code_pieces(data, grammar_name(language), language is None))


def detect_language(source: Text = b"", name: AnyPath | None = None) -> str | None:
    """Detects the language of a source from its file name, its first line or its content; None if nothing fits.

    Examples:
        >>> detect_language(name="src/lib.rs"), detect_language("#!/usr/bin/env python3")
        ('rust', 'python')
    """
    return _core.detect_language(_bytes(source), None if name is None else os.fspath(name))


def files(sources: AnyPath | Iterable[AnyPath], language: str | None = None) -> list[Path]:
    """Lists source files.

    A folder stands for the files below it whose names tell a language, except those that `.gitignore` excludes. The
    names of `WHEEL_LANGUAGES` tell one only if it is the `language` that is given.
    """
    paths = [sources] if isinstance(sources, (str, os.PathLike)) else list(sources)
    return [Path(path) for path in _core.source_files([os.fspath(path) for path in paths], language_name(language))]


def keywords(language: str) -> list[str]:
    """Lists the reserved words of a language, sorted.

    Examples:
        >>> keywords("go")[:4]
        ['break', 'case', 'chan', 'const']
    """
    return _core.keywords(language_name(language))


def split_identifier(name: str) -> list[str]:
    """Splits a name into its words and separators. Joined, they are the name.

    Examples:
        >>> split_identifier("getHTTPServer_v2")
        ['get', 'HTTP', 'Server', '_', 'v2']
    """
    if not isinstance(name, str):
        raise TypeError(f"name is a str, not {type(name).__name__}")
    return _core.split_identifier(name)


def _bytes(source: Text) -> bytes:
    if isinstance(source, bytes):
        return source
    if not isinstance(source, str):
        raise TypeError(f"a source is str or bytes, not {type(source).__name__}")
    return source.encode()


def _node(language: str | None, number: int) -> str:
    names = () if language is None else _node_names(language)
    return names[number] if number < len(names) else "ERROR" if names else ""


@functools.cache
def _node_names(language: str) -> tuple[str, ...]:
    return tuple(_core.node_names(language))
