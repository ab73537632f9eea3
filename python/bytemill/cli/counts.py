"""`bytemill count-pieces` and `bytemill merge-counts`: counts of pieces; and what `inspect` says of them."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import SpecError
from ..progress import quantity
from ..training import PieceCounts
from ..training import count_pieces as count_pieces_of
from . import options
from .console import progress_bar, summary
from .paint import visible
from .sources import as_paths, check_output, existing

COUNT_EXAMPLE = """\b
Examples:
  bytemill count-pieces a.txt -o a.counts --pretokenizer gpt2
  bytemill count-pieces data/ -o data.counts --memory 2GB
  bytemill train a.counts -o words.mill"""

MERGE_EXAMPLE = """\b
Example:
  bytemill merge-counts a.counts b.counts -o all.counts"""

MOST_COMMON = 12  # pieces that a description shows

Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="FILE", help="The counts to write: .counts.", show_default=False)
]


def count_pieces(
    sources: options.SourcePaths,
    output: Output,
    pretokenizer: options.PretokenizerName = "o200k",
    normalizer: options.NormalizerName = None,
    special: Annotated[
        list[str] | None,
        typer.Option(metavar="TOKEN", help="A special token: not counted, never crossed; may be given several times."),
    ] = None,
    order: Annotated[bool, typer.Option("--order", help="Keep in which order pieces appeared.")] = False,
    field: options.Field = "text",
    errors: options.Errors = "strict",
    threads: options.Threads = None,
    memory: options.Memory = None,
    as_json: options.Json = False,
) -> None:
    """Count the pieces of texts, to train from the counts as often as wanted.

    The counts are the same for any number of threads and any memory.
    """
    check(output, sources or [])
    started = time.perf_counter()
    with as_paths(sources or []) as paths, progress_bar() as progress:
        counts = count_pieces_of(
            paths,
            pretokenizer=pretokenizer,
            normalizer=normalizer,
            special_tokens=special or [],
            order=order,
            field=field,
            errors=errors,
            threads=threads,
            memory=memory,
            progress=progress,
        )
    write(counts, output, started, as_json)


def merge_counts(
    sources: Annotated[
        list[Path], typer.Argument(metavar="COUNTS", help="Files of counts, made alike.", show_default=False)
    ],
    output: Output,
    threads: options.Threads = None,
    memory: options.Memory = None,
    as_json: options.Json = False,
) -> None:
    """Merge counts of pieces, as if all texts had been counted one after the other.

    All must have been made with the same pretokenizer, normalizer and special tokens.
    """
    check(output, sources)
    started = time.perf_counter()
    parts = [PieceCounts.load(existing(source)) for source in sources]
    with progress_bar() as progress:
        counts = PieceCounts.merge(parts, threads=threads, memory=memory, progress=progress)
    write(counts, output, started, as_json)


def check(output: Path, sources: Sequence[Path]) -> None:
    check_output(output, sources, "counts are")
    if output.suffix != ".counts":
        raise SpecError(f"{output} does not end in .counts, by which other commands know such a file; name it so")


def write(counts: PieceCounts, output: Path, started: float, as_json: bool) -> None:
    counts.save(output)
    seconds = time.perf_counter() - started
    if as_json:
        report = {"output": str(output), **numbers(counts), "seconds": seconds}
        sys.stdout.write(json.dumps(report, ensure_ascii=False) + "\n")
    else:
        rows = {name.replace("_", " "): number for name, number in numbers(counts).items()}
        written = f"{output} ({quantity(output.stat().st_size, 'bytes')})"
        summary({**rows, "seconds": f"{seconds:.2f}", "written": written})


def numbers(counts: PieceCounts) -> dict[str, int]:
    return {
        "documents": counts.documents,
        "bytes": counts.bytes,
        "pieces": counts.total,
        "distinct_pieces": len(counts),
    }


def describe(path: Path) -> dict[str, Any]:
    """What `inspect` says of counts."""
    counts = PieceCounts.load(existing(path))
    return {**numbers(counts), "made_by": counts.made_by, "most_common": counts.most_common(MOST_COMMON)}


def card(facts: dict[str, Any], stage: Any) -> str:
    rows = {name.replace("_", " "): f"{facts[name]:,}" for name in list(facts)[:4]}
    if facts["made_by"] is not None:
        rows |= {name: stage(facts["made_by"][name]) for name in ("normalizer", "pretokenizer")}
        rows["special tokens"] = "  ".join(facts["made_by"]["special_tokens"]) or "none"
    rows["most common"] = "  ".join(f"{visible(piece)} {count:,}" for piece, count in facts["most_common"])
    return "".join(f"{name:15}  {value}\n" for name, value in rows.items())
