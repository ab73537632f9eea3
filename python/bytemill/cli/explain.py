"""`bytemill explain`: how a text becomes its tokens, step by step, also as a film."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..errors import SpecError
from . import options
from .console import note
from .helped import argument, command
from .inspect import show_explanation, text_of
from .sources import TokenizerFile
from .types import PATH

EXAMPLES = """\
bytemill explain bpe.mill "the cat"
bytemill explain bpe.mill "the cat" --html film.html
bytemill explain bpe.mill --file README.md --json"""


@command(EXAMPLES)
@options.tokenizer
@argument("text", "The text; - is standard input.", metavar="[TEXT]", required=False)
@click.option("--file", type=PATH, metavar="FILE", help="Read the text from a file; - is standard input.")
@click.option("--html", type=PATH, metavar="FILE", help="Write a film of the merges, which needs no other file.")
@click.option("--all", "everything", is_flag=True, help="Explain all tokens, not just the first 1,000.")
@options.specials
@options.errors_option
@options.json_output
def explain(
    tokenizer: TokenizerFile, text: str | None, file: Path | None, html: Path | None, errors: str, **how: Any
) -> None:
    """Show how a text becomes its tokens: its pieces and, for BPE, every merge.

    With --html, a page replays the merges, in the order of encoding or in that of training.
    """
    found = text_of(text, file, errors)
    if found is None:
        raise SpecError("name a text to explain, or pass --file")
    tok = tokenizer.load()
    if html is None:
        show_explanation(tok, found, how)
        return
    from .._whole_files import write_whole
    from ..see.film import film
    from .inspect import MOST

    shown = found if how["everything"] else tok.cut(found, MOST, specials=how["specials"])
    write_whole(html, film(tok.explain(shown, specials=how["specials"])))
    if len(shown) < len(found):
        note(f"the film has the first {MOST:,} tokens; --all has the rest")
