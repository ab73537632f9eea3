"""`bytemill completion`: the script by which a shell completes what is typed."""

from __future__ import annotations

import sys

import click

from .helped import argument, command
from .types import OneOf

EXAMPLES = """\
bytemill completion bash >> ~/.bashrc
bytemill completion zsh >> ~/.zshrc
bytemill completion fish > ~/.config/fish/completions/bytemill.fish"""


@command(EXAMPLES)
@argument("shell", "bash, zsh or fish.", type=OneOf("shell", ["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that lets a shell complete commands and options.

    Start a new shell after adding the script to its settings.
    """
    from click.shell_completion import get_completion_class

    from .app import COMPLETE, NAME

    found = get_completion_class(shell)
    assert found is not None
    sys.stdout.write(found(context.find_root().command, {}, NAME, COMPLETE).source() + "\n")
