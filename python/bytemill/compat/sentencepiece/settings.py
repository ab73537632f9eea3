"""What is set for the process, and pools of threads. bytemill has no log and no folder of data."""

from __future__ import annotations

import os
import time


def SetMinLogLevel(level: int) -> None:
    """Takes a level of messages. Nothing is logged at any."""
    _whole("level", level)


#: Milliseconds; 0 and less are for no limit.
_nbest_timeout = 30_000


def SetNBestTimeout(timeout_ms: int) -> None:
    """Takes a limit of time for the search for several segmentations. A search that took longer gives the best one."""
    global _nbest_timeout
    _nbest_timeout = _whole("timeout_ms", timeout_ms)


def is_too_late(start: float) -> bool:
    """Whether a search that began at this time of `time.monotonic` has taken longer than it may."""
    return 0 < _nbest_timeout <= 1000 * (time.monotonic() - start)


def SetDataDir(data_dir: str) -> None:
    """Takes the folder of the rules for normalization. They are built in."""
    os.fspath(data_dir)


class ThreadPool:
    """A number of threads. They are started by each call that is given it."""

    def __init__(self, num_threads: int, /) -> None:
        number = _whole("num_threads", num_threads)
        self._number = os.cpu_count() or 1 if number < 0 else max(1, min(number, 65536))

    def num_threads(self) -> int:
        return self._number


def threads_of(num_threads: int, thread_pool: ThreadPool | None) -> int | None:
    """How many threads a call takes; None is for all cores."""
    if thread_pool is not None:
        return thread_pool.num_threads()
    return None if num_threads < 0 else max(1, num_threads)


def _whole(name: str, value: int) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{name} is an integer, not {type(value).__name__}")
    return value


set_min_log_level = SetMinLogLevel
set_nbest_timeout = SetNBestTimeout
