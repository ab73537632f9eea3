"""Counting pieces: what training needs of a text."""

from collections.abc import Iterable

from . import specials
from .chars import Split


def count(documents: Iterable[str], split: Split, special_tokens: Iterable[str] = ()) -> dict[str, int]:
    """How often each piece occurs, in the order of their first occurrence. Special tokens are not counted.

    >>> count(["b a b<x>a", "c"], str.split, ["<x>"])
    {'b': 2, 'a': 2, 'c': 1}
    """
    counts: dict[str, int] = {}
    for document in documents:
        for stretch, is_special in specials.split(document, list(special_tokens)):
            if not is_special:
                for piece in split(stretch):
                    counts[piece] = counts.get(piece, 0) + 1
    return counts


def merge(parts: Iterable[dict[str, int]]) -> dict[str, int]:
    """The counts of several texts together, as if they were one after the other.

    >>> merge([{"a": 1}, {"b": 2, "a": 3}])
    {'a': 4, 'b': 2}
    """
    merged: dict[str, int] = {}
    for part in parts:
        for piece, number in part.items():
            merged[piece] = merged.get(piece, 0) + number
    return merged
