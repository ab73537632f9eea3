"""Where documents begin: a range of bytes is moved to their borders by the worker that reads it."""

from __future__ import annotations

from .storage import Read

#: Bytes that are searched first, and at most at a time.
FIRST_WINDOW = 1 << 16
LAST_WINDOW = 1 << 24


def border(read: Read, size: int, place: int, separator: bytes) -> int:
    """Where the first document begins that does so at `place` or after it; the size of the file if there is none.

    Documents end with the separators that a reader meets if it begins at the start of the file. So every byte is
    between two borders, wherever the places are.
    """
    if place <= 0:
        return 0
    at = _anchor(read, max(0, place - len(separator)), separator)
    while at < place:
        found = _find(read, size, at, separator)
        if found is None:
            return size
        at = found + len(separator)
    return min(at, size)


def _anchor(read: Read, place: int, separator: bytes) -> int:
    """A place at or before this one that no separator crosses, from which on all readers meet the same ones.

    Separators that can overlap, such as two line ends, make a difference: of three line ends, the first two are one.
    """
    reach = len(separator) - 1
    while place > 0:
        first = max(0, place - reach)
        found = read(first, place + reach).find(separator)
        if found < 0:
            return place
        place = first + found
    return 0


def _find(read: Read, size: int, start: int, separator: bytes) -> int | None:
    window = FIRST_WINDOW
    while start < size:
        found = read(start, min(size, start + window + len(separator) - 1)).find(separator)
        if found >= 0:
            return start + found
        start += window
        window = min(2 * window, LAST_WINDOW)
    return None
