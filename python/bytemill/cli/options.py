"""The options and arguments that several commands share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from . import names
from .helped import argument
from .sources import Reading, TokenizerFile
from .types import ENGINE, MEMORY, PATH, OneOf, Whole

Function = TypeVar("Function", bound=Callable[..., Any])
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


TOKENIZER = "A tokenizer file, or a folder with one."
SOURCE = (
    "A text file (one document), a .jsonl, .json, .csv, .tsv, .parquet or .arrow file (one document for each record "
    "or row), a folder with such files, or a quoted pattern of names such as 'data/*.jsonl'; each may be compressed "
    "(.gz, .zst, .xz, .bz2). Without one, or with -, standard input is read."
)


def unescaped(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """What people cannot type on a command line."""
    return None if value is None else value.replace("\\n", "\n").replace("\\t", "\t")


def tokenizer(function: Callable[..., Any]) -> Callable[..., Any]:
    """TOKENIZER, and --pattern for files that do not say how text is split; the command gets a `TokenizerFile`."""

    @functools.wraps(function)
    def call(*, tokenizer: str, pattern: str | None, **rest: Any) -> Any:
        return function(tokenizer=TokenizerFile(tokenizer, pattern), **rest)

    return argument("tokenizer", TOKENIZER, metavar="TOKENIZER")(
        click.option(
            "--pattern",
            metavar="NAME|REGEX",
            help="How a .tiktoken file or vocab.json splits text, which these files do not say: the name of a "
            "pretokenizer, or a regular expression.",
        )(call)
    )


def reading(*, text: bool = False, on: str | None = None) -> Decorator:
    """SOURCE... and how to read it; the command gets a `Reading`. With `text`, also --text.

    With `on`, which says what is done, sources are named by --on, and the arguments are something else.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*, sources: Any, input_format: Any, field: Any, errors: Any, separator: Any, **rest: Any) -> Any:
            given = Reading(sources, input_format, field, errors, rest.pop("text", None), separator)
            return function(reading=given, **rest)

        options = [
            argument("sources", SOURCE, metavar="[SOURCE]...", nargs=-1, type=PATH) if on is None else _on(on),
            *([TEXT] if text else []),
            click.option(
                "--input-format",
                type=OneOf("input format", names.INPUT_FORMATS),
                metavar="|".join(names.INPUT_FORMATS),
                help="How sources are read: as one document, one for each line, or one for each record or row. By "
                "default the name of a file says it, and standard input is one document.",
            ),
            click.option(
                "--field",
                metavar="NAME",
                help="The field of each record, or the column of a table, that holds the text; a.b is the field b of "
                "the object in a.  [default: text]",
            ),
            click.option(
                "--separator",
                metavar="TEXT",
                help="What stands between the documents of a text file; \\n and \\t stand for a line end and a tab.",
                callback=unescaped,
            ),
            errors_option,
        ]
        for option in reversed(options):
            call = option(call)
        return call

    return decorate


def _on(doing: str) -> Decorator:
    """As often as there are sources."""
    help = f"What to {doing}; may be repeated. {SOURCE}"
    return click.option("--on", "sources", type=PATH, multiple=True, metavar="SOURCE", help=help)


TEXT = click.option("--text", metavar="TEXT", help="The text itself, in place of sources.")
errors_option = click.option(
    "--errors",
    type=OneOf("choice", ["strict", "replace", "skip"]),
    metavar="strict|replace|skip",
    default="strict",
    show_default=True,
    help="What to do with bytes that are not UTF-8, and records without a text: stop, read such bytes as U+FFFD, or "
    "leave such documents out.",
)
specials = click.option(
    "--specials",
    type=OneOf("choice", ["all", "none", "refuse"]),
    metavar="all|none|refuse",
    help="Special tokens written in the text: match them, take them as plain text, or stop. "
    "The default is what the tokenizer's own library does.",
)
normalizer = click.option(
    "--normalizer",
    type=OneOf("normalizer", names.NORMALIZERS),
    metavar="NAME",
    help="Normalize the text first: " + ", ".join(names.NORMALIZERS) + ".",
)
threads = click.option("--threads", type=Whole(1), metavar="N", help="Number of threads.  [default: one for each core]")
memory = click.option(
    "--memory",
    type=MEMORY,
    metavar="AMOUNT",
    help="Memory for counts, such as 500MB or 2GB; larger counts go to temporary files.",
)
engine = click.option(
    "--engine",
    type=ENGINE,
    metavar="NAME",
    help="Work beyond this machine: ray, ray://HOST:PORT or spark. The result is the same. --threads and --memory are "
    "then for each worker.",
)
shard_bytes = click.option(
    "--shard-bytes",
    type=MEMORY,
    metavar="AMOUNT",
    help="How much of the sources a worker reads at a time, such as 64MB.  [default: 256MB]",
)
json_output = click.option("--json", "as_json", is_flag=True, help="Write JSON to standard output.")
format_option = click.option(
    "--format",
    type=OneOf("format", names.FORMATS),
    metavar="NAME",
    help="The format to write, if the name of the output does not say it: " + ", ".join(names.FORMATS) + ".",
)


def pretokenizer(**more: Any) -> Decorator:
    return click.option(
        "--pretokenizer",
        type=OneOf("pretokenizer", names.PRETOKENIZERS),
        metavar="NAME",
        help="Split the text into pieces: " + ", ".join(names.PRETOKENIZERS) + ".",
        **more,
    )


def output(help: str, *, required: bool = True) -> Decorator:
    return click.option("-o", "--output", type=PATH, metavar="FILE", required=required, help=help)
