"""EmbeddingMap: which row of an old embedding matrix each row of the new one comes from."""

from __future__ import annotations

import io
import json
import os
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arguments.types import AnyPath
from .._whole_files import write_whole
from ..errors import BytemillError, FormatError, SpecError


@dataclass(frozen=True, eq=False)
class EmbeddingMap:
    """How the rows of an embedding matrix move when a tokenizer is edited.

    Attributes:
        new_ids: For each old id, its new id; -1 if it has none.
        old_ids: For each new id, its old id; -1 if it had none.
        sources: For each new id without an old one, the old ids that its text was encoded to. Nothing if it had none,
            as with a new special token.
    """

    new_ids: NDArray[np.int64]
    old_ids: NDArray[np.int64]
    sources: Mapping[int, tuple[int, ...]]

    @classmethod
    def of(
        cls, sizes: tuple[int, int], origins: Mapping[int, int], sources: Mapping[int, tuple[int, ...]]
    ) -> EmbeddingMap:
        """The map for the sizes of both vocabularies, the old id of each new one, and the sources of the others."""
        new_ids, old_ids = (np.full(size, -1, dtype=np.int64) for size in sizes)
        for new, old in origins.items():
            new_ids[old] = new
            old_ids[new] = old
        return cls(new_ids, old_ids, {id: tuple(found) for id, found in sorted(sources.items())})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EmbeddingMap) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def move(self, ids: Any) -> NDArray[np.int64]:
        """Old ids as new ids; -1 where the token is gone."""
        found = np.asarray(ids, dtype=np.int64)
        # Numpy counts numbers below zero from the end.
        if found.size and not 0 <= found.min() <= found.max() < len(self.new_ids):
            raise SpecError(f"ids are from 0 to {len(self.new_ids) - 1:,}, not {found.min():,} to {found.max():,}")
        return self.new_ids[found]

    def resize(self, matrix: Any, *, fill: Any = None) -> NDArray[Any]:
        """Returns the embedding matrix of the new tokenizer.

        Tokens that stay keep their rows. A new token gets the mean of the rows of its sources. A row without sources
        is `fill`, or the mean of all old rows.

        Args:
            matrix: The old matrix, with a row for each old id. Rows after these, as models have them to fill up a
                block, are left out.
            fill: The row of tokens without sources.

        Examples:
            >>> import bytemill, numpy as np
            >>> tok = bytemill.train(["low low"], bytemill.BPE(256), progress=False)
            >>> edit = bytemill.surgery.add_tokens(tok, ["lo"])
            >>> old = np.arange(256.0)[:, None]
            >>> edit.embedding_map.resize(old)[-1], (ord("l") + ord("o")) / 2
            (array([109.5]), 109.5)
        """
        old = np.asarray(matrix)
        if old.ndim != 2 or len(old) < len(self.new_ids):
            raise SpecError(
                f"the matrix needs a row for each of {len(self.new_ids):,} old ids; its shape is {old.shape}"
            )
        old = old[: len(self.new_ids)]
        kind = old.dtype if np.issubdtype(old.dtype, np.floating) else np.dtype(float)
        missing = old.mean(axis=0, dtype=np.float64) if fill is None else np.asarray(fill)
        new = np.empty((len(self.old_ids), old.shape[1]), dtype=kind)
        kept = self.old_ids >= 0
        new[kept] = old[self.old_ids[kept]]
        new[~kept] = missing
        for id, found in self.sources.items():
            if found:
                new[id] = old[[*found]].mean(axis=0, dtype=np.float64)
        return new

    def to_dict(self) -> dict[str, Any]:
        """The map as JSON has it: lists of ids, and the sources by the new id."""
        return {
            "old_size": len(self.new_ids),
            "new_size": len(self.old_ids),
            "new_ids": self.new_ids.tolist(),
            "old_ids": self.old_ids.tolist(),
            "sources": {str(id): [*found] for id, found in self.sources.items()},
        }

    def save(self, path: AnyPath) -> None:
        """Writes the map: `.npz` for numpy, `.json` for everything else.

        The arrays of the `.npz` are `new_ids`, `old_ids`, and the sources as `source_of` (a new id) and `source` (one
        of its old ids) side by side.
        """
        where = Path(os.fspath(path))
        if where.suffix == ".json":
            write_whole(where, json.dumps(self.to_dict()) + "\n")
        elif where.suffix == ".npz":
            pairs = [(id, source) for id, found in self.sources.items() for source in found]
            sides = np.array(pairs, dtype=np.int64).reshape(-1, 2)
            empty = np.array([id for id, found in self.sources.items() if not found], dtype=np.int64)
            packed = io.BytesIO()
            np.savez_compressed(
                packed,
                new_ids=self.new_ids,
                old_ids=self.old_ids,
                source_of=sides[:, 0],
                source=sides[:, 1],
                without_source=empty,
            )
            write_whole(where, packed.getvalue())
        else:
            raise SpecError(f"the name of an embedding map ends in .npz or .json, and {where} does not")

    @classmethod
    def load(cls, path: AnyPath) -> EmbeddingMap:
        """Reads a map that `save` wrote."""
        where = Path(os.fspath(path))
        try:
            found = cls(*_arrays(where) if where.suffix == ".npz" else _listed(where))
            found._check()
        except (BytemillError, FileNotFoundError):
            raise
        except MISMADE as error:
            raise FormatError(f"{where}: not an embedding map: {error}") from None
        return found

    def _check(self) -> None:
        """Refuses ids that are none of the vocabularies'."""
        sizes = len(self.new_ids), len(self.old_ids)
        for ids, size in ((self.old_ids, sizes[0]), (self.new_ids, sizes[1])):
            if ids.ndim != 1 or ids.dtype != np.int64:
                raise ValueError(f"its ids are {ids.dtype} of shape {ids.shape}")
            if len(ids) and not (ids.min() >= -1 and ids.max() < size):
                raise ValueError(f"an id is from {ids.min()} to {ids.max()}, and there are {size:,}")
        for id, old in self.sources.items():
            if not (0 <= id < sizes[1] and all(type(one) is int and 0 <= one < sizes[0] for one in old)):
                raise ValueError(f"{old!r:.60} are no sources of {id}")


#: What reading a map raises that somebody changed.
MISMADE = (
    *(ValueError, TypeError, LookupError, AttributeError, OverflowError, EOFError, RecursionError, OSError),
    *(SyntaxError, tokenize.TokenError, zipfile.BadZipFile, zlib.error, NotImplementedError),
)

Contents = tuple[NDArray[np.int64], NDArray[np.int64], dict[int, tuple[int, ...]]]


def _arrays(path: Path) -> Contents:
    # Opened here, because numpy forgets to close what is no archive.
    with path.open("rb") as file, np.load(file) as found:
        sources: dict[int, tuple[int, ...]] = {int(id): () for id in found["without_source"]}
        for id, source in zip(found["source_of"].tolist(), found["source"].tolist(), strict=True):
            sources[id] = (*sources.get(id, ()), source)
        return found["new_ids"], found["old_ids"], dict(sorted(sources.items()))


def _listed(path: Path) -> Contents:
    content = json.loads(path.read_text(encoding="utf-8"))
    sources = {int(id): tuple(old) for id, old in content["sources"].items()}
    new_ids, old_ids = (np.array(content[name], dtype=np.int64) for name in ("new_ids", "old_ids"))
    return new_ids, old_ids, sources
