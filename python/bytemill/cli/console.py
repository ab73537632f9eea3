"""What people see on standard error: notes, summaries, progress bars. Standard output is for data."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..progress import amount
from .wording import in_options

if TYPE_CHECKING:
    from rich.console import Console

    from ..progress import Progress


def console(*, stderr: bool = False) -> Console:
    """A rich console that changes nothing in the texts it is given."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=True)


def say(label: str, message: str, style: str = "") -> None:
    """`label: message` on standard error."""
    if not (sys.stderr.isatty() or os.environ.get("FORCE_COLOR")):
        sys.stderr.write(f"{label}: {message}\n")  # rich would take a while to load, to do the same
        return
    from rich.text import Text

    console(stderr=True).print(Text.assemble((f"{label}:", style), " ", message))


def note(message: str) -> None:
    say("note", message, "bold yellow")


def plural(count: int, noun: str) -> str:
    """`1 token`, `2,000 tokens`"""
    return f"{count:,} {noun}" + "s" * (count != 1)


def summary(rows: Mapping[str, int | str]) -> None:
    """Names and values on standard error, one on each line, the values in one column."""
    width = max(map(len, rows))
    for name, value in rows.items():
        text = f"{value:,}" if isinstance(value, int) else str(value)
        sys.stderr.write(f"{name:{width}}  {text}\n")


@contextlib.contextmanager
def warnings_as_notes() -> Iterator[list[str]]:
    """Shows the library's warnings as one-line notes; yields the list that they are collected in."""
    notes: list[str] = []

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        notes.append(in_options(str(message)))
        note(notes[-1])

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield notes


@contextlib.contextmanager
def progress_bar() -> Iterator[Callable[[Progress], object] | bool]:
    """What to pass as `progress=`: a bar that is wiped at the end, or False when nobody watches."""
    if not sys.stderr.isatty():
        yield False
        return
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bars

    columns = [TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[amount]}")]
    with Bars(*columns, console=console(stderr=True), transient=True) as bars:
        task = bars.add_task("starting", total=None, amount="")
        phase = ""

        def show(now: Progress) -> None:
            nonlocal phase
            if now.phase != phase:
                phase = now.phase
                bars.reset(task, description=phase)
            bars.update(task, completed=now.done, total=now.total, amount=amount(now))

        yield show
