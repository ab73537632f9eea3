"""A job: shards, a pure function of a shard, and what merges the results. Engines run it; nothing here knows which."""

from __future__ import annotations

import builtins
import dataclasses
import re
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from .. import errors
from .shards import Shard

if TYPE_CHECKING:
    from .._arguments.types import Watcher

#: How often storage is asked that does not answer, and the seconds before it is asked again.
ATTEMPTS = 3
PAUSE = 1.0
#: What asking again does not change.
FINAL = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError)

#: A function of a shard. It is pickled; the same shard gives the same result in any process.
Work = Callable[[Shard], Any]
#: Merges what several shards have for one part of a shuffle. Associative.
Merge = Callable[[Sequence[bytes]], bytes]
#: Takes the number of a part and what it was merged to, on the worker that merged it. It may be done twice.
Finish = Callable[[int, bytes], Any]


@dataclasses.dataclass(frozen=True)
class Outcome:
    """That the work on a shard is done, or why it failed."""

    shard: int
    result: Any = None
    #: The name of the exception's class, and its message.
    failure: tuple[str, str] | None = None
    #: What the work warned of: documents that were skipped.
    skipped: tuple[str, ...] = ()


#: Called on the machine of the caller for every shard whose work has ended. What it raises ends the job.
Told = Callable[[Outcome], object]


@dataclasses.dataclass(frozen=True)
class Reduction:
    """How the results for one part become one."""

    merge: Merge
    #: What comes to the caller of each part; the merged part itself unless told otherwise.
    finish: Finish | None = None

    def finished(self, part: int, results: Sequence[bytes]) -> Any:
        """The last merge of a part, and what is made of it."""
        merged = self.merge(results)
        return merged if self.finish is None else self.finish(part, merged)


@dataclasses.dataclass(frozen=True)
class Shuffle:
    """Counting and its like: of every shard the work gives `parts` results, and those of one number are reduced."""

    work: Work
    parts: int
    reduction: Reduction


class Engine(Protocol):
    """Runs jobs. What comes out does not depend on the engine, nor on how many workers it has."""

    def map(self, work: Work, shards: Sequence[Shard], told: Told) -> list[Any]:
        """The results of all shards, in their order."""

    def shuffle(self, shuffle: Shuffle, shards: Sequence[Shard], told: Told) -> list[Any]:
        """What `Reduction.finished` gives, for each part."""


def attempted(work: Work, shard: Shard) -> Outcome:
    """The outcome of the work on a shard, in the process of a worker.

    What is wrong with a shard is told, not raised: an engine that tried it again would find the same. Only a process
    that dies is the business of the engine.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", errors.SkippedDocuments)
                result = work(shard)
            return Outcome(shard.number, result, skipped=tuple(_skipped(caught)))
        except OSError as error:
            if attempt == ATTEMPTS or isinstance(error, (errors.BytemillError, *FINAL)):
                return _failed(shard, error)
            time.sleep(PAUSE * attempt)
        except Exception as error:
            return _failed(shard, error)
    raise AssertionError("the last attempt returns")


def _skipped(caught: Sequence[warnings.WarningMessage]) -> Iterator[str]:
    """The warnings about skipped documents, which the caller is told of. Other warnings stay where they arose."""
    for warning in caught:
        if issubclass(warning.category, errors.SkippedDocuments):
            yield str(warning.message)
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


def _failed(shard: Shard, error: Exception) -> Outcome:
    message = str(error) or type(error).__name__
    where = f"shard {shard.number + 1:,} of {shard.of:,}"
    return Outcome(shard.number, failure=(type(error).__name__, f"{message} ({where}: {_span(shard)})"))


def _span(shard: Shard) -> str:
    first, last = shard.parts[0], shard.parts[-1]
    if first is last:
        unit = {"file": "", "bytes": "bytes", "groups": "row groups"}[first.unit]
        return f"{first.name}, {unit} {first.start:,} to {first.end:,}" if unit else first.name
    return f"{first} to {last.name}"


class Progress:
    """Told of outcomes: it shows how far the job is, and raises what a shard failed with."""

    def __init__(self, phase: str, shards: Sequence[Shard], watcher: Watcher | None) -> None:
        self._phase = phase
        self._left = {shard.number: shard.bytes for shard in shards}
        self._total = sum(self._left.values())
        self._done = 0
        self._watcher = watcher

    def __call__(self, outcome: Outcome) -> None:
        if outcome.failure is not None:
            kind, message = outcome.failure
            raise _exception(kind)(message)
        if outcome.shard in self._left:
            for message in outcome.skipped:
                warnings.warn(message, errors.SkippedDocuments, stacklevel=2)
        # Told twice of a shard that was worked on twice, it is done once.
        self._done += self._left.pop(outcome.shard, 0)
        if self._watcher is not None:
            self._watcher(self._phase, self._done, self._total, "bytes")


def _exception(kind: str) -> type[Exception]:
    found = getattr(errors, kind, None) or getattr(builtins, kind, None)
    # Those of Unicode want more than a message.
    if isinstance(found, type) and issubclass(found, Exception) and not issubclass(found, UnicodeError):
        return found
    return RuntimeError


class WorkerLost(errors.BytemillError, RuntimeError):
    """An engine has given up: a worker has died too often, or the engine itself has ended."""


def reason(error: Exception) -> str:
    """What is to blame, of all that an engine says of an error: the exception of the worker, if there is one."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    told = [line for line in lines if re.match(r"[\w.]*(Error|Exception): ", line)]
    found = told[-1] if told else lines[0]
    if "No module named 'bytemill" in found:
        return f"{found}; install bytemill on every worker, in the version that is used here"
    return found
