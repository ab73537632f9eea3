"""The commands joined: `bytemill COMMAND`, and how a run ends."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from . import convert, count, counts, decode, demo, encode, exits, inspect, train
from .console import say, warnings_as_notes

EXIT_CODES = "\b\nExit codes:\n" + "\n".join(f"  {code:<5}{text}" for code, text in exits.MEANING.items())

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,  # plain help: half the start-up time, and it reads well in a pipe
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(epilog=train.EXAMPLE)(train.train)
app.command(epilog=counts.COUNT_EXAMPLE)(counts.count_pieces)
app.command(epilog=counts.MERGE_EXAMPLE)(counts.merge_counts)
app.command(epilog=encode.EXAMPLE)(encode.encode)
app.command(epilog=decode.EXAMPLE)(decode.decode)
app.command(epilog=count.EXAMPLE)(count.count)
app.command(epilog=inspect.EXAMPLE)(inspect.inspect)
app.command(epilog=convert.EXAMPLE)(convert.convert)
app.command(epilog=demo.EXAMPLE)(demo.demo)

EXAMPLE = """\b
Example:
  bytemill train corpus.txt -o words.mill
  bytemill inspect words.mill "Hello, world!"
"""


@app.callback(invoke_without_command=True, epilog=EXAMPLE + "\n" + EXIT_CODES)
def bytemill(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Train tokenizers, encode and decode with them, and see what they do.

    Data goes to standard output, everything else to standard error.
    """
    if version:
        from .. import __version__

        sys.stdout.write(f"bytemill {__version__}\n")
    elif context.invoked_subcommand is None:
        sys.stdout.write(context.get_help() + "\n")
        raise typer.Exit(exits.USAGE)


def run(arguments: Sequence[str]) -> int:
    """Runs a command line; every way to end passes through here."""
    with_open_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Texts are UTF-8 whatever the locale; surrogateescape gives undecodable file names their bytes back.
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
    command = typer.main.get_command(app)
    debug = False
    try:
        with warnings_as_notes(), command.make_context("bytemill", list(arguments)) as context:
            debug = context.params["debug"]
            command.invoke(context)
        sys.stdout.flush()
    except typer.Exit as end:
        return end.exit_code
    except (Exception, KeyboardInterrupt) as error:
        if debug:
            raise
        return end_badly(exits.explain(error))
    return exits.OK


def with_open_streams() -> None:
    """Gives streams that were closed (`>&-`) a place for what nobody wants to see, as the work may write files."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))


def end_badly(failure: exits.Failure) -> int:
    if failure.code == exits.BROKEN_PIPE:
        # The interpreter flushes standard output once more at exit; let it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return failure.code
    if failure.code == exits.INTERRUPTED:
        sys.stderr.write(f"{failure.message}\n")
        return failure.code
    say("error", failure.message, "bold red")
    if failure.hint:
        say("hint", failure.hint, "bold")
    return failure.code
