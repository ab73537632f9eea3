"""Paths, as the core takes them."""

from __future__ import annotations

import os
from collections.abc import Iterable

from .types import AnyPath


def path_list(sources: AnyPath | Iterable[AnyPath]) -> list[str]:
    """One path or several, as a list of strings."""
    if isinstance(sources, (str, os.PathLike)):
        return [os.fspath(sources)]
    return [os.fspath(source) for source in sources]
