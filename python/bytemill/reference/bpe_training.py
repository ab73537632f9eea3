"""Byte-pair encoding, learned: count every pair of neighbours, make the best one a token everywhere, begin again.

>>> learned = merges({"low": 5, "lowest": 2, "newest": 6}, 3, byte_level=False)
>>> [left + right for left, right in learned]
['es', 'wes', 'west']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from .bpe import ALPHABET

Token = bytes | str
Pair = tuple[Any, Any]

#: What goes first among equally frequent pairs: the smallest of these. Each is given the pair, the numbers of its
#: tokens in the order in which they came to be, and how many pairs of the text come before it.
TIES: dict[str, Callable[[Pair, tuple[int, int], int], Any]] = {
    "bytemill": lambda pair, numbers, place: numbers,
    "rustbpe": lambda pair, numbers, place: numbers,
    "huggingface": lambda pair, numbers, place: numbers,
    "tiktoken": lambda pair, numbers, place: place,
    "cs336": lambda pair, numbers, place: tuple(_reversed(token) for token in pair),
    "sentencepiece": lambda pair, numbers, place: (len(pair[0]) + len(pair[1]), pair[0] + pair[1], numbers),
}


class _reversed:
    """Orders the other way round."""

    def __init__(self, token: Token) -> None:
        self.token = token

    def __lt__(self, other: _reversed) -> bool:
        return self.token > other.token  # type: ignore[operator]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _reversed) and self.token == other.token


def merges(
    counts: Mapping[str, int],
    number: int,
    *,
    ties: str = "bytemill",
    min_frequency: int = 1,
    max_token_length: int | None = None,
    byte_level: bool = True,
    end_symbol: Token | None = None,
) -> list[Pair]:
    """The merges that make `number` new tokens of pieces with their counts, in the order in which the text has them.

    A token that is made in a second way is no new token; SentencePiece makes none so. What rustbpe and `tokenizers` do
    there is not told here.

    >>> merges({"aaaa": 2, "ab": 3}, 2)
    [(b'a', b'a'), (b'a', b'b')]
    >>> merges({"aaaa": 2, "ab": 3}, 2, min_frequency=4)
    [(b'a', b'a')]
    >>> merges({"xy": 1, "ab": 1}, 1, ties="tiktoken"), merges({"ab": 1, "xy": 1}, 1, ties="cs336")
    ([(b'x', b'y')], [(b'x', b'y')])
    >>> merges({"low": 4, "lower": 1}, 3, byte_level=False, end_symbol="</w>")
    [('l', 'o'), ('lo', 'w'), ('low', '</w>')]
    """
    end = [] if end_symbol is None else [end_symbol]
    words = [(split(piece, byte_level) + end, count) for piece, count in counts.items()]
    units = {unit for word, _ in words for unit in word} - set(end)
    if byte_level:
        units |= {bytes([byte]) for byte in range(256)}
    order = (lambda unit: ALPHABET[unit[0]]) if byte_level and ties == "huggingface" else (lambda unit: unit)
    numbers: dict[Any, int] = {unit: i for i, unit in enumerate([*sorted(units, key=order), *end])}
    enough = len(numbers) + number
    learned: list[Pair] = []
    while len(numbers) < enough:
        frequency: Counter[Pair] = Counter()
        for word, count in words:
            for pair in pairwise(word):
                fits = max_token_length is None or len(pair[0]) + len(pair[1]) <= max_token_length
                if fits and not (ties == "sentencepiece" and pair[0] + pair[1] in numbers):
                    frequency[pair] += count
        if not frequency or max(frequency.values()) < min_frequency:
            break
        most = max(frequency.values())
        # A dict is in the order in which its keys were met first.
        equal = [(pair, place) for place, pair in enumerate(frequency) if frequency[pair] == most]
        best, _ = min(equal, key=lambda one: TIES[ties](one[0], (numbers[one[0][0]], numbers[one[0][1]]), one[1]))
        learned.append(best)
        numbers.setdefault(best[0] + best[1], len(numbers))
        words = [(merged(word, best), count) for word, count in words]
    return learned


def split(piece: str, byte_level: bool) -> list[Any]:
    return [bytes([byte]) for byte in piece.encode()] if byte_level else list(piece)


def merged(word: list[Any], pair: Pair) -> list[Any]:
    """
    >>> merged(list("aaab"), ("a", "a"))
    ['aa', 'a', 'b']
    """
    out: list[Any] = []
    at = 0
    while at < len(word):
        if tuple(word[at : at + 2]) == pair:
            out.append(word[at] + word[at + 1])
            at += 2
        else:
            out.append(word[at])
            at += 1
    return out
