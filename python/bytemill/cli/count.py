"""`bytemill count`: how many tokens texts have."""

from __future__ import annotations

import dataclasses
import json
import sys
from typing import TYPE_CHECKING, Any

import click

from . import options
from .console import progress_bar
from .helped import command

if TYPE_CHECKING:
    from .sources import Reading, TokenizerFile

EXAMPLES = """\
bytemill count tokenizer.json --text "Hello, world!"
bytemill count tokenizer.json README.md src/
cat *.txt | bytemill count tokenizer.json
zstd -dc data.jsonl.zst | bytemill count tokenizer.json --input-format jsonl --field body"""


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


@command(EXAMPLES)
@options.tokenizer
@options.reading(text=True)
@click.option("--total", "only_total", is_flag=True, help="Show the total alone, not a row for each file.")
@options.specials
@options.threads
@options.json_output
def count(
    tokenizer: TokenizerFile,
    reading: Reading,
    only_total: bool,
    specials: Any,
    threads: int | None,
    as_json: bool,
) -> None:
    """Count the tokens of files, folders, standard input or a text.

    There is a row for each file, also of those in folders. Bytes are those of the text: unpacked, and of JSON records
    the field alone. Everything counts, also the line end that `echo` adds to a text.
    """
    tok = tokenizer.load()
    with reading.files() as paths, progress_bar() as progress:
        counted = tok.count_files(paths, specials=specials, threads=threads, progress=progress, **reading.how)
    rows = [Row(str(file.path), file.documents, file.bytes, file.tokens) for file in counted]
    if reading.text is not None or reading.is_stdin:
        rows = [dataclasses.replace(row, source="text" if reading.text is not None else "-") for row in rows]
    total = Row("total", *(sum(getattr(row, name) for row in rows) for name in ("documents", "bytes", "tokens")))
    if as_json:
        report = {**({} if only_total else {"sources": [row.as_dict() for row in rows]}), "total": total.as_dict()}
        sys.stdout.write(json.dumps(report, ensure_ascii=False) + "\n")
    elif only_total:
        sys.stdout.write(table([total]))
    else:
        sys.stdout.write(table(rows if len(rows) == 1 else [*rows, total]))


def table(rows: list[Row]) -> str:
    lines = [("tokens", "bytes", "bytes/token", "source")]
    lines += [(f"{r.tokens:,}", f"{r.bytes:,}", f"{r.bytes_per_token:.2f}", r.source) for r in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(3)]
    return "".join(
        "  ".join([*(cell.rjust(width) for cell, width in zip(line, widths, strict=False)), line[3]]) + "\n"
        for line in lines
    )
