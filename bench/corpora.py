"""Corpora: from the shared folder to one plain file, and from that to documents."""

from __future__ import annotations

import gzip
import hashlib
import os
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("BYTEMILL_SHARED", ROOT.parent / "shared"))
#: Derived files that any later run may use again; each is named by the content that it is made from.
CACHE = Path(tempfile.gettempdir()) / "bytemill-bench"


def read(path: Path) -> bytes:
    """The content of a file, unpacked if it is a .gz."""
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def write(path: Path, data: bytes) -> Path:
    """Writes a file so that it appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.write_bytes(data)
    return unfinished.replace(path)


def key(*parts: object) -> str:
    """A name for what is made from these parts; bytes count by their content."""
    digest = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else repr(part).encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:16]


def text_of(names: list[str], limit: int | None) -> bytes:
    """Shared files one after the other, each cut to its share of `limit` bytes at the end of a line."""
    parts = []
    for name in names:
        data = read(SHARED / name)
        if limit is not None and len(data) > limit // len(names):
            cut = data.rfind(b"\n", 0, limit // len(names)) + 1
            data = data[:cut] if cut else data[: limit // len(names)].decode(errors="ignore").encode()
        parts.append(data if data.endswith(b"\n") else data + b"\n")
    return b"".join(parts)


def plain_file(names: list[str], limit: int | None) -> Path:
    """The same as a file in the cache."""
    data = text_of(names, limit)
    path = CACHE / f"corpus-{key(data)}.txt"
    return path if path.exists() else write(path, data)


def repeated_file(source: Path, times: int, folder: Path) -> Path:
    """A file of the source over and over."""
    data = source.read_bytes()
    path = folder / f"{source.stem}-x{times}.txt"
    if not path.exists():
        with path.open("wb") as file:
            for _ in range(times):
                file.write(data)
    return path


def documents(text: str, how: str) -> list[str]:
    """Cuts a text into `lines`, `paragraphs` (at blank lines), `whole`, `bytes:N` or `characters:N`.

    White space alone makes no document. One of `bytes:N` ends at its last whole character.

    >>> documents("a b\\n\\nc", "lines")
    ['a b', 'c']
    >>> documents("aéb", "bytes:2")
    ['a', 'é', 'b']
    """
    if how == "whole":
        return [text] if text.strip() else []
    if how in ("lines", "paragraphs"):
        separator = "\n" if how == "lines" else "\n\n"
        return [part for part in text.split(separator) if part.strip()]
    unit, _, length = how.partition(":")
    size = int(length)
    if unit == "characters":
        return [text[start : start + size] for start in range(0, len(text), size)]
    if unit != "bytes":
        raise ValueError(f"documents are lines, paragraphs, whole, bytes:N or characters:N, not {how!r}")
    data, start, parts = text.encode(), 0, []
    while start < len(data):
        part = data[start : start + size].decode(errors="ignore")
        parts.append(part)
        start += len(part.encode())
    return parts
