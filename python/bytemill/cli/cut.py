"""`bytemill cut`: the first or last tokens of a text, as text."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from . import options
from .documents import one_document
from .helped import argument, command
from .types import SIZE

if TYPE_CHECKING:
    from .sources import Reading, TokenizerFile

EXAMPLES = """\
bytemill cut tokenizer.json 1000 README.md
bytemill cut tokenizer.json 8k chat.txt --last > context.txt
cat log.txt | bytemill cut tokenizer.json 500"""


@command(EXAMPLES)
@options.tokenizer
@argument("n", "How many tokens to keep at most; may be written as 8k.", metavar="N", type=SIZE)
@options.reading(text=True)
@click.option("--last", is_flag=True, help="Keep the last N tokens instead of the first.")
@options.specials
@options.json_output
def cut(tokenizer: TokenizerFile, n: int, reading: Reading, last: bool, specials: Any, as_json: bool) -> None:
    """Cut a text after its first (or before its last) N tokens.

    What is kept goes to standard output unchanged; no line end is added. Since a character is never split, there may
    be a token less than N.
    """
    text = one_document(reading)
    tok = tokenizer.load()
    kept = tok.cut(text, n, from_end=last, specials=specials)
    if as_json:
        facts = {"text": kept, "tokens": tok.count(kept, specials=specials), "is_cut": len(kept) < len(text)}
        sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(kept)
