"""Calls for an asyncio loop: the same work in a thread of its own, so that the loop is free meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def in_thread(method: Callable[Arguments, Result]) -> Callable[Arguments, Coroutine[Any, Any, Result]]:
    """A method as a coroutine; the core works without Python's lock, so that threads of the loop go on."""

    @wraps(method)
    async def beside(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        import asyncio  # It brings sockets and TLS, which most programs do not need.

        return await asyncio.to_thread(method, *args, **kwargs)

    beside.__name__ = beside.__qualname__ = f"async_{method.__name__}"
    beside.__doc__ = f"As `{method.__name__}`, for an asyncio loop: the work is done in a thread."
    return beside
