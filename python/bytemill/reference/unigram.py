"""Unigram: the row of tokens with the highest sum of scores, from the left, the first of equal ones.

A character that is no token counts as one with a score 10 below the lowest; several in a row are one unknown token, or
their bytes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

UNKNOWN_PENALTY = 10.0


class Unigram:
    """The model of that name of the `tokenizers` library, a piece at a time: scores are added with 64 bits.

    >>> unigram = Unigram({"<unk>": 0.0, "a": -1.0, "b": -1.5, "ab": -2.0, "▁a": -3.0}, unk_token="<unk>")
    >>> unigram.tokens("▁abab"), unigram.tokens("▁acdb")
    (['▁a', 'b', 'ab'], ['▁a', '<unk>', 'b'])
    """

    def __init__(self, scores: Mapping[str, float], unk_token: str, byte_fallback: bool = False) -> None:
        self.scores, self.unk_token, self.byte_fallback = scores, unk_token, byte_fallback
        self.unknown = min(scores.values()) - UNKNOWN_PENALTY

    def best(self, piece: str) -> list[str]:
        """The best row, as stretches of the piece."""
        rows: list[tuple[float, list[str]]] = [(0.0, [])]
        for end in range(1, len(piece) + 1):
            found: tuple[float, list[str]] | None = None
            for start in range(end):
                token = piece[start:end]
                score = self.scores.get(token, self.unknown if len(token) == 1 else None)
                if score is not None and (found is None or score + rows[start][0] > found[0]):
                    found = (score + rows[start][0], [*rows[start][1], token])
            assert found is not None  # the last character alone
            rows.append(found)
        return rows[-1][1]

    def tokens(self, piece: str) -> list[str]:
        return self.named(self.best(piece))

    def rows(self, piece: str) -> Iterator[list[str]]:
        """Every row, as stretches of the piece."""
        if not piece:
            yield []
        for end in range(1, len(piece) + 1):
            if piece[:end] in self.scores or end == 1:
                for rest in self.rows(piece[end:]):
                    yield [piece[:end], *rest]

    def score(self, row: list[str]) -> float:
        return sum(self.scores.get(token, self.unknown) for token in row)

    def nbest(self, piece: str, n: int) -> list[tuple[list[str], float]]:
        """The rows with the highest scores; those of equal ones in any order."""
        scored = [(row, self.score(row)) for row in self.rows(piece)]
        return sorted(scored, key=lambda pair: -pair[1])[:n]

    def probabilities(self, piece: str, alpha: float = 1.0) -> dict[tuple[str, ...], float]:
        """The probability of each row; the smaller alpha is, the more alike they are."""
        logs = {tuple(row): alpha * self.score(row) for row in self.rows(piece)}
        highest = max(logs.values())
        total = sum(math.exp(log - highest) for log in logs.values())
        return {row: math.exp(log - highest) / total for row, log in logs.items()}

    def log_probability(self, piece: str) -> float:
        return math.log(sum(math.exp(self.score(row)) for row in self.rows(piece)))

    def entropy(self, piece: str, alpha: float = 1.0) -> float:
        return -sum(p * math.log(p) for p in self.probabilities(piece, alpha).values() if p)

    def named(self, row: list[str]) -> list[str]:
        """The tokens of a row."""
        tokens: list[str] = []
        unknown = ""
        for stretch in [*row, ""]:
            if stretch and (stretch not in self.scores or stretch == self.unk_token):
                unknown += stretch
                continue
            tokens += self.instead(unknown) if unknown else []
            unknown = ""
            tokens += [stretch] if stretch else []
        return tokens

    def instead(self, unknown: str) -> list[str]:
        """What stands for characters that are no tokens; together they may be one."""
        if unknown in self.scores and unknown != self.unk_token:
            return [unknown]
        as_bytes = [f"<0x{byte:02X}>" for byte in unknown.encode()]
        if self.byte_fallback and all(token in self.scores for token in as_bytes):
            return as_bytes
        return [self.unk_token]
