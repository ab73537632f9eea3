"""`bytemill lint`: what is wrong with a tokenizer."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, cast

import click

from . import exits, options
from .helped import command
from .types import OneOf

if TYPE_CHECKING:
    from ..see.linting.findings import Level
    from .sources import Reading, TokenizerFile

EXAMPLES = """\
bytemill lint tokenizer.json
bytemill lint tokenizer.json --on data/ --fail-on error
bytemill lint tokenizer.json --all --ignore partial-character
bytemill lint bpe.mill --ignore unreachable-token --json"""


@command(EXAMPLES)
@options.tokenizer
@options.reading(on="look for tokens that are hardly used")
@click.option("--ignore", multiple=True, metavar="ID", help="Leave out a kind of finding; may be repeated.")
@click.option(
    "--fail-on",
    type=OneOf("level", ["error", "warning", "note", "never"]),
    metavar="error|warning|note|never",
    default="warning",
    show_default=True,
    help="End with exit code 1 if there is a finding of this level or a worse one.",
)
@click.option("--all", "every", is_flag=True, help="Show every example, not just the first eight of each finding.")
@options.json_output
def lint(
    tokenizer: TokenizerFile, reading: Reading, ignore: tuple[str, ...], fail_on: str, every: bool, as_json: bool
) -> None:
    """Look for what is wrong with a tokenizer.

    Finds tokens that no text is encoded to, each with the reason; ids without a token; special tokens that plain text
    spells; texts that do not come back; templates and settings that do not fit; slow patterns; and with --on tokens
    that texts hardly use. Every finding has an id, examples, and what to do.
    """
    from ..see.linting import lint_batches
    from ..see.linting.findings import SHOWN
    from .documents import file_batches

    found = lint_batches(tokenizer.load(), file_batches(reading) if reading.sources else None, ignore)
    text = json.dumps(found.to_dict(), ensure_ascii=False) if as_json else found.to_text(None if every else SHOWN)
    sys.stdout.write(f"{text}\n")
    if fail_on != "never" and found.at_least(cast("Level", fail_on)):
        click.get_current_context().exit(exits.FAILED)
