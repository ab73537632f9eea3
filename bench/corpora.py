"""Corpora: from the shared folder, or made up, to one plain file, and from that to documents."""

from __future__ import annotations

import base64
import codecs
import gzip
import hashlib
import json
import os
import random
import re
import sysconfig
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("BYTEMILL_SHARED", ROOT.parent / "shared"))
#: Derived files that any later run may use again; each is named by the content that it is made from.
CACHE = Path(tempfile.gettempdir()) / "bytemill-bench"

#: Rows of a group in a Parquet file that is made.
RECORDS_OF_GROUP = 1000
#: The size of texts that are made up.
MADE_BYTES = 1_000_000
#: Those that are hard on a tokenizer, as `made:NAME`: hardly a place to split, or hardly a piece that was there before.
MADE: dict[str, Callable[[random.Random], str]] = {
    "letter": lambda _: "a" * MADE_BYTES,
    "spaces": lambda _: " " * MADE_BYTES,
    "newlines": lambda _: "\n" * MADE_BYTES,
    "digits": lambda chance: "".join(chance.choices("0123456789", k=MADE_BYTES)),
    "base64": lambda chance: base64.b64encode(chance.randbytes(MADE_BYTES // 4 * 3)).decode(),
    "chinese": lambda chance: "".join(map(chr, chance.choices(range(0x4E00, 0x9FA6), k=MADE_BYTES // 3))),
    # Half of these characters have two bytes.
    "latin-1": lambda chance: chance.randbytes(MADE_BYTES // 3 * 2).decode("latin-1"),
}


#: The documents of the large text that are of one kind, as `big:NAME`.
BIG: dict[str, Callable[[bytes], bool]] = {
    "english": lambda document: _not_ascii(document) < 0.01,
    "chinese": lambda document: _not_ascii(document) > 0.3 and _ideographic(document.decode()) > 0.3,
}


class NoCorpus(Exception):
    """A text that is neither shared nor in the cache."""


def read(path: Path) -> bytes:
    """The content of a file, unpacked if it is a .gz; a byte order mark is not part of a text."""
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).removeprefix(codecs.BOM_UTF8)


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
    """Texts one after the other, each cut to its share of `limit` bytes at the end of a line.

    A name is a path in the shared folder, which may hold `*`, or `made:` and a key of `MADE`, `big:` and a key of
    `BIG`, or `installed:python`, the sources of Python's own library and of the packages beside this one.
    """
    texts = [text for name in names for text in _texts(name)]
    if limit is None:
        return b"".join(texts)
    return b"".join(_cut(text, limit // len(texts)) for text in texts)


def _texts(name: str) -> list[bytes]:
    kind, _, which = name.partition(":")
    if kind == "made":
        return [MADE[which](random.Random(which)).encode()]
    if kind == "big":
        (text,) = _texts("big/big.txt")
        return [b"".join(document for document in text.split(b"<|endoftext|>\n") if BIG[which](document))]
    if kind == "installed":
        folders = [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib")]
        sources = [path.read_bytes() for folder in folders for path in sorted(folder.rglob("*.py"))]
        return [b"".join(source for source in sources if _is_utf8(source))]
    for folder in (SHARED, CACHE):
        texts = [read(path) for path in sorted(folder.glob(name))]
        if texts:
            return [text if text.endswith(b"\n") else text + b"\n" for text in texts]
    raise NoCorpus(f"no {name} in the shared folder, nor among the files made for benchmarks")


def _is_utf8(source: bytes) -> bool:
    try:
        source.decode()
    except UnicodeDecodeError:
        return False
    return True


def _not_ascii(document: bytes) -> float:
    return len(document.translate(None, bytes(range(128)))) / max(1, len(document))


def _ideographic(document: str) -> float:
    return len(re.findall("[\u3040-\u30ff\u4e00-\u9fff]", document)) / max(1, len(document))


def _cut(text: bytes, size: int) -> bytes:
    if len(text) <= size:
        return text
    end = text.rfind(b"\n", 0, size) + 1
    return text[:end] if end else text[:size].decode(errors="ignore").encode()


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


def records_file(texts: list[str], kind: str, folder: Path) -> Path:
    """A file of documents with an id and an address each, as corpora have them: `jsonl.zst` or `parquet`."""
    import pyarrow
    from pyarrow import parquet

    path = folder / f"{key(*texts)}.{kind}"
    if path.exists():
        return path
    rows = [
        {"id": f"{number:08}", "url": f"https://example.org/{number}", "text": text}
        for number, text in enumerate(texts)
    ]
    if kind == "parquet":
        parquet.write_table(pyarrow.Table.from_pylist(rows), path, row_group_size=RECORDS_OF_GROUP, compression="zstd")
        return path
    with pyarrow.output_stream(path, compression="zstd") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
    return path


def documents(text: str, how: str) -> list[str]:
    """Cuts a text into `lines`, `paragraphs` (at blank lines), `whole`, `bytes:N` or `characters:N`.

    White space alone is a document only where it is the whole. One of `bytes:N` ends at its last whole character.

    >>> documents("a b\\n\\nc", "lines")
    ['a b', 'c']
    >>> documents("aéb", "bytes:2")
    ['a', 'é', 'b']
    """
    if how == "whole":
        return [text] if text else []
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
