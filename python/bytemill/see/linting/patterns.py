"""Regular expressions that are slow in the engines of other libraries."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ... import _core
from .findings import Finding, some

if TYPE_CHECKING:
    from .subject import Subject

#: Lengths of texts that patterns are tried on: where the steps grow with the text, the longer takes four times as many.
SHORT, LONG = 1_000, 4_000
#: Steps after which a pattern is slow, however they grow.
MOST_STEPS = 30_000_000
RUNS = {"letters": "a", "spaces": " ", "digits": "1", "punctuation": "!", "words": "ab ", "line ends": "\n"}
#: What a run may end with: many patterns are slow only where they fail in the end.
ENDS = ("", "!", "a")


def check_patterns(subject: Subject) -> Iterator[Finding]:
    """Regular expressions for which a backtracking engine takes time that grows faster than the text."""
    stages = [subject.definition.get("normalizer"), subject.definition.get("pretokenizer")]
    patterns = dict.fromkeys(pattern for stage in stages for pattern in _patterns(stage))
    yield from some(
        "slow-pattern",
        "warning",
        [example for pattern in patterns for example in _slow_runs(pattern)],
        "runs on which a pattern takes a backtracking engine more than time that grows with the text: {}",
        "write the pattern without nested repetition and without a condition after a whole run; "
        "here it runs in time that grows with the text alone, in tokenizers and tiktoken it does not",
    )


def _patterns(stage: Any) -> Iterator[str]:
    """The regular expressions anywhere in a stage."""
    if isinstance(stage, dict) and isinstance(stage.get("regex"), str):
        yield stage["regex"]
    elif isinstance(stage, (dict, list)):
        for part in stage.values() if isinstance(stage, dict) else stage:
            yield from _patterns(part)


def _slow_runs(pattern: str) -> Iterator[str]:
    for (name, run), end in itertools.product(RUNS.items(), ENDS):
        short, long = (
            _core._backtracking_steps(pattern, run * (size // len(run)) + end, MOST_STEPS) for size in (SHORT, LONG)
        )
        if long > 9 * short or long >= MOST_STEPS:
            ending = f" and {end!r}" if end else ""
            most = "more than " if long >= MOST_STEPS else ""
            yield f"{pattern}: {LONG:,} characters of {name}{ending} take {most}{min(long, MOST_STEPS):,} steps"
            return  # the others say no more about it
