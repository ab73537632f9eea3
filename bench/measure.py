"""Clocks, memory and digests: the instruments of a worker."""

from __future__ import annotations

import gc
import hashlib
import resource
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from .engines import Ids

#: Ids that are converted to uint32 at a time, so that a memory-mapped result stays on disk.
BLOCK = 1 << 20


def timed(call: Callable[[], Any], passes: int) -> tuple[list[float], Any]:
    """The seconds of each pass, and what the first one gave. Letting go of a result is not timed."""
    seconds, first = [], None
    for number in range(passes):
        gc.collect()
        start = time.perf_counter()
        result = call()
        seconds.append(time.perf_counter() - start)
        if number == 0:
            first = result
        del result
    return seconds, first


def least_cpu_seconds(call: Callable[[], Any], passes: int) -> float:
    """The CPU time of the fastest of several passes, in this process."""
    times = []
    for _ in range(passes):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def busy_seconds() -> float:
    """The CPU time of this process and of those that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def resident_mb() -> float:
    """The memory of this process now."""
    return _status_mb("VmRSS") or peak_mb()


def peak_mb() -> float:
    """The most memory that this process has had.

    VmHWM where there is one: on Linux, `ru_maxrss` starts from that of the process that started this one.
    """
    unit = 1 if sys.platform == "darwin" else 1024
    return _status_mb("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def _status_mb(name: str) -> float | None:
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return None
    for line in status.splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024 / 1e6
    return None


def digest_ids(ids: Ids, repeat: int = 1) -> str:
    """The hash of ids as little-endian uint32, `repeat` times one after the other."""
    digest = hashlib.sha256()
    for _ in range(repeat):
        for start in range(0, len(ids), BLOCK):
            digest.update(np.ascontiguousarray(ids[start : start + BLOCK], dtype="<u4").data)
    return digest.hexdigest()


def digest_texts(texts: Iterable[str | bytes]) -> str:
    """The hash of texts with their lengths."""
    digest = hashlib.sha256()
    for text in texts:
        data = text.encode() if isinstance(text, str) else text
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()
