"""`bytemill count-pieces` and `bytemill merge-counts`; and what `inspect` says about counts."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import SpecError
from ..progress import quantity
from ..results.visible import visible
from . import options
from .console import progress_bar, summary
from .helped import argument, command
from .outputs import STDOUT, check_output, refuse_json_beside, target
from .sources import existing
from .types import PATH

if TYPE_CHECKING:
    from ..training import PieceCounts
    from .sources import Reading

COUNT_EXAMPLES = """\
bytemill count-pieces a.txt -o a.counts --pretokenizer gpt2
bytemill count-pieces data/ -o data.counts --memory 2GB
bytemill count-pieces data/ -o data.counts --engine spark
bytemill count-pieces data/ -o counts/ --parts --engine ray
bytemill train a.counts -o tok.mill"""

MERGE_EXAMPLES = """\
bytemill merge-counts a.counts b.counts -o all.counts"""

MOST_COMMON = 12  # pieces that a description shows

output = options.output("The counts to write: .counts; - is standard output.")


@command(COUNT_EXAMPLES)
@options.reading()
@output
@options.pretokenizer(default="o200k", show_default=True)
@options.normalizer
@click.option(
    "--special",
    metavar="TOKEN",
    multiple=True,
    help="A special token: it is not counted, and no piece crosses it; may be given several times.",
)
@click.option(
    "--parts",
    is_flag=True,
    help="Write a folder with several files, each with some of the pieces; no machine needs to hold all.",
)
@click.option("--order", is_flag=True, help="Also keep the order in which pieces first appeared.")
@options.threads
@options.memory
@options.engine
@options.shard_bytes
@options.json_output
def count_pieces(
    reading: Reading, output: Path, special: tuple[str, ...], parts: bool, as_json: bool, **how: Any
) -> None:
    """Count the pieces of texts, to train from the counts as often as wanted.

    The counts are the same for any number of threads and any memory.
    """
    from ..training import count_parts
    from ..training import count_pieces as count_pieces_of

    if parts:
        refuse_json_beside(output, as_json)
        reading.refuse_for(how["engine"] or "local")
        how |= {"engine": how["engine"] or "local", "special_tokens": list(special)}
        with reading.files() as paths, progress_bar() as progress:
            places = count_parts(paths, output, progress=progress, **reading.how, **how)
        sys.stdout.write(json.dumps(places) + "\n" if as_json else "".join(f"{place}\n" for place in places))
        return
    check(output, reading.sources, as_json)
    reading.refuse_for(how["engine"])
    started = time.perf_counter()
    with reading.files() as paths, progress_bar() as progress:
        counts = count_pieces_of(paths, special_tokens=list(special), progress=progress, **reading.how, **how)
    write(counts, output, started, as_json)


@command(MERGE_EXAMPLES)
@argument("sources", "Files of counts, made in the same way.", metavar="COUNTS...", nargs=-1, required=True, type=PATH)
@output
@options.threads
@options.memory
@options.json_output
def merge_counts(
    sources: tuple[Path, ...], output: Path, threads: int | None, memory: str | None, as_json: bool
) -> None:
    """Merge counts of pieces.

    The result is the same as if all texts had been counted together. All counts must have been made with the same
    pretokenizer, normalizer and special tokens.
    """
    from ..training import PieceCounts

    check(output, sources, as_json)
    started = time.perf_counter()
    parts = [PieceCounts.load(existing(source)) for source in sources]
    with progress_bar() as progress:
        counts = PieceCounts.merge(parts, threads=threads, memory=memory, progress=progress)
    write(counts, output, started, as_json)


def check(output: Path, sources: Sequence[Path], as_json: bool) -> None:
    refuse_json_beside(output, as_json)
    check_output(output, sources)
    if output != STDOUT and output.suffix != ".counts":
        raise SpecError(f"the name {output} does not end in .counts, by which other commands recognise counts")


def write(counts: PieceCounts, output: Path, started: float, as_json: bool) -> None:
    with target(output, "all.counts") as path:
        counts.save(path)
        size = path.stat().st_size
    seconds = time.perf_counter() - started
    if as_json:
        report = {"output": str(output), **numbers(counts), "seconds": seconds}
        sys.stdout.write(json.dumps(report, ensure_ascii=False) + "\n")
    else:
        rows = {name.replace("_", " "): number for name, number in numbers(counts).items()}
        name = "standard output" if output == STDOUT else output
        summary({**rows, "seconds": f"{seconds:.2f}", "written": f"{name} ({quantity(size, 'bytes')})"})


def numbers(counts: PieceCounts) -> dict[str, int]:
    return {
        "documents": counts.documents,
        "bytes": counts.bytes,
        "pieces": counts.total,
        "distinct_pieces": len(counts),
    }


def describe(path: Path) -> dict[str, Any]:
    """What `inspect` says about counts."""
    from ..training import PieceCounts

    counts = PieceCounts.load(existing(path))
    return {**numbers(counts), "made_by": counts.made_by, "most_common": counts.most_common(MOST_COMMON)}


def card(facts: dict[str, Any], stage: Callable[[dict[str, Any] | None], str]) -> str:
    rows = {name.replace("_", " "): f"{facts[name]:,}" for name in list(facts)[:4]}
    if facts["made_by"] is not None:
        rows |= {name: stage(facts["made_by"][name]) for name in ("normalizer", "pretokenizer")}
        rows["special tokens"] = "  ".join(facts["made_by"]["special_tokens"]) or "none"
    rows["most common"] = "  ".join(f"{visible(piece)} {count:,}" for piece, count in facts["most_common"])
    return "".join(f"{name:15}  {value}\n" for name, value in rows.items())
