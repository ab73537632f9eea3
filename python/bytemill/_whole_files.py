"""Files that appear whole or not at all, for everything that is written in Python."""

from __future__ import annotations

import os
from pathlib import Path

from . import _core


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Replaces a file, or leaves it as it is. A terminal or a pipe gets the content as it comes."""
    data = content.encode() if isinstance(content, str) else content
    where = Path(path)
    if where.is_file() or (where.parent.is_dir() and not where.exists()):
        _core.write_file(where, data)
    else:  # or fails with the words of the system
        where.write_bytes(data)
