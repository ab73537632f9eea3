"""TokenData: the documents of token files, without reading them into memory."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from .._arguments import checks
from .._arguments.names import did_you_mean
from .._arguments.outputs import DTYPES
from ..errors import FormatError, SpecError
from .layouts import Part, read_part

if TYPE_CHECKING:
    from .. import _core
    from .._arguments.types import AnyPath

MANIFEST = ".bytemill.json"


class TokenData:
    """Documents of ids, in one file or in shards; made by `open_tokens`.

    `data[i]` is the array of ids of document `i`, `data[i:j]` a list of such arrays, `len(data)` the number of
    documents. Ids are mapped into memory, except those of `.jsonl` and `.parquet` files, which are read.
    """

    def __init__(self, parts: list[Part], manifest: dict[str, Any] | None = None) -> None:
        self._parts = parts
        #: What the manifest says; None if there is none.
        self.manifest = manifest
        self._first = np.cumsum([0, *(len(part.offsets) - 1 for part in parts)])
        self._starts = np.cumsum([0, *(int(part.offsets[-1]) for part in parts)])

    def __len__(self) -> int:
        return int(self._first[-1])

    def __repr__(self) -> str:
        return f"TokenData({len(self):,} documents, {self.tokens:,} tokens)"

    @property
    def tokens(self) -> int:
        """The number of ids in all documents."""
        return int(self._starts[-1])

    @property
    def fingerprint(self) -> str | None:
        """That of the tokenizer that the ids are of, if it is known."""
        return None if self.manifest is None else str(self.manifest["tokenizer"]["fingerprint"])

    def check(self, tokenizer: _core.Tokenizer) -> None:
        """Raises `FormatError` if the ids are of another tokenizer."""
        known = self.fingerprint
        if known is not None and known != tokenizer.fingerprint:
            raise FormatError(
                f"these ids are of another tokenizer: its fingerprint is {known[:16]}…, and this one's is "
                f"{tokenizer.fingerprint[:16]}…"
            )

    @overload
    def __getitem__(self, index: int) -> NDArray[Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[NDArray[Any]]: ...
    def __getitem__(self, index: int | slice) -> NDArray[Any] | list[NDArray[Any]]:
        if isinstance(index, slice):
            return [self[document] for document in range(*index.indices(len(self)))]
        document = index + len(self) if index < 0 else index
        if not 0 <= document < len(self):
            raise IndexError(f"document {index} of {len(self)}")
        number = int(np.searchsorted(self._first, document, side="right")) - 1
        part, row = self._parts[number], document - int(self._first[number])
        return part.document(row)

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return (self[document] for document in range(len(self)))

    def of_lengths(self, lengths: Collection[int]) -> Iterator[NDArray[Any]]:
        """The documents that have one of these numbers of ids; others are not looked at."""
        for part in self._parts:
            rows = np.flatnonzero(np.isin(np.diff(part.offsets), list(lengths)))
            yield from (part.document(int(row)) for row in rows)

    def slice(self, start: int, stop: int) -> NDArray[Any]:
        """The ids from place `start` up to `stop`, of all documents one after another."""
        start, stop, _ = slice(start, stop).indices(self.tokens)
        found = []
        for part, first, last in zip(self._parts, self._starts, self._starts[1:], strict=False):
            low, high = max(start, int(first)), min(stop, int(last))
            if low < high:
                found.append(part.ids[low - int(first) : high - int(first)])
        if len(found) == 1:
            return found[0]
        return np.concatenate(found) if found else self._parts[0].ids[:0]

    @overload
    def batches(
        self, length: int, size: int, *, seed: int | None = None, framework: Literal["numpy"] = "numpy"
    ) -> Iterator[NDArray[np.int64]]: ...
    @overload
    def batches(
        self, length: int, size: int, *, seed: int | None = None, framework: Literal["torch"]
    ) -> Iterator[Any]: ...
    def batches(
        self, length: int, size: int, *, seed: int | None = None, framework: Literal["numpy", "torch"] = "numpy"
    ) -> Iterator[Any]:
        """Batches of `size` rows of `length` ids each, as int64: all documents one after another, cut into rows.

        What does not fill a row is left out. With a `seed`, rows come in an order drawn at random. Nothing is kept in
        memory but one batch, and one number for each row.
        """
        length, size = checks.whole_number("length", length, least=1), checks.whole_number("size", size, least=1)
        arrays_of = checks.one_of("framework", framework, ("numpy", "torch"))
        return self._batches(length, size, seed, arrays_of)

    def _batches(self, length: int, size: int, seed: int | None, framework: str) -> Iterator[Any]:
        rows = np.arange(self.tokens // length)
        if seed is not None:
            np.random.default_rng(checks.whole_number("seed", seed, least=0)).shuffle(rows)
        for first in range(0, len(rows), size):
            starts = (int(row) * length for row in rows[first : first + size])
            batch = np.stack([self.slice(start, start + length) for start in starts]).astype(np.int64)
            yield importlib.import_module("torch").from_numpy(batch) if framework == "torch" else batch


def open_tokens(
    path: AnyPath, *, split: str | None = None, tokenizer: _core.Tokenizer | None = None, dtype: str | None = None
) -> TokenData:
    """Opens what `Tokenizer.encode_files` or `bytemill encode` wrote, in any of its formats.

    Args:
        path: The output, as it was named there; or one of its files, or its manifest.
        split: `"train"` or `"val"`, if the output was split.
        tokenizer: Checks that the ids are of this tokenizer.
        dtype: The type of the ids of a `.bin` file without a manifest.
    """
    given = Path(os.fspath(path))
    _check_dtype(dtype)
    manifest = found_manifest(given)
    if manifest is None:
        if split is not None:
            raise SpecError(f"nothing beside {given} says which file is of the split {split!r}; open that file")
        return TokenData([read_part(given, None, dtype)])
    told = read_manifest(manifest)
    files = [file for file in told["files"] if split in (None, file["split"])]
    if given != manifest and any(file["name"] == given.name for file in files):
        files = [file for file in files if file["name"] == given.name]
    if not files:
        known = sorted({str(file["split"]) for file in told["files"] if file["split"] is not None})
        splits = f" (known: {', '.join(known)})" if known else ""
        raise SpecError(f"{manifest} tells of no split {split!r}{splits}{did_you_mean(str(split), known)}")
    if dtype is not None and np.dtype(dtype) != np.dtype(told["dtype"]):
        raise SpecError(f"{manifest} says that the ids are {told['dtype']}, and dtype= says {dtype!r}; leave it out")
    parts = [read_part(manifest.with_name(file["name"]), told["format"], told["dtype"]) for file in files]
    data = TokenData(parts, told)
    if tokenizer is not None:
        data.check(tokenizer)
    return data


def _check_dtype(dtype: str | None) -> None:
    try:
        np.dtype(dtype)
    except TypeError:
        meant = did_you_mean(str(dtype), DTYPES)
        raise SpecError(f"dtype is a type of numbers, as in {' or '.join(DTYPES)}, not {dtype!r}{meant}") from None


def found_manifest(path: Path) -> Path | None:
    """The manifest that tells of a file, or that a name without a file stands for."""
    if path.name.endswith(MANIFEST):
        return path
    if not path.exists():
        found = next((manifest for manifest in _possible(path) if manifest.exists()), None)
        if found is None:
            raise FileNotFoundError(f"there is no token file {path}, nor a manifest of that name")
        return found
    names = {path.name, path.with_suffix(".bin").name}
    for manifest in sorted(path.parent.glob(f"*{MANIFEST}")):
        try:
            told = read_manifest(manifest)
        except FormatError:
            continue
        if any(file["name"] in names for file in told["files"]):
            return manifest
    return None


def read_manifest(path: Path) -> dict[str, Any]:
    """What a manifest says, of files beside it and of no others."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        _expect(isinstance(told["format"], str), "format", told["format"])
        _expect(isinstance(told["dtype"], str), "dtype", told["dtype"])
        fingerprint = told["tokenizer"]["fingerprint"]
        _expect(isinstance(fingerprint, str), "fingerprint", fingerprint)
        for file in told["files"]:
            _expect(file["split"] is None or isinstance(file["split"], str), "split", file["split"])
            name = file["name"]
            _expect(isinstance(name, str) and name not in ("", ".", "..") and not {*"/\\\0"} & {*name}, "name", name)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise FormatError(f"{path} is no manifest of token files: {error!s:.200}") from None
    return told  # type: ignore[no-any-return]


def _expect(holds: bool, name: str, value: object) -> None:
    if not holds:
        raise ValueError(f"{name} is {value!r}")


def _possible(path: Path) -> Iterator[Path]:
    """The manifests that an output of this name may have: of shards, of a split, of a name without its ending."""
    whole = path.name.replace("{split}", "").strip("-_.")
    yield path.with_name(path.name + MANIFEST)
    yield path.with_name((whole if "." in whole else f"tokens.{whole}") + MANIFEST)
    yield path.with_suffix(".bin" + MANIFEST)
    yield from sorted(path.parent.glob(f"{path.name}.*{MANIFEST}"))
