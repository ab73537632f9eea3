"""`bytemill convert`: a tokenizer from one format into another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import BytemillError, FormatError
from ..progress import quantity
from ..tokenizer import Tokenizer
from . import options
from .console import summary
from .sources import check_output, load_tokenizer, trial_save

EXAMPLE = """\b
Examples:
  bytemill convert tokenizer.json words.mill
  bytemill convert words.mill words.mill.json"""

#: Encoded with both tokenizers: scripts, white space, controls, emoji, characters that normalizers change.
TEXTS = (
    "The quick brown fox jumps over the lazy dog.",
    "  two  spaces,\ttab,\r\nline, and\u00a0no-break space  ",
    "naïve café, Ångström, ﬁne, ΟΔΥΣΣΕΥΣ, İstanbul",
    "東京タワー と 서울 और दिल्ली",
    "👩‍👩‍👧‍👦 3.14 x_1 <html> 'don't' \u0000\u200b\ufffd",
    "",
)


def convert(
    tokenizer: options.TokenizerPath,
    output: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="What to write: .mill, .mill.json or tokenizer.json.", show_default=False),
    ],
    format: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The format to write, if the name of OUT does not say it."),
    ] = None,
) -> None:
    """Convert a tokenizer to another format.

    The result is read back and must encode a set of texts as the original does; else nothing is written.
    """
    tok = load_tokenizer(tokenizer)
    check_output(output, [tokenizer])
    verify(tok, trial_save(tok, output, format), output)
    tok.save(output, format)
    summary(
        {
            "family": tok.family,
            "vocabulary": tok.vocab_size,
            "verified": f"{len(texts_for(tok))} texts give the same ids",
            "written": f"{output} ({quantity(output.stat().st_size, 'bytes')})",
        }
    )


def verify(original: Tokenizer, copy: Tokenizer, output: Path) -> None:
    for text in texts_for(original):
        before, after = outcome(original, text), outcome(copy, text)
        if before != after:
            raise FormatError(
                f"{output} would encode {text!r} as {after}, the original as {before}; nothing was written"
            )


def texts_for(tok: Tokenizer) -> list[str]:
    return [*TEXTS, " ".join(tok.special_tokens)]


def outcome(tok: Tokenizer, text: str) -> list[int] | str:
    """The ids, or why there are none: a vocabulary need not know these texts."""
    try:
        return tok.encode(text)
    except BytemillError as error:
        return str(error)
