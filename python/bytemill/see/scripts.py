"""The script of each character of a text, by the names that Unicode gives to letters."""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

#: Symbols, emoji among them, count as a script of their own.
SYMBOLS = "symbols"
#: A text that has neither letters nor symbols.
OTHER = "other"

#: First words of names that say how wide a letter is, and not of which script.
WIDTHS = ("FULLWIDTH", "HALFWIDTH")
#: First words of names of two words, as in OLD ITALIC.
TWO_WORDS = ("OLD", "NEW", "TAI", "SYLOTI", "MEETEI", "OL", "INSCRIPTIONAL", "IMPERIAL")
#: First words that name no script: letters that stand in texts of any.
NO_SCRIPT = (
    *("MODIFIER", "SUPERSCRIPT", "SUBSCRIPT", "MATHEMATICAL", "DOUBLE-STRUCK", "SCRIPT", "BLACK-LETTER", "FEMININE"),
    *("MASCULINE", "MICRO", "OHM", "KELVIN", "ANGSTROM", "TURNED", "INFORMATION", "KATAKANA-HIRAGANA", "VERTICAL"),
    *("PLANCK", "EULER", "ROTATED", "ALEF", "BET", "GIMEL", "DALET"),
)
HAN = ("CJK", "IDEOGRAPHIC")
#: There are letters in the first four planes of Unicode.
LETTERS_END = 0x40000


@lru_cache(maxsize=1 << 17)
def script_of(character: str) -> str:
    """The script of a letter; an empty string for what stands in texts of any script.

    >>> [script_of(c) for c in "aяあ輩ñ, 3😀"]
    ['Latin', 'Cyrillic', 'Hiragana', 'Han', 'Latin', '', '', '', 'symbols']
    """
    category = unicodedata.category(character)
    if category == "So":
        return SYMBOLS
    words = unicodedata.name(character, "").split()
    if category[0] != "L" or not words:
        return ""
    if words[0] in WIDTHS:
        words = words[1:]
    if words[0] in HAN:
        return "Han"
    if words[0] in NO_SCRIPT:
        return ""
    return " ".join(words[: 1 + (words[0] in TWO_WORDS)]).title()


@cache
def every_script() -> frozenset[str]:
    """The scripts that Unicode's letters are of; all of these are looked at, once.

    >>> {"Latin", "Han", "Old Italic"} <= every_script()
    True
    """
    # Not `script_of` itself, which would remember all of them.
    return frozenset(map(script_of.__wrapped__, map(chr, range(LETTERS_END)))) - {"", SYMBOLS}


def scripts_of(text: str) -> tuple[list[str], NDArray[np.int64]]:
    """The scripts in a text, and for each character the number of its script.

    A character that stands in texts of any script is of the script before it; at the beginning, of the first.

    >>> names, numbers = scripts_of("1 a, я!")
    >>> [names[number] for number in numbers]
    ['Latin', 'Latin', 'Latin', 'Latin', 'Latin', 'Cyrillic', 'Cyrillic']
    """
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    distinct, places = np.unique(points, return_inverse=True)
    found = [script_of(chr(point)) for point in distinct]
    names = sorted(set(found) - {""})
    if not names:
        return [OTHER], np.zeros(len(points), dtype=np.int64)
    number_of = {name: number for number, name in enumerate(names)} | {"": -1}
    numbers = np.array([number_of[name] for name in found], dtype=np.int64)[places]
    # Where each character takes its script from: the last place before it that has one.
    source = np.maximum.accumulate(np.where(numbers >= 0, np.arange(len(numbers)), -1))
    source[source < 0] = np.argmax(numbers >= 0)
    return names, numbers[source]


def byte_lengths(text: str) -> NDArray[np.int64]:
    """How many bytes each character has in UTF-8."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    return 1 + (points >= 0x80).astype(np.int64) + (points >= 0x800) + (points >= 0x10000)
