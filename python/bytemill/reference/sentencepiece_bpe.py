"""The byte-pair encoding of SentencePiece: the pair whose text has the highest score becomes one piece, leftmost first.

Unused pieces are merged as others are. Where one is left in the end, it falls apart into the two parts that were last
seen side by side with its text anywhere in the text, whether they merged or not; and these in turn.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import pairwise


class SentencePieceBPE:
    """
    >>> scores = {"a": -9.0, "b": -9.0, "c": -9.0, "ab": -1.0, "bc": -2.0, "abc": -3.0}
    >>> SentencePieceBPE(scores).tokens("abcbc")
    ['abc', 'bc']
    >>> SentencePieceBPE(scores, unused=["abc"]).tokens("abcbc")
    ['ab', 'c', 'bc']
    """

    def __init__(self, scores: Mapping[str, float], unused: Collection[str] = ()) -> None:
        self.scores, self.unused = scores, unused

    def tokens(self, text: str) -> list[str]:
        symbols = list(text)
        parts: dict[str, tuple[str, str]] = {}
        for pair in pairwise(symbols):
            self.note(pair, parts)
        while True:
            found = enumerate(map("".join, pairwise(symbols)))
            known = [(-self.scores[piece], at) for at, piece in found if piece in self.scores]
            if not known:
                return [part for symbol in symbols for part in self.apart(symbol, parts)]
            _, at = min(known)
            symbols[at : at + 2] = [symbols[at] + symbols[at + 1]]
            for left in (at - 1, at):
                if left >= 0 and left + 1 < len(symbols):
                    self.note((symbols[left], symbols[left + 1]), parts)

    def note(self, pair: tuple[str, str], parts: dict[str, tuple[str, str]]) -> None:
        if "".join(pair) in self.scores:
            parts["".join(pair)] = pair

    def apart(self, piece: str, parts: Mapping[str, tuple[str, str]]) -> list[str]:
        if piece not in self.unused or piece not in parts:
            return [piece]
        return [token for part in parts[piece] for token in self.apart(part, parts)]
