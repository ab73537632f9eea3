"""What a model makes of a token's own text.

A token that the model cuts here is cut wherever it stands. For BPE: if a token is in the result, no merge crossed its
borders, so the merges inside it were those of its text alone. For Unigram: a better row of tokens for its text would
also be better inside every longer text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .subject import Subject

#: Another row of Unigram must be better by this much: sums of many scores are rounded.
MARGIN = 1e-3


class Merging:
    """BPE of one token's text, merge by merge."""

    def __init__(self, symbols: Mapping[str, Any], by_result: bool, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        self.prefix = symbols["prefix"].encode()
        self.suffix = symbols["suffix"].encode()
        self.bytes = symbols["unit"] == "bytes"
        #: Whether any two tokens merge whose text together is a token, and not only those of a list.
        self.by_result = by_result
        self.results: dict[bytes, int] = {}
        self.pairs: dict[tuple[bytes, bytes], int] = {}
        for rank, (left, right) in enumerate(pairs):
            self.learn(left, right, rank)

    @classmethod
    def of(cls, subject: Subject) -> Merging:
        by_result = subject.definition.get("merging") in ("concatenations", "scores")
        return cls(subject.symbols, by_result, subject.tok.merges() or [])

    def learn(self, left: bytes, right: bytes, rank: int) -> None:
        """Two tokens merge; the lowest rank that they are given counts."""
        if self.by_result:
            self.results.setdefault(left + right, rank)
        else:
            self.pairs.setdefault((left, right), rank)

    def units(self, token: bytes) -> list[bytes]:
        """What merging starts from."""
        end = self.suffix if self.suffix and token.endswith(self.suffix) and token != self.suffix else b""
        body = token[: len(token) - len(end)]
        start = self.prefix if self.prefix and body.startswith(self.prefix) and body != self.prefix else b""
        body = body[len(start) :]
        parts = [body[i : i + 1] for i in range(len(body))] if self.bytes else [c.encode() for c in body.decode()]
        if not parts:
            return [token]
        parts = [parts[0], *(self.prefix + part for part in parts[1:])]
        parts[0] = start + parts[0]
        return [*parts[:-1], parts[-1] + end]

    def rank(self, left: bytes, right: bytes) -> int | None:
        return self.results.get(left + right) if self.by_result else self.pairs.get((left, right))

    def merged(self, token: bytes) -> list[bytes]:
        """The lowest rank first, from the left."""
        now = self.units(token)
        while len(now) > 1:
            ranks = [self.rank(left, right) for left, right in pairwise(now)]
            known = [rank for rank in ranks if rank is not None]
            if not known:
                break
            place = ranks.index(min(known))
            right = now[place + 1].removeprefix(self.prefix)
            now[place : place + 2] = [now[place] + right]
        return now


class Scoring:
    """The best row of a Unigram model for one token's text, of other tokens."""

    def __init__(self, scores: dict[bytes, float]) -> None:
        self.scores = scores

    @classmethod
    def of(cls, subject: Subject) -> Scoring:
        return cls({token: subject.tok.score([id]) for id, token in subject.ordinary.items()})

    def better(self, token: bytes) -> list[bytes] | None:
        """A row of other tokens with a better score, if there is one."""
        score, row = self.best(token.decode())
        return None if score <= self.scores[token] + MARGIN else row

    def best(self, text: str, unknown: float = -math.inf) -> tuple[float, list[bytes]]:
        """The best row of tokens shorter than the text, with its score; `unknown` is the score of other characters."""
        best: list[tuple[float, int]] = [(0.0, 0)]
        for end in range(1, len(text) + 1):
            rows = [
                (best[start][0] + score, start)
                for start in range(end)
                if end - start < len(text) and (score := self.scores.get(text[start:end].encode())) is not None
            ]
            best.append(max([*rows, (best[end - 1][0] + unknown, end - 1)]))
        row, end = [], len(text)
        while end:
            start = best[end][1]
            row.append(text[start:end].encode())
            end = start
        return best[-1][0], row[::-1]
