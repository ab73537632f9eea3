"""`bytemill count`: how many tokens texts have."""

from __future__ import annotations

import dataclasses
import json
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..tokenizer import Tokenizer
from . import options
from .console import progress_bar
from .sources import STDIN, as_paths, load_tokenizer

EXAMPLE = """\b
Examples:
  bytemill count words.mill README.md src/
  cat *.txt | bytemill count words.mill
  bytemill count words.mill data.jsonl --json"""


@dataclasses.dataclass(frozen=True)
class Row:
    source: str
    documents: int
    bytes: int
    tokens: int

    @property
    def bytes_per_token(self) -> float:
        return self.bytes / self.tokens if self.tokens else 0.0

    def as_dict(self) -> dict[str, Any]:
        return {**dataclasses.asdict(self), "bytes_per_token": self.bytes_per_token}


def count(
    tokenizer: options.TokenizerPath,
    sources: options.SourcePaths = None,
    field: options.Field = "text",
    specials: options.Specials = None,
    errors: options.Errors = "strict",
    threads: options.Threads = None,
    as_json: options.Json = False,
) -> None:
    """Count the tokens of files, folders or standard input.

    A folder is one row. Bytes are those of the text: unpacked, and of a .jsonl its field alone.
    """
    tok = load_tokenizer(tokenizer)
    given = sources or [STDIN]
    how = {"field": field, "errors": errors, "specials": specials, "threads": threads}
    with as_paths(given) as paths, progress_bar() as progress:
        rows = count_each(tok, zip(map(str, given), paths, strict=True), progress=progress, **how)
    total = Row(
        "total",
        *(sum(column) for column in zip(*((r.documents, r.bytes, r.tokens) for r in rows), strict=True)),
    )
    if as_json:
        report = {"sources": [row.as_dict() for row in rows], "total": total.as_dict()}
        sys.stdout.write(json.dumps(report, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(table(rows if len(rows) == 1 else [*rows, total]))


def count_each(tok: Tokenizer, sources: Iterable[tuple[str, Path]], **how: Any) -> list[Row]:
    """Encodes into a file that is thrown away: the way that reads every kind of source in constant memory."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="bytemill-") as folder:
        for name, path in sources:
            report = tok.encode_files(path, Path(folder) / "count.bin", **how)
            rows.append(Row(name, report.documents, report.bytes, report.tokens))
    return rows


def table(rows: list[Row]) -> str:
    lines = [("tokens", "bytes", "bytes/token", "source")]
    lines += [(f"{r.tokens:,}", f"{r.bytes:,}", f"{r.bytes_per_token:.2f}", r.source) for r in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(3)]
    return "".join(
        "  ".join([*(cell.rjust(width) for cell, width in zip(line, widths, strict=False)), line[3]]) + "\n"
        for line in lines
    )
