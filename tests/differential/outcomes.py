"""What a call comes to: its result, or the exception that it raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def outcome(call: Callable[[], Any]) -> tuple[str, Any]:
    """The result of a call, or the nearest builtin class of the exception."""
    try:
        return "result", call()
    except Exception as error:
        builtin = next(each for each in type(error).__mro__ if each.__module__ == "builtins")
        return "error", builtin.__name__


def same(theirs: Callable[[], Any], ours: Callable[[], Any], what: object) -> None:
    """Fails unless two calls come to the same."""
    expected, found = outcome(theirs), outcome(ours)
    assert found == expected, what
