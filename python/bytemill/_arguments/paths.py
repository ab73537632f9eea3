"""Paths, and how to read what they lead to, as the core takes them."""

from __future__ import annotations

import os
from collections.abc import Iterable

from ..errors import SpecError
from . import checks
from .names import unknown_name
from .types import AnyPath, HowToRead

INPUT_FORMATS = ("text", "lines", "jsonl", "json")


def path_list(sources: AnyPath | Iterable[AnyPath]) -> list[str]:
    """One path or several, as a list of strings."""
    paths = [sources] if isinstance(sources, (str, os.PathLike)) else sources
    found = [os.fspath(source) for source in paths]
    if "" in found:
        raise SpecError("a path is empty; name a file or folder (the current folder is '.')")
    return found


def how_to_read(input_format: str | None, field: str, errors: str) -> HowToRead:
    """The format, the field, and whether what is not UTF-8 is replaced."""
    if input_format is not None and input_format not in INPUT_FORMATS:
        raise SpecError(unknown_name("input_format", str(input_format), dict.fromkeys(INPUT_FORMATS)))
    return input_format, field, checks.replaces_invalid(errors)
