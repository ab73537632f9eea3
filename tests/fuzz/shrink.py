"""Makes a case that fails smaller: what can be left out or become simpler while it still fails in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any

#: How long one case may take.
MOST_SECONDS = 30.0


def shrink(case: Any, fails: Callable[[Any], bool]) -> Any:
    """The smallest case that was found in the time there is."""
    end = monotonic() + MOST_SECONDS
    smaller = True
    while smaller and monotonic() < end:
        smaller = False
        for candidate in candidates(case):
            if monotonic() > end:
                break
            if fails(candidate):
                case, smaller = candidate, True
                break
    return case


def candidates(value: Any) -> Iterator[Any]:
    """The same with something left out, the largest parts first; then with something inside made simpler."""
    if isinstance(value, str):
        yield from without_a_part(value)
    elif isinstance(value, list):
        yield from without_a_part(value)
        for i, item in enumerate(value):
            yield from ([*value[:i], smaller, *value[i + 1 :]] for smaller in candidates(item))
    elif isinstance(value, dict):
        # Stages can be absent; a vocabulary has many entries, of which some are needed.
        yield from ({**value, key: None} for key, item in value.items() if isinstance(item, dict))
        if len(value) > 8 and all(isinstance(item, int) for item in value.values()):
            yield from map(dict, without_a_part(list(value.items())))
        for key, item in value.items():
            yield from ({**value, key: smaller} for smaller in candidates(item))
    elif value is True:
        yield False


def without_a_part(value: Any) -> Iterator[Any]:
    size = len(value) // 2 or len(value)
    while size:
        for start in range(0, len(value), size):
            yield value[:start] + value[start + size :]
        size //= 2
