"""`bytemill inspect`: a tokenization in colour, or what a tokenizer or a file of counts is."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import SpecError
from ..results.html import FIRST, listed
from ..tokenizer import Tokenizer
from . import counts, options
from .inspect_code import inspect_code
from .lines import decoded, opened
from .paint import BETWEEN, Cell, cells, columns, flowing, visible
from .sources import load_tokenizer

EXAMPLE = """\b
Examples:
  bytemill inspect words.mill "Hello, world!"
  bytemill inspect words.mill --file README.md --ids
  bytemill inspect tokenizer.json "lower" --explain
  bytemill inspect words.mill
  bytemill inspect a.counts
  bytemill inspect --code main.py"""

LONGEST = 60  # characters of a setting


def inspect(
    tokenizer: Annotated[
        Path | None,
        typer.Argument(metavar="TOKENIZER", help="A tokenizer file or folder; none with --code.", show_default=False),
    ] = None,
    text: Annotated[
        str | None,
        typer.Argument(metavar="TEXT", help="The text to show; none describes the tokenizer.", show_default=False),
    ] = None,
    file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Read the text from a file; - is standard input.")
    ] = None,
    ids: Annotated[bool, typer.Option("--ids", help="Show tokens with their ids below.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show each piece, and of BPE every merge in its order.")
    ] = False,
    code: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Show the syntax of source code; - is standard input.")
    ] = None,
    language: Annotated[
        str | None, typer.Option(metavar="NAME", help="The language of --code; told by its name or content if not.")
    ] = None,
    specials: options.Specials = None,
    errors: options.Errors = "strict",
    as_json: options.Json = False,
) -> None:
    """Show how a text is tokenized, or describe a tokenizer or counts of pieces.

    Neighbouring tokens differ in colour, or stand in brackets where there is none. In a token, a space
    shows as ·, a tab as →, a line end as ⏎; an unknown text follows the token it becomes: <UNK>:zebra.
    """
    if code is not None:
        if text is not None or file is not None or ids or explain:
            raise SpecError("--code shows a file by itself; leave out the text, --file, --ids and --explain")
        tok = None if tokenizer is None else load_tokenizer(tokenizer)
        inspect_code(code, tok, language, specials, as_json)
        return
    if language is not None:
        raise SpecError("--language goes with --code")
    if tokenizer is None:
        raise SpecError("give a tokenizer to inspect, or --code FILE")
    if text is not None and file is not None:
        raise SpecError("give a text or --file, not both")
    if tokenizer.suffix == ".counts":
        if text is not None or file is not None or explain:
            raise SpecError(f"{tokenizer} holds counts, which tokenize no text; train a tokenizer from them first")
        found_counts = counts.describe(tokenizer)
        sys.stdout.write(
            json.dumps(found_counts, ensure_ascii=False) + "\n" if as_json else counts.card(found_counts, stage)
        )
        return
    tok = load_tokenizer(tokenizer)
    if file is not None:
        text = read_text(file, errors)
    if text is None:
        if explain:
            raise SpecError("--explain needs a text or --file")
        facts = describe(tok)
        sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n" if as_json else card(facts))
        return
    if explain:
        show_explanation(tok, text, specials, as_json)
        return
    found, rest = cells(tok, text, specials)
    numbers = {"characters": len(text), "bytes": len(text.encode()), "tokens": len(found)}
    if as_json:
        pieces = [{"id": c.id, "token": c.token, "start": c.start, "end": c.end} for c in found]
        sys.stdout.write(json.dumps({**numbers, "pieces": pieces}, ensure_ascii=False) + "\n")
        return
    columns(found) if ids else flowing(found, rest)
    sys.stdout.write(verdict(found, numbers))


def show_explanation(tok: Tokenizer, text: str, specials: str | None, as_json: bool) -> None:
    how: Any = specials
    explanation = tok.explain(text, specials=how)
    if as_json:
        sys.stdout.write(json.dumps(dataclasses.asdict(explanation), ensure_ascii=False) + "\n")
        return
    # Its own pictures for white space stand; what drives a terminal must not reach it.
    lines = str(explanation).translate({code: picture for code, picture in BETWEEN.items() if code != ord("\n")})
    sys.stdout.write(lines + "\n")


def read_text(file: Path, errors: str) -> str:
    with opened(file) as stream:
        return decoded(stream.read(), errors, file, 1)


def verdict(found: list[Cell], numbers: dict[str, int]) -> str:
    parts = [f"{number:,} {name}" for name, number in numbers.items()]
    if found:
        parts.append(f"{numbers['bytes'] / len(found):.2f} bytes/token")
    unknown = sum(cell.unknown for cell in found)
    if unknown:
        parts.append(f"{unknown:,} unknown")
    return ", ".join(parts) + "\n"


def describe(tok: Tokenizer) -> dict[str, Any]:
    definition = json.loads(tok.definition())
    first = [tok.id_to_token(id) for id in range(min(FIRST, tok.vocab_size))]
    return {
        "family": tok.family,
        "vocab_size": tok.vocab_size,
        "special_tokens": tok.special_tokens,
        "normalizer": definition.get("normalizer"),
        "pretokenizer": definition.get("pretokenizer"),
        "fingerprint": tok.fingerprint,
        "first_tokens": first,
    }


def card(facts: dict[str, Any]) -> str:
    rows = {
        "family": facts["family"],
        "vocabulary": f"{facts['vocab_size']:,} tokens",
        "special tokens": listed([f"{token} {id}" for token, id in facts["special_tokens"].items()], "  "),
        "normalizer": stage(facts["normalizer"]),
        "pretokenizer": stage(facts["pretokenizer"]),
        "fingerprint": facts["fingerprint"],
        "first tokens": "  ".join(f"{visible(token)} {id}" for id, token in enumerate(facts["first_tokens"]) if token),
    }
    return "".join(f"{name:14}  {value}\n" for name, value in rows.items())


def shortened(value: str) -> str:
    """Its start, if it is long: a map of characters has hundreds of thousands."""
    return value if len(value) <= LONGEST else f"{value[:LONGEST]}… ({len(value):,} characters)"


def stage(definition: dict[str, Any] | None) -> str:
    """`nfd, strip_accents` for a sequence of the two; settings follow in brackets."""
    if definition is None:
        return "none"
    if definition["type"] == "sequence":
        return ", ".join(map(stage, definition["steps"]))
    settings = ", ".join(
        f"{name}={shortened(json.dumps(value))}" for name, value in definition.items() if name != "type"
    )
    return f"{definition['type']}({settings})" if settings else str(definition["type"])
