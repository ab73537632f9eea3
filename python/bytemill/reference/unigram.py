"""Unigram: the row of tokens with the highest sum of scores, from the left, the first of equal ones.

A character that is no token counts as one with a score 10 below the lowest; several in a row are one unknown token, or
their bytes.
"""

from __future__ import annotations

from collections.abc import Mapping

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
        tokens: list[str] = []
        unknown = ""
        for stretch in [*self.best(piece), ""]:
            if stretch and (stretch not in self.scores or stretch == self.unk_token):
                unknown += stretch
                continue
            tokens += self.instead(unknown) if unknown else []
            unknown = ""
            tokens += [stretch] if stretch else []
        return tokens

    def instead(self, unknown: str) -> list[str]:
        """What stands for characters that are no tokens."""
        as_bytes = [f"<0x{byte:02X}>" for byte in unknown.encode()]
        if self.byte_fallback and all(token in self.scores for token in as_bytes):
            return as_bytes
        return [self.unk_token]
