"""Names that users give: what a message says when one is unknown."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

Kind = TypeVar("Kind", bound=type)

#: The longest name that is taken for a misspelt one, how much longer or shorter the one that was meant may be, and to
#: how many of those it is compared: a comparison takes the product of both lengths.
LONGEST = 64
MOST_EDITS = 3
MOST_COMPARED = 2000


def unknown_name(what: str, name: str, known: Mapping[str, object]) -> str:
    """A message for a misspelt name, with the nearest known one."""
    shown = name if len(name) <= LONGEST else name[:LONGEST] + "…"
    return f"there is no {what} named {shown!r}{did_you_mean(name, known)} (known: {', '.join(sorted(known))})"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A suggestion to end a message with, or nothing where no known name is near."""
    near = nearest(name, known)
    return f"; did you mean {near!r}?" if near is not None else ""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that a name was most likely meant to be, if one is near.

    Near is what differs in case, or in a few letters: one in names of up to five letters, two up to eight, and three
    in longer ones, of which no more than half may differ. So is a name that goes on after four letters or more. A wrong
    suggestion is worse than none.

    >>> nearest("whitespce", ["bert", "whitespace"]), nearest("BERT", ["bert"]), nearest("js", ["json", "c", "css"])
    ('whitespace', 'bert', None)
    >>> nearest("cl100k", ["cl100k_base", "o200k_base"])
    'cl100k_base'
    """
    if len(name) > LONGEST:
        return None
    known, folded = list(known), name.casefold()
    longer = sorted((len(other), other) for other in known if other.casefold().startswith(folded))
    if longer and len(name) >= 4:
        return longer[0][1]
    as_long = (other for other in known if abs(len(other) - len(name)) <= MOST_EDITS)
    compared = itertools.islice(as_long, MOST_COMPARED)
    ranked = sorted((distance(folded, other.casefold()), other) for other in compared)
    if not ranked:
        return None
    edits, near = ranked[0]
    length = min(len(name), len(near))
    allowed = 1 if length <= 5 else 2 if length <= 8 else MOST_EDITS
    return near if edits <= allowed and 2 * edits < length else None


def distance(one: str, other: str) -> int:
    """How many letters must be put in, taken out, exchanged for another, or swapped with a neighbour.

    >>> distance("bret", "bert"), distance("cl100k", "cl10k"), distance("", "abc")
    (1, 1, 3)
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        before_that, before, row = before, row, [i]
        for j, b in enumerate(other, start=1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and b == one[i - 2]:
                best = min(best, before_that[j - 2] + 1)
            row.append(best)
    return row[-1]


def with_suggestions(kind: Kind) -> Kind:
    """A dataclass whose errors about unknown options say which one was probably meant.

    >>> from dataclasses import dataclass
    >>> @with_suggestions
    ... @dataclass
    ... class Dog:
    ...     weight: int = 9
    >>> Dog(wieght=8)
    Traceback (most recent call last):
    TypeError: Dog has no option 'wieght'; did you mean 'weight'?
    """
    made = kind.__init__  # type: ignore[misc]
    known = [field.name for field in fields(kind)]

    @functools.wraps(made)
    def init(self: Any, *values: Any, **options: Any) -> None:
        for name in options:
            if name not in known:
                raise TypeError(f"{kind.__name__} has no option {name!r}{did_you_mean(name, known)}")
        made(self, *values, **options)

    kind.__init__ = init  # type: ignore[misc]
    return kind
