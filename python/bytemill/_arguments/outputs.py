"""How token files are to be written, as the core takes it."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import SpecError
from . import checks
from .amounts import vocabulary_size
from .appended import token_id

if TYPE_CHECKING:
    from .. import _core
    from .types import KeptNames

OUTPUT_FORMATS = ("bin", "npy", "megatron", "datatrove", "llmc", "jsonl", "parquet", "arrow")
DTYPES = ("uint16", "uint32")
#: What kept columns of JSON records can hold.
KEPT_TYPES = ("bool", "int64", "float64", "string", "json")


def kept_columns(given: KeptNames | None) -> list[tuple[str, str | None]] | None:
    """Names with their types, if these are given; an empty list for all columns, and None for none of them."""
    if given is None or (not isinstance(given, str) and not given):
        return None
    if given == "*":
        return []
    is_named = isinstance(given, (Mapping, Sequence)) and not isinstance(given, (str, bytes))
    if not is_named or not all(isinstance(name, str) for name in given):
        raise TypeError('keep_columns is a list of names, a dict of names and types, or "*" for all columns')
    if not isinstance(given, Mapping):
        return [(name, None) for name in dict.fromkeys(given)]
    return [
        (name, None if kind is None else checks.one_of("keep_columns", kind, KEPT_TYPES))
        for name, kind in given.items()
    ]


@dataclasses.dataclass(frozen=True)
class Writing:
    """The options of `Tokenizer.encode_files` that are about its output; they are described there."""

    format: str | None = None
    dtype: str | None = None
    shard_tokens: int | str | None = None
    split: float | None = None
    shuffle: bool = False
    seed: int = 0
    pack: int | None = None
    pad: str | int | None = None
    keep_columns: KeptNames | None = None
    resume: bool = False
    checkpoint: float = 30.0
    #: Whether this is one of several shards, which may leave out all of its documents.
    is_shard: bool = False

    def for_core(self, tok: _core.Tokenizer, others: dict[str, Any]) -> dict[str, Any]:
        """As the core takes them. `others` are options that the manifest tells as well."""
        checks.flag("shuffle", self.shuffle)
        checks.flag("resume", self.resume)
        shard_tokens = vocabulary_size("shard_tokens", self.shard_tokens)
        return {
            "format": None if self.format is None else checks.one_of("format", self.format, OUTPUT_FORMATS),
            "dtype": None if self.dtype is None else checks.one_of("dtype", self.dtype, DTYPES),
            "shard_tokens": checks.optional_whole_number("shard_tokens", shard_tokens, least=1),
            "split": self._split(),
            "shuffle": self.shuffle,
            "seed": checks.whole_number("seed", self.seed, least=0),
            "pack": self._pack(tok),
            "keep_columns": kept_columns(self.keep_columns),
            "tokenizer": tok.fingerprint,
            "resume": self.resume,
            "checkpoint": self._checkpoint(),
            "described": self.described(others),
            "is_shard": self.is_shard,
        }

    def described(self, others: dict[str, Any]) -> str:
        """What the manifest says: every option that decides which bytes are written."""
        told = {**others, **dataclasses.asdict(self)}
        for name in ("resume", "checkpoint", "is_shard"):
            told.pop(name)
        plain = {name: sorted(value) if isinstance(value, (set, frozenset)) else value for name, value in told.items()}
        return json.dumps({name: value for name, value in plain.items() if value is not None}, default=os.fspath)

    def _split(self) -> float | None:
        if self.split is None:
            return None
        split = checks.number("split", self.split)
        if not 0 < split < 1:
            raise SpecError(f"split is the part of the documents for validation, between 0 and 1, not {self.split!r}")
        return split

    def _checkpoint(self) -> float:
        seconds = checks.number("checkpoint", self.checkpoint)
        if not 0 <= seconds <= 10**6 or math.isnan(seconds):
            raise SpecError(f"checkpoint is a number of seconds, not {self.checkpoint!r}")
        return seconds

    def _pack(self, tok: _core.Tokenizer) -> tuple[int, int] | None:
        if self.pack is None:
            if self.pad is not None:
                raise SpecError("pad fills up the last of packed rows: give pack=, too")
            return None
        length = checks.whole_number("pack", self.pack, least=1)
        pad = self.pad if self.pad is not None else tok.pad_id if tok.pad_id is not None else tok.eos_id
        if pad is None:
            raise SpecError("the last packed row is filled up, and the tokenizer has no pad token; pass pad=, an id")
        return length, token_id(tok, "pad", pad)
