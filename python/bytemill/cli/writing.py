"""The options of `bytemill encode` that say how token files are written."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from ..errors import SpecError
from . import names, options
from .types import SIZE, OneOf, Real, Whole


def kept_names(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> Any:
    """The argument `keep_columns` of what was given one by one."""
    if "*" in given:
        if len(given) > 1:
            raise SpecError("--keep '*' keeps all columns; leave out the others")
        return "*"
    parts = [
        text.rpartition("=") if text.rpartition("=")[2] in names.KEPT_TYPES else (text, "", None) for text in given
    ]
    return {name: kind for name, _, kind in parts} or None


OPTIONS = (
    click.option(
        "--format",
        type=OneOf("format", names.OUTPUT_FORMATS),
        metavar="NAME",
        help="The format of the output, if its name does not say it: " + ", ".join(names.OUTPUT_FORMATS) + ".",
    ),
    click.option(
        "--dtype",
        type=OneOf("type", ["uint16", "uint32"]),
        metavar="uint16|uint32",
        help="The type of an id. By default uint16 where all ids fit.",
    ),
    click.option("--shard-tokens", type=SIZE, metavar="N", help="Begin a new file after N tokens, such as 100M."),
    click.option(
        "--split",
        type=Real(0, 1),
        metavar="PART",
        help="Put this part of the documents, such as 0.01, into files of their own for validation. A hash of the text "
        "and --seed decide which. {split} in the name of the output stands for train and val.",
    ),
    click.option("--shuffle", is_flag=True, help="Write the documents in an order drawn at random, by --seed."),
    click.option("--pack", type=Whole(1), metavar="N", help="Make rows of N ids, one document after another."),
    click.option(
        "--keep",
        "keep_columns",
        multiple=True,
        callback=kept_names,
        metavar="NAME[=TYPE]",
        help="Keep another column or field beside the ids, in .jsonl, .parquet and .arrow files. May be repeated; '*' "
        "keeps all. Types, for JSON and CSV: " + ", ".join(names.KEPT_TYPES) + ".",
    ),
    click.option("--pad", metavar="TOKEN", help="What the last packed row is filled up with.  [default: pad, or eos]"),
    click.option("--resume", is_flag=True, help="Go on with what an interrupted run of the same work has left."),
    click.option(
        "--checkpoint",
        type=Real(0),
        metavar="SECONDS",
        help="How often it is noted how far the work is, for --resume.  [default: 30]",
    ),
    click.option("--verify", is_flag=True, help="Read the output back, and compare a sample with the sources."),
    options.engine,
    options.shard_bytes,
    click.option("--dry-run", is_flag=True, help="Write nothing: estimate the number of tokens from a sample."),
)


def writing(function: Callable[..., Any]) -> Callable[..., Any]:
    """The command gets a dictionary of what was given."""
    taken = [parameter for option in OPTIONS for parameter in _names(option)]

    @functools.wraps(function)
    def call(**given: Any) -> Any:
        chosen = {name: given.pop(name) for name in taken}
        return function(writing={name: value for name, value in chosen.items() if value not in (None, False)}, **given)

    for option in reversed(OPTIONS):
        call = option(call)
    return call


def _names(option: Callable[..., Any]) -> list[str]:
    """What click calls the value of an option."""

    @option
    def probe() -> None: ...

    return [parameter.name for parameter in probe.__click_params__]


def refuse_without_output(writing: dict[str, Any]) -> None:
    given = [name for name in writing if name != "dry_run"]
    if given:
        option = "keep" if given[0] == "keep_columns" else given[0].replace("_", "-")
        raise SpecError(f"--{option} is for token files; name the output with -o")
