"""How much the fuzzer has done in this process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

#: A comparison is one result of one call beside that of another library, or beside that of another way to the same
#: result. A file is one that was damaged and then loaded. A call is one with arguments that nobody should pass.
KINDS = ("comparisons", "files", "calls")

done: Counter[str] = Counter()


class Difference(AssertionError):
    """What was found: which two ways, and what each gave."""


def expect(what: str, found: object, expected: object) -> None:
    """One comparison."""
    done["comparisons"] += 1
    if found != expected:
        raise Difference(f"{what}: {found!r:.300} instead of {expected!r:.300}")


def expect_each(what: str, of: list[str], found: Iterable[object], expected: Iterable[object]) -> None:
    """One comparison for each of many inputs; only one that differs is written out."""
    for input, ours, theirs in zip(of, found, expected, strict=True):
        done["comparisons"] += 1
        if ours != theirs:
            raise Difference(f"{what} {input!r}: {ours!r:.300} instead of {theirs!r:.300}")
