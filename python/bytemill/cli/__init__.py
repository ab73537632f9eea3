"""The `bytemill` command. One file for each command; `app.py` joins them, `exits.py` says how each ends."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType


def main() -> int:
    """The entry point; returns the exit code."""
    # While modules are imported nothing has begun that could be undone, and an exception in the middle of somebody
    # else's import may come out as anything.
    before = signal.signal(signal.SIGINT, leave)
    try:
        from .app import run
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        sys.stderr.write(
            "error: the bytemill command needs click, which is not installed\nhint: python -m pip install click rich\n"
        )
        return 2
    signal.signal(signal.SIGINT, before)
    # A parent that ignores it (`nohup`, some supervisors) means its children, too.
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, terminate)
    try:
        return run(sys.argv[1:])
    except Terminated:
        return 143
    except KeyboardInterrupt:  # between two of the places that expect it
        return 130
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)  # the interpreter is about to end anyway


class Terminated(KeyboardInterrupt):
    """SIGTERM: work is stopped and tidied up as after Ctrl-C, and the exit code tells the two apart."""


def terminate(number: int, frame: FrameType | None) -> None:
    raise Terminated


def leave(number: int, frame: FrameType | None) -> None:
    """Ends at once, as after Ctrl-C."""
    os.write(2, b"interrupted\n")
    os._exit(130)
