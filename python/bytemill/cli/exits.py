"""How a run ends: the exit codes, and what an exception says to the person at the terminal."""

from __future__ import annotations

import dataclasses
import difflib
import os
from pathlib import Path

import typer

from ..errors import BytemillError, SpecError
from .wording import in_options

OK = 0
FAILED = 1
USAGE = 2
INTERRUPTED = 130  # 128 + SIGINT, as shells count
BROKEN_PIPE = 141  # 128 + SIGPIPE: what `cat` ends with in `cat file | head`

MEANING = {
    OK: "the work is done",
    FAILED: "the work failed: a bad file, a refused text, a full disk",
    USAGE: "wrong usage: an unknown command, option or name",
    INTERRUPTED: "interrupted by Ctrl-C; nothing half-written is left",
    BROKEN_PIPE: "the reader of a pipe went away, as in `| head`",
}

# typer names only this leaf of its tree of usage errors; where the tree lives moved between its versions.
UsageError: type[Exception] = typer.BadParameter.__mro__[1]


@dataclasses.dataclass(frozen=True)
class Failure:
    """A way to end other than well; an empty message ends in silence."""

    code: int
    message: str
    hint: str = ""


def explain(error: BaseException) -> Failure:
    """The one place where exceptions become exit codes and messages."""
    if isinstance(error, (KeyboardInterrupt, typer.Abort)):
        return Failure(INTERRUPTED, "interrupted")
    if isinstance(error, BrokenPipeError):
        return Failure(BROKEN_PIPE, "")
    if isinstance(error, UsageError):
        return _usage(error)
    if isinstance(error, BytemillError):
        return Failure(USAGE if isinstance(error, SpecError) else FAILED, in_options(str(error)))
    if isinstance(error, OSError):
        return _os_error(error)
    return Failure(
        FAILED,
        f"unexpected {type(error).__name__}: {error}",
        "this is a mistake in bytemill; please report what `bytemill --debug …` shows",
    )


def _usage(error: Exception) -> Failure:
    message: str = error.format_message()  # type: ignore[attr-defined]
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "bytemill"
    return Failure(USAGE, message[:1].lower() + message[1:], f"{command} --help shows the usage")


def _os_error(error: OSError) -> Failure:
    name = os.fsdecode(error.filename) if isinstance(error.filename, (str, bytes, os.PathLike)) else None
    if name is None:
        return Failure(FAILED, error.strerror or str(error))
    if isinstance(error, FileNotFoundError):
        near = nearest_path(Path(name))
        return Failure(FAILED, f"there is no file or folder {name!r}", f"did you mean {str(near)!r}?" if near else "")
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
        close = difflib.get_close_matches(part, names, n=1)
        return folder / close[0] if close else None
    return None
