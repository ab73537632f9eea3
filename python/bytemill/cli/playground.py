"""`bytemill playground`: a page on this machine that shows what tokenizers do."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

import click

from .console import note
from .helped import argument, command
from .sources import named_files
from .types import Whole

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

EXAMPLES = """\
bytemill playground tokenizer.json
bytemill playground tokenizer.json bpe.mill --open
bytemill playground --port 8000"""


@command(EXAMPLES)
@argument("tokenizers", "Tokenizer files, or folders with one.", metavar="[TOKENIZER]...", nargs=-1)
@click.option("--pattern", metavar="NAME|REGEX", help="How .tiktoken files and vocab.json split text.")
@click.option("--port", type=Whole(0, 65535), default=0, metavar="N", help="The port.  [default: a free one]")
@click.option("--open", "open_it", is_flag=True, help="Open the page in a browser.")
def playground(tokenizers: tuple[str, ...], pattern: str | None, port: int, open_it: bool) -> None:
    """Show what tokenizers do with a text, on a local web page.

    The page is served on this machine alone, at an address with a random part, until Ctrl-C. It asks nothing of any
    other place. Without a tokenizer, a small one is trained on Python's own documentation.
    """
    from ..see.web.server import serve

    loaded = named_files(tokenizers, pattern) or {"a small BPE": small()}

    def ready(address: str) -> None:
        sys.stdout.write(address + "\n")
        sys.stdout.flush()
        note("open this address in a browser; Ctrl-C ends it")
        if open_it:
            import webbrowser

            webbrowser.open(address)

    with contextlib.suppress(KeyboardInterrupt):
        serve(loaded, port, ready)


def small() -> Tokenizer:
    from pydoc_data.topics import topics

    from ..training import BPE, train

    return train(topics.values(), BPE(2_000), progress=False)
