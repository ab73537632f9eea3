"""`bytemill encode`: text into a token file, or line by line into ids on standard output."""

from __future__ import annotations

import difflib
import itertools
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import SpecError
from ..progress import quantity
from ..results.report import EncodeReport
from ..tokenizer import Tokenizer
from . import options
from .console import progress_bar, summary
from .lines import OF_A_TEXT, Batch, text_batches
from .sources import as_paths, check_output, load_tokenizer

EXAMPLE = """\b
Examples:
  bytemill encode words.mill data/ -o train.bin --append "<EOS>"
  bytemill encode words.mill a.txt b.jsonl.zst -o train.npy
  echo "Hello, world!" | bytemill encode words.mill
  echo "Hello, world!" | bytemill encode spm.model --nbest 5
  bytemill encode spm.model corpus.txt --alpha 0.1 --seed 7"""

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
    nbest: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="The N best segmentations of each line with their scores; with --alpha, those to draw from (unigram).",
        ),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(
            metavar="A",
            min=0.0,
            help="Draw a segmentation of each line; the smaller, the more alike all are (unigram).",
        ),
    ] = None,
    dropout: Annotated[
        float | None,
        typer.Option(metavar="P", min=0.0, max=1.0, help="Pass over merges at random with this probability (bpe)."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="What is drawn with --alpha or --dropout; 0 unless given.")
    ] = None,
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
    chosen = {"--nbest": nbest, "--alpha": alpha, "--dropout": dropout, "--seed": seed}
    refuse_what_does_not_fit(chosen, output, tok.family)
    if output is None:
        after = [] if append_id is None else [append_id]
        batches = text_batches(given, field, errors)
        if nbest is not None and alpha is None:
            write_best(tok, batches, nbest, after, as_json, specials)
        elif alpha is not None or dropout is not None:
            draw = {"alpha": alpha, "nbest_size": nbest, "dropout": dropout, "specials": specials}
            write_drawn(tok, batches, seed or 0, after, as_json, draw)
        else:
            write_ids(tok, batches, after, as_json, how)
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


def refuse_what_does_not_fit(chosen: dict[str, Any], output: Path | None, family: str) -> None:
    given = [name for name, value in chosen.items() if value is not None]
    if given and output is not None:
        raise SpecError(f"{given[0]} is for ids on standard output; leave out -o")
    if given == ["--seed"] or given == ["--nbest", "--seed"]:
        raise SpecError("--seed goes with --alpha or --dropout")
    if chosen["--alpha"] is not None and family != "unigram":
        hint = "; use --dropout" if family == "bpe" else ""
        raise SpecError(f"--alpha is of Unigram, and this is a {family} tokenizer{hint}")
    if chosen["--dropout"] and family != "bpe":
        hint = "; use --alpha" if family == "unigram" else ""
        raise SpecError(f"--dropout is of byte-pair encoding, and this is a {family} tokenizer{hint}")


def write_ids(tok: Tokenizer, batches: Iterator[Batch], after: list[int], as_json: bool, how: dict[str, Any]) -> None:
    for batch in batches:
        try:
            rows = tok.encode_batch(batch.texts, **how)
        except OF_A_TEXT:
            # One by one it tells the line.
            list(batch.each(lambda text: tok.encode(text, **how)))
            raise
        write_lines(shown(row.tolist() + after, as_json) for row in rows)


def write_drawn(
    tok: Tokenizer, batches: Iterator[Batch], seed: int, after: list[int], as_json: bool, draw: dict[str, Any]
) -> None:
    """Line number n, from 0, draws by the seed and n, so that it does not matter how much is read at a time."""
    numbers = itertools.count(seed)
    for batch in batches:
        rows = batch.each(lambda text: tok.encode(text, seed=next(numbers), **draw))
        write_lines(shown(row + after, as_json) for row in rows)


def write_best(
    tok: Tokenizer, batches: Iterator[Batch], n: int, after: list[int], as_json: bool, specials: str | None
) -> None:
    for batch in batches:
        for best in batch.each(lambda text: tok.nbest(text, n, specials=specials)):
            rows = [(row.score, row.ids + after) for row in best]
            if as_json:
                write_lines([json.dumps([{"score": score, "ids": ids} for score, ids in rows])])
            else:
                write_lines(f"{score:.6g}\t{shown(ids, as_json)}" for score, ids in rows)


def shown(row: list[int], as_json: bool) -> str:
    return json.dumps(row) if as_json else " ".join(map(str, row))


def write_lines(lines: Iterable[str]) -> None:
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
