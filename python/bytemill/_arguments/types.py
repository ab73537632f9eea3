"""The types of arguments that many methods take."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from .._core import PickedSpecials

#: A text; bytes must be UTF-8.
Text: TypeAlias = "str | bytes"
#: What happens to special tokens in a text; None is what the format's own library does.
Specials: TypeAlias = 'Literal["all", "none", "refuse"] | Iterable[str] | PickedSpecials | None'
#: Called with (phase, done, total or None, unit); raising from it stops the work.
#: Phase, what is done of what there is, its unit; of files also the documents and tokens so far.
Watcher: TypeAlias = "Callable[..., object]"
#: Ids, their places in the normalized text and in the original, in bytes, and a score.
PlacedRow: TypeAlias = "tuple[list[int], list[tuple[int, int]], list[tuple[int, int]], float]"
AnyPath: TypeAlias = "str | os.PathLike[str]"
#: How files become documents; None goes by their names, and of `.json` by the content.
InputFormat: TypeAlias = 'Literal["text", "lines", "jsonl", "json", "csv", "tsv", "parquet", "arrow"]'
#: How ids are laid out in files; None goes by the name of the output.
OutputFormat: TypeAlias = 'Literal["bin", "npy", "megatron", "datatrove", "llmc", "jsonl", "parquet", "arrow"]'
#: The format of files (None: by their names), the field of their records, what happens to those without a text, and
#: what stands between the documents of a text file.
HowToRead: TypeAlias = "tuple[str | None, str, str, str | None]"
#: Names of columns to keep, or names with their types; `"*"` for all.
KeptNames: TypeAlias = "Sequence[str] | Mapping[str, str | None]"
