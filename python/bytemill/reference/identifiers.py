"""Identifiers → the words that they are made of, and what separates these.

>>> for name in ("getUserName", "get_user_name", "HTTPServer", "XMLHttpRequest", "OAuth2Token", "__init__", "utf8mb4"):
...     print(*split_identifier(name), sep="|")
get|User|Name
get|_|user|_|name
HTTP|Server
XML|Http|Request
OAuth2|Token
__|init|__
utf8|mb4
"""

import unicodedata

UPPER, LOWER, NUMBER, SEPARATOR = "upper", "lower", "number", "separator"


def split_identifier(name: str) -> list[str]:
    units = with_marks(name)
    classes = [class_of(unit[0]) for unit in units]
    parts: list[str] = []
    for i, unit in enumerate(units):
        if i == 0 or begins_part(units, classes, i):
            parts.append(unit)
        else:
            parts[-1] += unit
    return parts


def begins_part(units: list[str], classes: list[str], i: int) -> bool:
    before, here = classes[i - 1], classes[i]
    if SEPARATOR in (before, here):
        # Equal separators side by side are one part.
        return before != here or units[i - 1][0] != units[i][0]
    if before == here == UPPER:
        return ends_acronym(units, classes, i)
    return here == UPPER or (before == NUMBER and here == LOWER)


def ends_acronym(units: list[str], classes: list[str], i: int) -> bool:
    """Whether a capital after capitals begins the next word: the S of `HTTPServer`.

    A single capital is no acronym (`OAuth`), and an s by itself is the plural of one (`URLs`).
    """
    acronym = i >= 2 and classes[i - 2] == UPPER
    word = classes[i + 1 : i + 3]
    plural = units[i + 1 : i + 2] != [] and units[i + 1][0] == "s" and word[1:] != [LOWER]
    return acronym and word[:1] == [LOWER] and not plural


def with_marks(name: str) -> list[str]:
    """The characters of a name, each with the marks after it."""
    units: list[str] = []
    for c in name:
        if units and (unicodedata.category(c)[0] == "M" or c in "\u200c\u200d"):
            units[-1] += c
        else:
            units.append(c)
    return units


def class_of(c: str) -> str:
    category = unicodedata.category(c)
    if category in ("Lu", "Lt"):
        return UPPER
    if category[0] in "LM":
        return LOWER
    return NUMBER if category[0] == "N" else SEPARATOR
