"""`bytemill embed`: a vocabulary as source code."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from ..errors import SpecError
from ..progress import quantity
from . import names, options
from .console import summary
from .helped import argument, command
from .outputs import STDOUT, check_output
from .types import PATH, OneOf

if TYPE_CHECKING:
    from ..embedding import SourceLanguage
    from .sources import TokenizerFile

EXAMPLES = """\
bytemill embed words.mill src/vocabulary.rs
bytemill embed words.mill vocabulary.h --name words
bytemill embed words.mill - --language c"""

#: What the names of files end with.
_OF_NAME = {".rs": "rust", ".h": "c", ".c": "c", ".hpp": "c"}


@command(EXAMPLES)
@options.tokenizer
@argument("output", "The file to write, .rs or .h; - is standard output, with --language.", metavar="OUT", type=PATH)
@click.option(
    "--language",
    type=OneOf("language", names.SOURCE_LANGUAGES),
    metavar="NAME",
    help="rust or c.  [default: told by the name of the file]",
)
@click.option("--name", default="vocabulary", show_default=True, help="What names in C begin with.")
def embed(tokenizer: TokenizerFile, output: Path, language: str | None, name: str) -> None:
    """Write a vocabulary as Rust or C source code, with a perfect hash from tokens to ids.

    For programs that cannot load files and whose vocabulary is small and does not change: at most 65,536 tokens.
    """
    from .._whole_files import write_whole
    from ..embedding import embed as embedded

    told = language or _OF_NAME.get(output.suffix.lower())
    if told is None:
        raise SpecError(f"{output} tells no language by its name; pass --language rust or --language c")
    if output != STDOUT:
        check_output(output, [Path(tokenizer.name)])
    tok = tokenizer.load()
    source = embedded(tok, cast("SourceLanguage", told), name=name)
    if output == STDOUT:
        sys.stdout.write(source)
        return
    write_whole(output, source)
    summary({"vocabulary": tok.vocab_size, "written": f"{output} ({quantity(len(source), 'bytes')})"})
