"""`bytemill sweep`: which size of a vocabulary pays."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from . import options
from .helped import command
from .types import PATH, OneOf

if TYPE_CHECKING:
    from .sources import Reading

EXAMPLES = """\
bytemill sweep corpus.txt --sizes 260..280
bytemill sweep data/ --sizes 1k..64k --family bpe --family unigram
bytemill sweep corpus.txt --sizes 1k..64k --html sizes.html --plot sizes.svg"""


@command(EXAMPLES)
@options.reading()
@click.option(
    "--sizes", required=True, metavar="FROM..TO", help="The sizes: each is twice the one before, as in 1k..64k."
)
@click.option(
    "--family",
    "families",
    type=OneOf("family", ["bpe", "wordpiece", "unigram"]),
    metavar="bpe|wordpiece|unigram",
    multiple=True,
    help="What to train; may be repeated.  [default: bpe]",
)
@click.option(
    "--held-out", type=PATH, metavar="SOURCE", help="The text to measure on.  [default: every tenth document or line]"
)
@click.option("--special", multiple=True, metavar="TOKEN", help="A special token; may be repeated.")
@click.option("--html", type=PATH, metavar="FILE", help="Write a report with a chart, which needs no other file.")
@click.option("--plot", type=PATH, metavar="FILE", help="Draw an .svg, .png or .pdf (needs matplotlib).")
@options.json_output
def sweep(
    reading: Reading,
    sizes: str,
    families: tuple[str, ...],
    held_out: Path | None,
    special: tuple[str, ...],
    html: Path | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Train vocabularies of many sizes, and see which size pays.

    Each is measured on text that it was not trained on. BPE is trained once, to the largest size: the smaller
    vocabularies are its beginnings.
    """
    from .._whole_files import write_whole
    from ..see.sweep import sweep_batches
    from .documents import file_batches

    others = None if held_out is None else file_batches(dataclasses.replace(reading, sources=(held_out,)))
    found = sweep_batches(file_batches(reading), others, sizes, families or ("bpe",), special_tokens=special)
    if html is not None:
        write_whole(html, found.to_html())
    if plot is not None:
        found.plot(plot)
    sys.stdout.write(json.dumps(found.to_dict()) + "\n" if as_json else f"{found}\n")
