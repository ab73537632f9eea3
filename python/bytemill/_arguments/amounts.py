"""Amounts of memory."""

from __future__ import annotations

import re

from ..errors import SpecError
from . import checks

UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}

_AMOUNT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")


def memory_bytes(memory: object) -> int | None:
    """The number of bytes that a `memory=` argument means.

    >>> memory_bytes("1.5 GB"), memory_bytes("64MiB"), memory_bytes(1000)
    (1500000000, 67108864, 1000)
    """
    if not isinstance(memory, str):
        return checks.optional_whole_number("memory", memory, least=1)
    amount = _AMOUNT.fullmatch(memory)
    if amount is None or amount[2].upper() not in UNITS:
        raise SpecError(f"memory={memory!r} is no amount of memory; write it as in 2GB, 500MB or 64MiB")
    return checks.whole_number("memory", int(float(amount[1]) * UNITS[amount[2].upper()]), least=1)
