"""`bytemill encode`: text into a token file, or line by line into ids on standard output."""

from __future__ import annotations

import difflib
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import SpecError
from ..progress import quantity
from ..tokenizer import EncodeReport, Tokenizer
from . import options
from .console import progress_bar, summary
from .lines import text_batches
from .sources import as_paths, check_output, load_tokenizer

EXAMPLE = """\b
Examples:
  bytemill encode words.mill data/ -o train.bin --append "<EOS>"
  bytemill encode words.mill a.txt b.jsonl.zst -o train.npy
  echo "Hello, world!" | bytemill encode words.mill"""

SUFFIXES = (".bin", ".npy")


def encode(
    tokenizer: options.TokenizerPath,
    sources: options.SourcePaths = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The token file: .npy or raw .bin, uint16 where the ids fit, else uint32.",
            show_default=False,
        ),
    ] = None,
    field: options.Field = "text",
    append: Annotated[
        str | None, typer.Option(metavar="TOKEN", help="A token to put after every document (or line).")
    ] = None,
    specials: options.Specials = None,
    errors: options.Errors = "strict",
    threads: options.Threads = None,
    as_json: options.Json = False,
) -> None:
    """Encode text into a token file, or into ids on standard output.

    With -o, everything goes into one token file; a text file is a document, so is each line of a .jsonl.
    Without, each line becomes a line of ids (or a JSON list), and | bytemill decode turns them back.
    """
    tok = load_tokenizer(tokenizer)
    given = sources or []
    append_id = None if append is None else id_of(tok, append)
    how: dict[str, Any] = {"specials": specials, "threads": threads}
    if output is None:
        write_ids(tok, given, field, append_id, errors, as_json, how)
        return
    if output.suffix not in SUFFIXES:
        raise SpecError(f"a token file ends in .bin or .npy, which {output.name!r} does not")
    check_output(output, given)
    with as_paths(given) as paths, progress_bar() as progress:
        report = tok.encode_files(paths, output, field=field, append=append_id, errors=errors, progress=progress, **how)
    show(report, as_json)


def id_of(tok: Tokenizer, token: str) -> int:
    id = tok.token_to_id(token)
    if id is None:
        close = difflib.get_close_matches(token, tok.special_tokens, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise SpecError(f"the vocabulary has no token {token!r}{hint}")
    return id


def write_ids(
    tok: Tokenizer,
    sources: list[Path],
    field: str,
    append: int | None,
    errors: str,
    as_json: bool,
    how: dict[str, Any],
) -> None:
    after = [] if append is None else [append]
    for texts in text_batches(sources, field, errors):
        rows = (row.tolist() + after for row in tok.encode_batch(texts, **how))
        lines = (json.dumps(row) if as_json else " ".join(map(str, row)) for row in rows)
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        sys.stdout.flush()


def show(report: EncodeReport, as_json: bool) -> None:
    numbers: dict[str, Any] = {"documents": report.documents, "bytes": report.bytes, "tokens": report.tokens}
    if as_json:
        numbers |= {
            "bytes_per_token": report.bytes_per_token,
            "seconds": report.seconds,
            "dtype": report.dtype,
            "output": str(report.output),
        }
        sys.stdout.write(json.dumps(numbers, ensure_ascii=False) + "\n")
        return
    summary(
        {
            **numbers,
            "bytes/token": f"{report.bytes_per_token:.2f}",
            "seconds": f"{report.seconds:.2f}",
            "rate": f"{quantity(report.bytes_per_second, 'bytes')}/s",
            "written": f"{report.output} ({report.dtype}, {quantity(report.output.stat().st_size, 'bytes')})",
        }
    )
