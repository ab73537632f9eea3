"""`bytemill version`: what is installed, and what it runs on."""

from __future__ import annotations

import dataclasses
import json
import sys

import click

from .helped import command
from .options import json_output

EXAMPLES = """\
bytemill version
bytemill version -v"""


@command(EXAMPLES)
@click.option("-v", "--verbose", is_flag=True, help="Also show instructions, threads and the versions of libraries.")
@json_output
def version(verbose: bool, as_json: bool) -> None:
    """Show the version; with -v also the instructions, threads and libraries in use."""
    from .. import __version__

    facts: dict[str, object] = {"bytemill": __version__}
    if verbose:
        from ..machine import features

        facts |= dataclasses.asdict(features())
    if as_json:
        sys.stdout.write(json.dumps(facts) + "\n")
        return
    sys.stdout.write(f"bytemill {facts.pop('bytemill')}\n")
    sys.stdout.write("".join(f"{name:8}  {value}\n" for name, value in facts.items()))
