"""Paths, and how to read what they lead to, as the core takes them."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from pathlib import Path

from ..errors import SpecError
from . import checks
from .names import did_you_mean, unknown_name
from .types import AnyPath, HowToRead

INPUT_FORMATS = ("text", "lines", "jsonl", "json", "csv", "tsv", "parquet", "arrow")
ERRORS = ("strict", "replace", "skip")


def path_list(sources: AnyPath | Iterable[AnyPath]) -> list[str]:
    """One path or several, as a list of strings. A pattern stands for the files that match it, in their order."""
    paths = [sources] if isinstance(sources, (str, os.PathLike)) else sources
    found = [os.fspath(source) for source in paths]
    if "" in found:
        raise SpecError("a path is empty; name a file or folder (the current folder is '.')")
    return [path for given in found for path in _matches(given)]


def _matches(given: str) -> list[str]:
    """A file whose name looks like a pattern is that file."""
    if not glob.has_magic(given) or Path(given).exists():
        return [given]
    # Not pathlib's: `~` and `./` stay what they are, and so do the names that messages show.
    found = sorted(path for path in glob.glob(given, recursive=True) if Path(path).is_file())  # noqa: PTH207
    if not found:
        raise SpecError(f"no file matches {given!r}")
    return found


def how_to_read(
    input_format: str | None = None, field: str = "text", errors: str = "strict", separator: str | None = None
) -> HowToRead:
    """The format, the field, what happens to documents that are none, and what stands between those of a text."""
    if input_format is not None and input_format not in INPUT_FORMATS:
        raise SpecError(unknown_name("input_format", str(input_format), dict.fromkeys(INPUT_FORMATS)))
    checks.optional_text("separator", separator)
    if separator == "":
        raise SpecError("the separator between documents is empty; without one, leave it out")
    if separator is not None and input_format not in (None, "text"):
        raise SpecError(f"separator is for text, and input_format is {input_format!r}")
    if errors not in ERRORS:
        near = did_you_mean(str(errors), ERRORS)
        raise SpecError(f'errors is "strict", "replace" or "skip", not {errors!r}{near}')
    return input_format, field, errors, separator
