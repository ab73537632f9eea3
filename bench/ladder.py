"""Byte-pair encoding in plain Python, from the naive to the clever: each rung does the same in less time.

Pieces are tuples of bytes objects, merges are pairs of these. `bench.textbook` climbs it and compares the results.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from itertools import pairwise

from bytemill.reference.bpe_training import merged

Pair = tuple[bytes, bytes]


def units(piece: bytes) -> list[bytes]:
    return [bytes([byte]) for byte in piece]


def train_by_recounting(counts: Mapping[bytes, int], number: int) -> list[Pair]:
    """Counts every pair of every word again for every merge."""
    words = [(units(piece), count) for piece, count in counts.items()]
    numbers = {bytes([byte]): byte for byte in range(256)}
    learned: list[Pair] = []
    while len(learned) < number:
        frequency: Counter[Pair] = Counter()
        for word, count in words:
            for pair in pairwise(word):
                frequency[pair] += count
        best = _best(frequency, numbers)
        learned.append(best)
        numbers.setdefault(best[0] + best[1], len(numbers))
        words = [(merged(word, best), count) for word, count in words]
    return learned


def train_by_index(counts: Mapping[bytes, int], number: int) -> list[Pair]:
    """Remembers which words have which pair, so that a merge changes only the words that it concerns."""
    words = [units(piece) for piece in counts]
    times = list(counts.values())
    numbers = {bytes([byte]): byte for byte in range(256)}
    frequency: Counter[Pair] = Counter()
    holders: defaultdict[Pair, set[int]] = defaultdict(set)
    for index, word in enumerate(words):
        for pair in pairwise(word):
            frequency[pair] += times[index]
            holders[pair].add(index)
    learned: list[Pair] = []
    while len(learned) < number:
        best = _best(frequency, numbers)
        learned.append(best)
        numbers.setdefault(best[0] + best[1], len(numbers))
        for index in holders.pop(best):
            for pair in pairwise(words[index]):
                frequency[pair] -= times[index]
            words[index] = merged(words[index], best)
            for pair in pairwise(words[index]):
                frequency[pair] += times[index]
                holders[pair].add(index)
        frequency = +frequency if len(learned) % 64 == 0 else frequency
    return learned


def _best(frequency: Counter[Pair], numbers: Mapping[bytes, int]) -> Pair:
    """The most frequent pair; among equals, the one whose tokens came first."""
    most = max(frequency.values())
    equal = [pair for pair, count in frequency.items() if count == most]
    return min(equal, key=lambda pair: (numbers[pair[0]], numbers[pair[1]]))


Encode = Callable[[bytes, Mapping[Pair, int]], list[bytes]]


def encode_in_order(piece: bytes, ranks: Mapping[Pair, int]) -> list[bytes]:
    """Goes over the piece once for every merge that there is."""
    symbols = units(piece)
    for pair in ranks:
        symbols = merged(symbols, pair)
    return symbols


def encode_by_lowest(piece: bytes, ranks: Mapping[Pair, int]) -> list[bytes]:
    """Looks for the pair of the lowest rank, merges it, and begins again."""
    symbols = units(piece)
    while len(symbols) > 1:
        best = min(pairwise(symbols), key=lambda pair: ranks.get(pair, len(ranks)))
        if best not in ranks:
            break
        symbols = merged(symbols, best)
    return symbols


def encode_by_heap(piece: bytes, ranks: Mapping[Pair, int]) -> list[bytes]:
    """Keeps the pairs in a heap and the symbols in a linked list: a merge touches its two neighbours only.

    An outdated pair stays in the heap until it is met. Among equal ranks the leftmost goes first.
    """
    symbols: list[bytes | None] = list(units(piece))
    after, before = list(range(1, len(symbols) + 1)), list(range(-1, len(symbols) - 1))
    heap: list[tuple[int, int, Pair]] = []

    def offer(left: int) -> None:
        right = after[left]
        if right < len(symbols):
            pair = (symbols[left], symbols[right])
            rank = ranks.get(pair)  # type: ignore[arg-type]
            if rank is not None:
                heapq.heappush(heap, (rank, left, pair))  # type: ignore[arg-type]

    for left in range(len(symbols)):
        offer(left)
    while heap:
        _, left, pair = heapq.heappop(heap)
        right = after[left]
        if right >= len(symbols) or (symbols[left], symbols[right]) != pair:
            continue
        symbols[left], symbols[right] = pair[0] + pair[1], None
        after[left] = after[right]
        if after[right] < len(symbols):
            before[after[right]] = left
        offer(left)
        if before[left] >= 0:
            offer(before[left])
    return [symbol for symbol in symbols if symbol is not None]


class Remembering:
    """The same, and every piece is encoded once."""

    def __init__(self) -> None:
        self.known: dict[bytes, list[bytes]] = {}

    def __call__(self, piece: bytes, ranks: Mapping[Pair, int]) -> list[bytes]:
        found = self.known.get(piece)
        if found is None:
            found = self.known[piece] = encode_by_heap(piece, ranks)
        return found
