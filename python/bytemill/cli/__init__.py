"""The `bytemill` command. One file a command; `app.py` joins them, `exits.py` says how each ends."""

from __future__ import annotations

import sys


def main() -> int:
    """The entry point; returns the exit code."""
    try:
        import rich  # noqa: F401  # the commands import it when they need it

        from .app import run
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.stderr.write(
            f"error: the bytemill command needs {error.name}, which is not installed\n"
            f"hint: python -m pip install typer rich\n"
        )
        return 2
    except KeyboardInterrupt:
        return 130
    return run(sys.argv[1:])
