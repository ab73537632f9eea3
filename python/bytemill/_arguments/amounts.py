"""Amounts: of memory, and of tokens."""

from __future__ import annotations

import re

from ..errors import SpecError
from . import checks

UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}

#: A number without a unit that is smaller lacks its unit: nobody means 12 bytes by `memory=12`.
LEAST_BARE = 10**6

THOUSANDS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}

_AMOUNT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")
_SIZE = re.compile(r"\s*(\d{1,3}(?:[,_ ]\d{3})+|\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")


def memory_bytes(memory: object) -> int | None:
    """The number of bytes that a `memory=` argument means.

    >>> memory_bytes("1.5 GB"), memory_bytes("64MiB"), memory_bytes(2_000_000)
    (1500000000, 67108864, 2000000)
    """
    if not isinstance(memory, str):
        number = checks.optional_whole_number("memory", memory, least=1)
        return None if number is None else _with_unit(number)
    amount = _AMOUNT.fullmatch(memory)
    if amount is None or amount[2].upper() not in UNITS:
        raise SpecError(f"memory={memory!r} is no amount of memory; write it as in 2GB, 500MB or 64MiB")
    number = checks.whole_number("memory", int(float(amount[1]) * UNITS[amount[2].upper()]), least=1)
    return number if amount[2] else _with_unit(number)


def _with_unit(number: int) -> int:
    if number < LEAST_BARE:
        raise SpecError(
            f"memory={number} has no unit and would be bytes, which are too few; write it as in {number}GB, "
            f"{number}MB or {number}B"
        )
    return number


def vocabulary_size(name: str, size: object) -> int | None:
    """How many tokens a size means: a number, or a text such as "32k" (32,000).

    >>> [vocabulary_size("vocab_size", size) for size in ("32k", "50,257", 300)]
    [32000, 50257, 300]
    """
    if not isinstance(size, str):
        return checks.optional_whole_number(name, size, least=0)
    amount = _SIZE.fullmatch(size)
    if amount is not None and amount[2].upper() in THOUSANDS:
        number = float(re.sub("[,_ ]", "", amount[1])) * THOUSANDS[amount[2].upper()]
        if number.is_integer():
            return checks.whole_number(name, int(number), least=0)
    raise SpecError(f"{name}={size!r} is no number of tokens; write it as in 32000, 32k or 1M")
