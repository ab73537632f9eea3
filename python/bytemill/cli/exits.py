"""How a run ends: the exit codes, and what an exception says to the person at the terminal."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import click

from .._arguments.names import nearest
from ..errors import BytemillError, SpecError
from . import Terminated
from .wording import in_options

OK = 0
FAILED = 1
USAGE = 2
INTERRUPTED = 130  # 128 + SIGINT, as shells count
BROKEN_PIPE = 141  # 128 + SIGPIPE: what `cat` ends with in `cat file | head`
TERMINATED = 143  # 128 + SIGTERM

MEANING = {
    OK: "done",
    FAILED: "the work failed: a bad file, a refused text, a difference found, a full disk",
    USAGE: "wrong usage: an unknown command, option or name",
    INTERRUPTED: "interrupted by Ctrl-C; no half-written file is left",
    BROKEN_PIPE: "the reader of a pipe went away, as in `| head`",
    TERMINATED: "ended by SIGTERM; no half-written file is left",
}


@dataclasses.dataclass(frozen=True)
class Failure:
    """A way to end other than well. With an empty message nothing is shown."""

    code: int
    message: str
    hint: str = ""


def explain(error: BaseException) -> Failure:
    """The one place where exceptions become exit codes and messages."""
    if isinstance(error, Terminated):
        return Failure(TERMINATED, "terminated")
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return Failure(INTERRUPTED, "interrupted")
    if isinstance(error, BrokenPipeError):
        return Failure(BROKEN_PIPE, "")
    if isinstance(error, click.UsageError):
        return _usage(error)
    if isinstance(error, BytemillError):
        return Failure(USAGE if isinstance(error, SpecError) else FAILED, in_options(str(error)))
    if isinstance(error, OSError):
        return _os_error(error)
    if type(error) is ImportError:  # an extra that is not installed: the message says how to install it
        return Failure(FAILED, str(error))
    return Failure(
        FAILED,
        f"unexpected {type(error).__name__}: {error}",
        "this is a bug in bytemill; please report what `bytemill --debug …` shows",
    )


def _usage(error: click.UsageError) -> Failure:
    message = error.format_message().rstrip(".")
    if isinstance(error, click.NoSuchOption):
        known = [] if error.ctx is None else [n for p in error.ctx.command.params for n in (*p.opts, *p.secondary_opts)]
        near = nearest(error.option_name, known)
        message = f"unknown option {error.option_name!r}" + (f"; did you mean {near!r}?" if near else "")
    command = error.ctx.command_path if error.ctx else "bytemill"
    return Failure(USAGE, message[:1].lower() + message[1:], f"see {command} --help")


def _os_error(error: OSError) -> Failure:
    name = os.fsdecode(error.filename) if isinstance(error.filename, (str, bytes, os.PathLike)) else None
    if name is None:
        return Failure(FAILED, error.strerror or str(error))
    if isinstance(error, FileNotFoundError):
        near = nearest_path(Path(name))
        # What the library adds to a plain "not found" says what else could be done.
        said = error.strerror or ""
        more = "" if not said or said.startswith(os.strerror(error.errno or 0)) else f": {in_options(said)}"
        missing = f"there is no file or folder {name!r}{more}"
        return Failure(FAILED, missing, f"did you mean {str(near)!r}?" if near else "")
    return Failure(FAILED, f"{name}: {error.strerror or error}")


def nearest_path(path: Path) -> Path | None:
    """The existing path that a misspelt one probably means: its first wrong part put right."""
    for folder, part in zip(reversed(path.parents), path.parts[-len(path.parents) :], strict=True):
        if (folder / part).exists():
            continue
        try:
            names = sorted(entry.name for entry in folder.iterdir())
        except OSError:
            return None
        near = nearest(part, names)
        return folder / near if near is not None else None
    return None
