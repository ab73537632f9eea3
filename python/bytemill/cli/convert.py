"""`bytemill convert`: a tokenizer from one format into another."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated

import typer

from .. import pretokenizers
from ..errors import BytemillError, FormatError
from ..loading import load
from ..progress import quantity
from ..tokenizer import Tokenizer
from . import options
from .console import summary, warnings_as_notes
from .sources import check_output, existing, trial_save

EXAMPLE = """\b
Examples:
  bytemill convert tokenizer.json words.mill
  bytemill convert words.mill words.mill.json
  bytemill convert cl100k_base.tiktoken tokenizer.json
  bytemill convert qwen.tiktoken qwen.mill --pattern qwen2 --special '<|endoftext|>=151643'
  bytemill convert own.tiktoken own.mill --pattern ' ?\\p{L}+|\\p{N}{1,3}|[^\\p{L}\\p{N}]'
  bytemill convert vocab.json gpt1.mill --pattern bert --normalizer bert
  bytemill convert vocab.txt bert.mill --normalizer bert_cased
  bytemill convert spiece.model tokenizer.json"""

#: Encoded with both tokenizers: scripts, white space, characters that normalizers change.
TEXTS = (
    "The quick brown fox jumps over the lazy dog.",
    "  two  spaces,\ttab,\r\nline, and\u00a0no-break space  ",
    "naïve café, Ångström, ﬁne, ΟΔΥΣΣΕΥΣ, İstanbul",
    "東京タワー と 서울",
    "",
)
#: Not what `sentencepiece` and `tokenizers` must agree on: marks, joined emoji, controls.
ODD_TEXTS = (
    "और दिल्ली",
    "👩‍👩‍👧‍👦 3.14 x_1 <html> 'don't' \u0000\u200b\ufffd",
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
    pattern: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|REGEX",
            help="How text is split: "
            + ", ".join(pretokenizers.NAMED)
            + ", or a regular expression as the library of the file reads it.",
        ),
    ] = None,
    special: Annotated[
        list[str] | None,
        typer.Option(metavar="TOKEN=ID", help="A special token and its id; may be given several times."),
    ] = None,
    normalizer: options.NormalizerName = None,
    byte_level: Annotated[
        bool | None,
        typer.Option("--byte-level/--characters", help="What the vocabulary is made of; by default it is looked at."),
    ] = None,
    unk_token: Annotated[str | None, typer.Option(metavar="TOKEN", help="What stands for the unknown.")] = None,
) -> None:
    """Convert a tokenizer to another format.

    The result is read back and must encode a set of texts as the original does; else nothing is written. The options
    from --pattern on say what a .tiktoken file, vocab.json with merges.txt, or vocab.txt does not say itself.
    """
    tok = load(
        existing(tokenizer),
        pattern=pattern,
        special_tokens=None if special is None else dict(map(token_and_id, special)),
        normalizer=normalizer,
        byte_level=byte_level,
        unk_token=unk_token,
    )
    check_output(output, [tokenizer])
    with warnings_as_notes():
        copy = trial_save(tok, output, format)
        texts = texts_for(tok, copy)
        verify(tok, copy, texts, output)
        tok.save(output, format)
    summary(
        {
            "family": tok.family,
            "vocabulary": tok.vocab_size,
            "verified": f"{len(texts)} texts give the same ids",
            "written": f"{output} ({quantity(output.stat().st_size, 'bytes')})",
        }
    )


def token_and_id(given: str) -> tuple[str, int]:
    token, _, number = given.rpartition("=")
    if not token or not re.fullmatch("[0-9]+", number):
        raise typer.BadParameter(f"a special token is given with its id, as '<|end|>=50256', not {given!r}")
    return token, int(number)


def verify(original: Tokenizer, copy: Tokenizer, texts: list[str], output: Path) -> None:
    for text in texts:
        before, after = outcome(original, text), outcome(copy, text)
        if before != after:
            raise FormatError(
                f"{output} would encode {text!r} as {after}, the original as {before}; nothing was written"
            )


def texts_for(tok: Tokenizer, copy: Tokenizer) -> list[str]:
    if is_sentencepiece(tok) != is_sentencepiece(copy):
        return [text.strip() for text in TEXTS]
    return [*TEXTS, *ODD_TEXTS, " ".join(tok.special_tokens)]


def is_sentencepiece(tok: Tokenizer) -> bool:
    return "sentencepiece" in json.loads(tok.definition())


def outcome(tok: Tokenizer, text: str) -> list[int] | str:
    """The ids, or why there are none: a vocabulary need not know these texts.

    With special tokens: whether they count where nobody says so is a custom of the format.
    """
    try:
        return tok.encode(text, specials="all")
    except BytemillError as error:
        return str(error)
