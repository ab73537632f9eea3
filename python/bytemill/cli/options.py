"""The options and arguments that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import typer

from .. import normalizers, pretokenizers
from .._arguments.amounts import memory_bytes
from .._arguments.names import unknown_name
from ..errors import SpecError


def one_of(what: str, names: Iterable[str]) -> Callable[[str | None], str | None]:
    """A check for an option that takes one of a few names; a misspelt one gets the nearest."""
    known = dict.fromkeys(names)

    def check(value: str | None) -> str | None:
        if value is not None and value not in known:
            raise typer.BadParameter(unknown_name(what, value, known))
        return value

    return check


def amount(value: str | None) -> str | None:
    """A check for an option that takes an amount of memory."""
    try:
        memory_bytes(value)
    except SpecError as error:
        raise typer.BadParameter(str(error)) from error
    return value


TokenizerPath = Annotated[
    Path, typer.Argument(metavar="TOKENIZER", help="A tokenizer file or folder.", show_default=False)
]
SourcePaths = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="SOURCE",
        help="Text files, .jsonl, folders, each also .gz or .zst; - or none is standard input.",
        show_default=False,
    ),
]
Field = Annotated[str, typer.Option(help="The field of each .jsonl line that holds the text.", metavar="NAME")]
Errors = Annotated[
    str,
    typer.Option(
        help="What is not UTF-8: stop there, or read it as U+FFFD.",
        metavar="strict|replace",
        callback=one_of("choice", ["strict", "replace"]),
    ),
]
Specials = Annotated[
    str | None,
    typer.Option(
        help="Special tokens written in the text: match them, take them as plain text, or stop. "
        "By default as the tokenizer's own library does.",
        metavar="all|none|refuse",
        callback=one_of("choice", ["all", "none", "refuse"]),
    ),
]
NormalizerName = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Clean the text first: " + ", ".join(normalizers.NAMED) + ".",
        callback=one_of("normalizer", normalizers.NAMED),
    ),
]
PretokenizerName = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Cut the text into pieces: " + ", ".join(pretokenizers.NAMED) + ".",
        callback=one_of("pretokenizer", pretokenizers.NAMED),
    ),
]
Threads = Annotated[int | None, typer.Option(help="Number of threads; by default all cores.", metavar="N", min=1)]
Memory = Annotated[
    str | None,
    typer.Option(
        help="Memory for counts, such as 500MB or 2GB: what outgrows it goes to temporary files.",
        metavar="AMOUNT",
        callback=amount,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Write JSON to standard output.")]
