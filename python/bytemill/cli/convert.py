"""`bytemill convert`: a tokenizer from one format into another."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import BytemillError, FormatError
from ..progress import quantity
from . import options
from .console import summary, warnings_as_notes
from .helped import argument, command
from .outputs import STDOUT, check_output, save, trial_save
from .types import PATH, SIZE

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer
    from .sources import TokenizerFile

EXAMPLES = """\
bytemill convert tokenizer.json tok.mill
bytemill convert tok.mill tok.mill.json
bytemill convert tokenizer.json small.mill --vocab-size 8k
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
#: Where `sentencepiece` and `tokenizers` differ: marks, joined emoji, controls.
ODD_TEXTS = (
    "और दिल्ली",
    "👩‍👩‍👧‍👦 3.14 x_1 <html> 'don't' \u0000\u200b\ufffd",
)


@command(EXAMPLES)
@options.tokenizer
@argument(
    "output",
    "What to write: .mill, .mill.json, tokenizer.json, .tiktoken, vocab.txt, .model; - is standard "
    "output, with --format.",
    metavar="OUT",
    type=PATH,
)
@options.format_option
@click.option(
    "--vocab-size",
    type=SIZE,
    metavar="N",
    help="Keep only the first N tokens of a BPE tokenizer: what training to that size would have given.",
)
@click.option(
    "--special", metavar="TOKEN=ID", multiple=True, help="A special token and its id; may be given several times."
)
@options.normalizer
@click.option(
    "--byte-level/--characters",
    default=None,
    help="Whether the vocabulary is made of bytes or of characters.  [default: told by looking at it]",
)
@click.option("--unk-token", metavar="TOKEN", help="The token for what the vocabulary cannot express.")
def convert(
    tokenizer: TokenizerFile,
    output: Path,
    format: str | None,
    vocab_size: int | None,
    special: tuple[str, ...],
    **told: Any,
) -> None:
    """Convert a tokenizer to another format, or to a smaller vocabulary.

    The result is read back and must encode a set of texts like the original, otherwise nothing is written.

    --pattern, --special, --normalizer, --characters and --unk-token say what a .tiktoken file, a vocab.json with
    merges.txt, or a vocab.txt does not say itself.
    """
    tok = tokenizer.load(special_tokens=dict(map(token_and_id, special)) or None, **told)
    if vocab_size is not None:
        tok = tok.truncated(vocab_size)
    check_output(output, [Path(tokenizer.name)])
    with warnings_as_notes():
        copy = trial_save(tok, output, format)
        texts = texts_for(tok, copy)
        verify(tok, copy, texts, output)
        written = save(tok, output, format)
    name = "standard output" if output == STDOUT else output
    summary(
        {
            "family": tok.family,
            "vocabulary": tok.vocab_size,
            "verified": f"{len(texts)} texts give the same ids",
            "written": f"{name} ({quantity(written, 'bytes')})",
        }
    )


def token_and_id(given: str) -> tuple[str, int]:
    token, _, number = given.rpartition("=")
    if not token or not re.fullmatch("[0-9]+", number):
        raise click.BadParameter(f"a special token is given with its id, like '<|end|>=50256', not {given!r}")
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

    Special tokens are matched, because what happens to them by default depends on the format.
    """
    try:
        return tok.encode(text, specials="all")
    except BytemillError as error:
        return str(error)
