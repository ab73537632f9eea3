"""Words, for measures that speak of them: what stands between white space, without punctuation around it."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_STRETCH = re.compile(r"\S+")


@lru_cache(maxsize=1 << 17)
def _of_a_word(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN"


def word_spans(text: str) -> list[tuple[int, int]]:
    """Where each word begins and ends: white space separates words; letters, marks or digits are at their ends.

    >>> word_spans('("don\\'t" - stop)')
    [(2, 7), (11, 15)]
    """
    spans = []
    for stretch in _STRETCH.finditer(text):
        start, end = stretch.span()
        while start < end and not _of_a_word(text[start]):
            start += 1
        while start < end and not _of_a_word(text[end - 1]):
            end -= 1
        if start < end:
            spans.append((start, end))
    return spans
