"""`bytemill help`: the help of a command, for people who type `help` first."""

from __future__ import annotations

import sys

import click

from .helped import argument, command

EXAMPLES = """\
bytemill help
bytemill help encode"""


@command(EXAMPLES)
@argument("topic", "One of the commands.", metavar="[COMMAND]", required=False)
@click.pass_context
def help(context: click.Context, topic: str | None) -> None:
    """Show the help of a command.

    Without one, the commands are listed.
    """
    top = context.parent
    assert top is not None and isinstance(top.command, click.Group)
    if topic is None:
        sys.stdout.write(top.get_help() + "\n")
        return
    _, found, _ = top.command.resolve_command(top, [topic])
    assert found is not None
    sys.stdout.write(found.get_help(click.Context(found, info_name=topic, parent=top)) + "\n")
