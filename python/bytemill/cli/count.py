"""`bytemill count`: how many tokens texts have."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..results.report import FileCount
from . import options
from .console import note, plural, progress_bar
from .helped import command

if TYPE_CHECKING:
    from .sources import Reading, TokenizerFile

EXAMPLES = """\
bytemill count tokenizer.json --text "Hello, world!"
bytemill count tokenizer.json README.md src/
cat *.txt | bytemill count tokenizer.json
zstd -dc data.jsonl.zst | bytemill count tokenizer.json --input-format jsonl --field body"""

COLUMNS = ("documents", "bytes", "tokens", "skipped_rows")


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
    with reading.files() as files, progress_bar() as progress:
        counted = tok.count_files(files, specials=specials, threads=threads, progress=progress, **reading.how)
        rows = [dataclasses.replace(row, path=Path(files.named(str(row.path)))) for row in counted]
    total = FileCount(Path("total"), *(sum(getattr(row, name) for row in rows) for name in COLUMNS))
    if total.skipped_rows and not as_json:
        note(f"skipped {plural(total.skipped_rows, 'document')} without a text")
    if as_json:
        report = {**({} if only_total else {"sources": list(map(as_dict, rows))}), "total": as_dict(total)}
        sys.stdout.write(json.dumps(report, ensure_ascii=False) + "\n")
    elif only_total:
        sys.stdout.write(table([total]))
    else:
        sys.stdout.write(table(rows if len(rows) == 1 else [*rows, total]))


def as_dict(row: FileCount) -> dict[str, Any]:
    numbers = {name: getattr(row, name) for name in COLUMNS}
    return {"source": str(row.path), **numbers, "bytes_per_token": row.bytes_per_token}


def table(rows: list[FileCount]) -> str:
    lines = [("tokens", "bytes", "bytes/token", "source")]
    lines += [(f"{r.tokens:,}", f"{r.bytes:,}", f"{r.bytes_per_token:.2f}", str(r.path)) for r in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(3)]
    return "".join(
        "  ".join([*(cell.rjust(width) for cell, width in zip(line, widths, strict=False)), line[3]]) + "\n"
        for line in lines
    )
