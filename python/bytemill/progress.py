"""Progress of long work: what a callback receives, and the plain bar shown on a terminal."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from ._arguments.types import Watcher


@dataclasses.dataclass(frozen=True)
class Progress:
    """How far the work is: `done` of `total` units in the current `phase`. `total` is None while it is unknown.

    `documents` and `tokens` are those that this call has encoded so far; None where there are none to count. `before`
    is what of `done` was there when `seconds` began: work that an earlier run has done.
    """

    phase: str
    done: int
    total: int | None
    unit: str
    seconds: float
    documents: int | None = None
    tokens: int | None = None
    before: int = 0

    @property
    def rate(self) -> float:
        """Units per second in this phase."""
        return (self.done - self.before) / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds until this phase ends; None while that is unknown."""
        if self.total is None or not self.rate:
            return None
        return max(0.0, (self.total - self.done) / self.rate)


@contextlib.contextmanager
def watching(
    progress: bool | Callable[[Progress], object] | None, *, resumes: bool = False
) -> Iterator[Watcher | None]:
    """Turns a `progress=` argument into what the core calls.

    None shows a bar when standard error is a terminal or the output of a notebook, True always, False never; a
    callable receives each `Progress`. Work that `resumes` may begin anywhere: its rate is that since it was first heard
    of.
    """
    if progress is None:
        progress = is_watched(sys.stderr)
    if progress is False:
        yield None
        return
    bar = Bar(sys.stderr) if progress is True else None
    report = bar.show if bar is not None else progress
    if not callable(report):
        raise TypeError(f"progress is True, False, None or a callable, not {type(progress).__name__}")
    # A phase starts when the one before was last heard of, the first one here.
    current, since, heard, before = "", time.monotonic(), time.monotonic(), 0

    def watcher(
        phase: str,
        done: int,
        total: int | None,
        unit: str,
        documents: int | None = None,
        tokens: int | None = None,
    ) -> None:
        nonlocal current, since, heard, before
        now = time.monotonic()
        if phase != current:
            current, since, before = (phase, now, done) if resumes else (phase, heard, 0)
        heard = now
        report(Progress(phase, done, total, unit, heard - since, documents, tokens, before))

    try:
        yield watcher
    finally:
        if bar is not None:
            bar.clear()


def is_watched(stream: TextIO) -> bool:
    """Whether somebody sees a line that is rewritten: on a terminal, or below a cell of a notebook."""
    return stream.isatty() or type(stream).__module__.startswith("ipykernel.")


class Bar:
    """One line on a terminal, rewritten in place and wiped at the end."""

    WIDTH = 24

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.shown = 0

    def show(self, progress: Progress) -> None:
        line = describe(progress, self.WIDTH)
        self.stream.write("\r" + line.ljust(self.shown))
        self.stream.flush()
        self.shown = len(line)

    def clear(self) -> None:
        if self.shown:
            self.stream.write("\r" + " " * self.shown + "\r")
            self.stream.flush()
            self.shown = 0


def describe(progress: Progress, width: int = 0) -> str:
    """`encoding  [#####...]  12.3 MB of 45.6 MB  101.2 MB/s  0:03 left  1,200 documents  3,400,000 tokens`"""
    parts = [progress.phase]
    if width and progress.total:
        filled = min(width, width * progress.done // progress.total)
        parts.append("[" + "#" * filled + "." * (width - filled) + "]")
    return "  ".join([*parts, amount(progress)])


def amount(progress: Progress) -> str:
    """`12.3 MB of 45.6 MB  101.2 MB/s  0:03 left  1,200 documents  3,400,000 tokens`"""
    done = quantity(progress.done, progress.unit)
    if progress.total is not None:
        done += f" of {quantity(progress.total, progress.unit)}"
    parts = [done]
    if progress.rate:
        parts.append(f"{quantity(progress.rate, progress.unit)}/s")
    if progress.seconds_left is not None:
        parts.append(f"{clock(progress.seconds_left)} left")
    made = {"documents": progress.documents, "tokens": progress.tokens}
    parts += [quantity(count, name) for name, count in made.items() if count is not None]
    return "  ".join(parts)


def quantity(amount: float, unit: str) -> str:
    """A number of things with its unit: `12.3 MB`, `4,096 pieces`."""
    if unit != "bytes":
        return f"{amount:,.0f} {unit}"
    for name in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} B" if name == "B" else f"{amount:.1f} {name}"
        amount /= 1000
    return f"{amount:.2f} GB"


def clock(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(int(minutes), 60)
    return f"{hours}:{minutes:02}:{seconds:02.0f}" if hours else f"{minutes}:{seconds:02.0f}"
