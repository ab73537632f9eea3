"""The commands joined: `bytemill COMMAND`, and how a run ends."""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Sequence

import click

from .._arguments.names import nearest
from . import exits
from .console import say, warnings_as_notes

#: What can be typed, in the order of the help: the summary here, the command in the module of that name. A module is
#: imported when its command is asked for.
COMMANDS = {
    "train": "Train a tokenizer on text and write it to a file.",
    "encode": "Encode text into a token file, or into ids on standard output.",
    "decode": "Decode ids into text.",
    "count": "Count the tokens of files, folders, standard input or a text.",
    "cut": "Cut a text after its first (or before its last) N tokens.",
    "inspect": "Show how a text is tokenized, or describe a tokenizer.",
    "explain": "Show how a text becomes its tokens: its pieces and, for BPE, every merge.",
    "compare": "Compare tokenizers on the same texts.",
    "lint": "Look for what is wrong with a tokenizer.",
    "sweep": "Train vocabularies of many sizes, and see which size pays.",
    "playground": "Show what tokenizers do with a text, on a local web page.",
    "check": "Check that texts come back exactly after encoding and decoding.",
    "convert": "Convert a tokenizer to another format, or to a smaller vocabulary.",
    "edit": "Edit the vocabulary of a tokenizer: add, remove, prune, learn, merge, renumber or rename tokens.",
    "embed": "Write a vocabulary as Rust or C source code, with a perfect hash from tokens to ids.",
    "count-pieces": "Count the pieces of texts, to train from the counts as often as wanted.",
    "merge-counts": "Merge counts of pieces.",
    "demo": "Train on Python's own library, and see what happens.",
    "version": "Show the version; with -v also the instructions, threads and libraries in use.",
    "completion": "Print the script that lets a shell complete commands and options.",
    "help": "Show the help of a command.",
}

EXAMPLE = """\b
Examples:
  bytemill demo
  bytemill train corpus.txt -o tokenizer.json --vocab-size 8k
  bytemill inspect tokenizer.json "Hello, world!"
  bytemill count tokenizer.json README.md src/
  bytemill encode tokenizer.json corpus.txt -o train.bin"""
EXIT_CODES = "\b\nExit codes:\n" + "\n".join(f"  {code:<5}{text}" for code, text in exits.MEANING.items())

NAME = "bytemill"
COMPLETE = "_BYTEMILL_COMPLETE"  # what the shell sets when it wants completions


class Commands(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        module = "counts" if name in ("count_pieces", "merge_counts") else name
        command: click.Command = getattr(importlib.import_module(f".{module}", __package__), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = nearest(args[0], COMMANDS)
            hint = f"; did you mean {near!r}?" if near else ""
            ctx.fail(f"unknown command {args[0]!r}{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def show_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from .. import __version__

        sys.stdout.write(f"bytemill {__version__}\n")
        ctx.exit()


@click.group(
    cls=Commands,
    name=NAME,
    invoke_without_command=True,
    epilog=EXAMPLE + "\n\n" + EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "-V", "--version", is_flag=True, is_eager=True, expose_value=False, callback=show_version, help="Show the version."
)
@click.option("--debug", is_flag=True, help="Show the Python traceback of an error.")
@click.pass_context
def bytemill(context: click.Context, debug: bool) -> None:
    """Train tokenizers, encode and decode with them, and see what they do.

    Data goes to standard output, everything else to standard error.
    """
    if context.invoked_subcommand is None:
        sys.stdout.write(context.get_help() + "\n")
        context.exit(exits.USAGE)


def run(arguments: Sequence[str]) -> int:
    """Runs a command line; every way to end passes through here."""
    with_open_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Texts are UTF-8 whatever the locale; surrogateescape gives undecodable file names their bytes back.
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
    if asked := os.environ.get(COMPLETE):
        from click.shell_completion import shell_complete

        return shell_complete(bytemill, {}, NAME, COMPLETE, asked)
    debug = False
    try:
        with warnings_as_notes(), bytemill.make_context(NAME, list(arguments)) as context:
            debug = context.params["debug"]
            bytemill.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as end:
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
    if failure.code in (exits.INTERRUPTED, exits.TERMINATED):
        sys.stderr.write(f"{failure.message}\n")
        return failure.code
    if failure.message:
        say("error", failure.message, "bold red")
    if failure.hint:
        say("hint", failure.hint, "bold")
    return failure.code
