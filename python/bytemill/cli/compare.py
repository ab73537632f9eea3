"""`bytemill compare`: several tokenizers on the same texts."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from . import options
from .helped import argument, command
from .sources import named_files
from .types import PATH

if TYPE_CHECKING:
    from .sources import Reading

EXAMPLES = """\
bytemill compare tokenizer.json bpe.mill --on corpus.txt
bytemill compare tokenizer.json words.mill --on data/ --on a.txt --json
bytemill compare tokenizer.json bpe.mill --on corpus.txt --html report.html --plot report.svg"""


@command(EXAMPLES)
@argument("tokenizers", "Tokenizer files, or folders with one.", metavar="TOKENIZER...", nargs=-1, required=True)
@options.reading(on="compare on")
@click.option("--pattern", metavar="NAME|REGEX", help="How .tiktoken files and vocab.json split text.")
@click.option("--html", type=PATH, metavar="FILE", help="Write a report with charts, which needs no other file.")
@click.option("--plot", type=PATH, metavar="FILE", help="Draw an .svg, .png or .pdf (needs matplotlib).")
@options.json_output
def compare(
    tokenizers: tuple[str, ...],
    reading: Reading,
    pattern: str | None,
    html: Path | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Compare tokenizers on the same texts.

    Shows bytes per token, tokens per word, words that stay whole, the share of the vocabulary in use, Rényi efficiency
    and speed; bytes per token by script and by file; what vocabularies share; and where the others first cut the texts
    in other places than the first tokenizer. Texts are plain text: special tokens in them are not looked for.
    """
    from .._whole_files import write_whole
    from ..see.comparison import compare_batches
    from .documents import file_batches

    found = compare_batches(named_files(tokenizers, pattern), file_batches(reading))
    if html is not None:
        write_whole(html, found.to_html())
    if plot is not None:
        found.plot(plot)
    if as_json:
        sys.stdout.write(json.dumps(found.to_dict(), ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(f"{found}\n")
