"""WordPiece: the longest token that a word begins with, then the longest marked one that the rest begins with.

And so on. A word that is stuck anywhere, or has too many characters, is unknown as a whole.

Learned, it is byte-pair encoding of characters whose merges are forgotten: count every pair of neighbours, make the
best one a token everywhere, begin again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise


class WordPiece:
    """The model of that name of the `tokenizers` library, a piece at a time.

    >>> vocab = {token: id for id, token in enumerate(["[UNK]", "un", "##aff", "##able", "##a"])}
    >>> wordpiece = WordPiece(vocab)
    >>> wordpiece.tokens("unaffable"), wordpiece.tokens("unaffably"), wordpiece.tokens("")
    (['un', '##aff', '##able'], ['[UNK]'], [])
    """

    def __init__(
        self,
        vocab: Mapping[str, int],
        *,
        unk_token: str = "[UNK]",
        continuing_subword_prefix: str = "##",
        max_input_chars_per_word: int = 100,
    ) -> None:
        self.vocab = vocab
        self.unk_token = unk_token
        self.prefix = continuing_subword_prefix
        self.max_chars = max_input_chars_per_word

    def encode(self, piece: str) -> list[int]:
        return [self.vocab[token] for token in self.tokens(piece)]

    def tokens(self, piece: str) -> list[str]:
        if len(piece) > self.max_chars:
            return [self.unk_token]
        tokens = []
        start = 0
        while start < len(piece):
            mark = self.prefix if start else ""
            ends = range(len(piece), start, -1)
            end = next((end for end in ends if mark + piece[start:end] in self.vocab), None)
            if end is None:
                return [self.unk_token]
            tokens.append(mark + piece[start:end])
            start = end
        return tokens


def learned(
    counts: Mapping[str, int],
    vocab_size: int,
    *,
    score: str = "frequency",
    min_frequency: int = 1,
    special_tokens: Sequence[str] = (),
    prefix: str = "##",
) -> list[str]:
    """The vocabulary for pieces with their counts: special tokens, characters, marked characters, then what is made.

    The best pair is the most frequent, or the one with the highest count divided by those of its two tokens; then the
    more frequent, then the one whose tokens are older.

    >>> learned({"low": 5, "lowest": 2, "newest": 6}, 15)[-3:]
    ['##es', '##wes', '##west']
    >>> learned({"low": 5, "lowest": 2, "newest": 6}, 15, score="likelihood")[-3:]
    ['lo', '##st', 'low']
    """
    words = [([piece[:1], *(prefix + c for c in piece[1:])], count) for piece, count in counts.items()]
    characters = sorted({c for piece in counts for c in piece})
    marked = sorted({token for word, _ in words for token in word})
    tokens = list(dict.fromkeys([*special_tokens, *characters, *marked]))
    while len(tokens) < vocab_size:
        pairs: Counter[tuple[str, str]] = Counter()
        singles: Counter[str] = Counter()
        for word, count in words:
            for token in word:
                singles[token] += count
            for pair in pairwise(word):
                pairs[pair] += count
        age = {token: number for number, token in enumerate(tokens)}
        by = (lambda left, right, singles=singles: singles[left] * singles[right]) if score == "likelihood" else one
        # The greatest of these is the best.
        ranked = [
            (Fraction(count, by(left, right)), count, -age[left], -age[right], (left, right))
            for (left, right), count in pairs.items()
            if count >= min_frequency
        ]
        if not ranked:
            break
        best = max(ranked)[-1]
        made = best[0] + best[1].removeprefix(prefix)
        if made not in age:
            tokens.append(made)
        words = [(merged(word, best, made), count) for word, count in words]
    return tokens


def one(left: str, right: str) -> int:
    return 1


def merged(word: list[str], pair: tuple[str, str], made: str) -> list[str]:
    """
    >>> merged(["a", "##a", "##a", "##a"], ("##a", "##a"), "##aa")
    ['a', '##aa', '##a']
    """
    out: list[str] = []
    at = 0
    while at < len(word):
        if tuple(word[at : at + 2]) == pair:
            out.append(made)
            at += 2
        else:
            out.append(word[at])
            at += 1
    return out
