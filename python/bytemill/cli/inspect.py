"""`bytemill inspect`: a tokenization in colour, or what a tokenizer or a file of counts is."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import SpecError
from . import options
from .console import plural
from .helped import argument, command
from .sources import STDIN, Reading, TokenizerFile, standard_input
from .types import PATH

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer
    from .paint import Cell

EXAMPLES = """\
bytemill inspect tokenizer.json "Hello, world!"
bytemill inspect tokenizer.json --file README.md --ids
echo "lower" | bytemill inspect tokenizer.json --explain
bytemill inspect tokenizer.json
bytemill inspect a.counts
bytemill inspect --code main.py"""

MOST = 1_000  # tokens that are shown unless --all is given


@command(EXAMPLES)
@argument("tokenizer", "A tokenizer file, a folder with one, or .counts.", metavar="[TOKENIZER]", required=False)
@argument("text", "The text to show; - is standard input.", metavar="[TEXT]", required=False)
@click.option("--file", type=PATH, metavar="FILE", help="Read the text from a file; - is standard input.")
@click.option("--ids", is_flag=True, help="Show the tokens in columns, with their ids below.")
@click.option("--explain", is_flag=True, help="Show each piece and, for BPE, every merge in order.")
@click.option("--all", "everything", is_flag=True, help=f"Show all tokens, not just the first {MOST:,}.")
@click.option(
    "--code", type=PATH, metavar="FILE", help="Show the syntax of source code; - is standard input. Needs no tokenizer."
)
@click.option("--language", metavar="NAME", help="The language of --code.  [default: told by its name or content]")
@click.option("--pattern", metavar="NAME|REGEX", help="How a .tiktoken file or vocab.json splits text.")
@options.specials
@options.errors_option
@options.json_output
def inspect(
    tokenizer: str | None,
    text: str | None,
    file: Path | None,
    code: Path | None,
    language: str | None,
    pattern: str | None,
    errors: str,
    **how: Any,
) -> None:
    """Show how a text is tokenized, or describe a tokenizer.

    The text is TEXT, a file, or what is piped in; without a text, the tokenizer (or a .counts file) is described.
    Neighbouring tokens differ in colour, or stand in brackets where there is no colour. In a token, a space is shown
    as ·, a tab as →, a line end as ⏎, and a byte that is only part of a character as <0xE2>. Text that became the
    unknown token is shown after it: <UNK>:zebra.
    """
    if code is not None:
        if text is not None or file is not None or how["ids"] or how["explain"]:
            raise SpecError("--code shows a file of its own; leave out the text, --file, --ids and --explain")
        from .inspect_code import inspect_code

        tok = None if tokenizer is None else TokenizerFile(tokenizer, pattern).load()
        inspect_code(code, tok, language, how["specials"], how["as_json"])
        return
    if language is not None:
        raise SpecError("--language is for --code")
    if tokenizer is None:
        raise SpecError("name a tokenizer to inspect, or pass --code FILE")
    found = text_of(text, file, errors)
    if tokenizer.endswith(".counts"):
        show_counts(Path(tokenizer), found, how)
        return
    tok = TokenizerFile(tokenizer, pattern).load()
    if found is None:
        show_description(tok, how)
    elif how["explain"]:
        show_explanation(tok, found, how)
    else:
        show_tokens(tok, found, how)


def text_of(text: str | None, file: Path | None, errors: str) -> str | None:
    """The text to show, wherever it comes from; None if there is none."""
    from .documents import decoded, one_document
    from .sources import STANDARD_INPUT, encoded

    if text == "-":
        text, file = None, STDIN if file is None else file
    if text is not None and file is not None:
        raise SpecError("give a text or --file, not both")
    if text is not None:
        return decoded(encoded(text), errors, "the text")
    if file is not None:
        return one_document(Reading((file,), "text", None, errors))
    piped = standard_input().read() if is_piped() else b""
    return decoded(piped, errors, STANDARD_INPUT) if piped else None


def is_piped() -> bool:
    """Whether somebody sends something: a pipe or a file, not a terminal, a device or nothing at all."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):  # no standard input, or one that is not a file
        return sys.stdin is not None and not sys.stdin.closed and not sys.stdin.isatty()
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def show_counts(path: Path, text: str | None, how: dict[str, Any]) -> None:
    from .counts import card, describe
    from .describe import stage

    if text is not None or how["explain"]:
        raise SpecError(f"{path} holds counts, which do not tokenize text; train a tokenizer from them first")
    facts = describe(path)
    sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n" if how["as_json"] else card(facts, stage))


def show_description(tok: Tokenizer, how: dict[str, Any]) -> None:
    from .describe import card, describe

    if how["explain"]:
        raise SpecError("--explain needs a text or --file")
    facts = describe(tok)
    sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n" if how["as_json"] else card(facts))


def show_explanation(tok: Tokenizer, text: str, how: dict[str, Any]) -> None:
    from ..results.visible import BETWEEN

    shown = text if how["everything"] else tok.cut(text, MOST, specials=how["specials"])
    explanation = tok.explain(shown, specials=how["specials"])
    if how["as_json"]:
        sys.stdout.write(json.dumps(dataclasses.asdict(explanation), ensure_ascii=False) + "\n")
        return
    # Controls that drive a terminal must not reach it.
    sys.stdout.write(str(explanation).translate(BETWEEN) + "\n")
    if len(shown) < len(text):
        sys.stdout.write(f"the first {MOST:,} tokens; --all shows the rest\n")


def show_tokens(tok: Tokenizer, text: str, how: dict[str, Any]) -> None:
    from .paint import Cell, cells, columns, flowing

    seen = Seen()
    found = cells(tok, text, how["specials"])
    if not how["everything"]:
        found = itertools.islice(found, MOST)
    found = seen.watch(found)
    if how["as_json"]:
        pieces = [
            {"id": cell.id, "token": cell.token, "start": cell.start, "end": cell.end}
            for cell in found
            if isinstance(cell, Cell)
        ]
        seen.settle(text)
        facts = {**seen.numbers, "is_cut": seen.is_cut, "pieces": pieces}
        sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")
        return
    for shown in columns(found) if how["ids"] else flowing(found):
        sys.stdout.write(shown)
    seen.settle(text)
    sys.stdout.write(seen.verdict() + "\n")


class Seen:
    """Counts what is shown, as it is shown."""

    def __init__(self) -> None:
        self.tokens = self.unknown = self.end = 0
        self.is_cut = True
        self.numbers: dict[str, int] = {}

    def watch(self, found: Iterator[Cell | str]) -> Iterator[Cell | str]:
        for cell in found:
            if isinstance(cell, str):
                self.is_cut = False
            else:
                self.tokens += 1
                self.unknown += cell.unknown
                self.end = max(self.end, cell.end)
            yield cell

    def settle(self, text: str) -> None:
        """After the last token: how much of the text it was."""
        self.is_cut = self.is_cut and self.end < len(text)
        shown = text[: self.end] if self.is_cut else text
        self.numbers = {"characters": len(shown), "bytes": len(shown.encode()), "tokens": self.tokens}

    def verdict(self) -> str:
        parts = [plural(number, name.removesuffix("s")) for name, number in self.numbers.items()]
        if self.tokens:
            parts.append(f"{self.numbers['bytes'] / self.tokens:.2f} bytes/token")
        if self.unknown:
            parts.append(f"{self.unknown:,} unknown")
        return ", ".join(parts) + ("; there is more, which --all shows" if self.is_cut else "")
