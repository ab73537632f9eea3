"""Byte-pair encoding: the pair of the lowest rank becomes one token, leftmost first, until no pair has a rank.

A piece starts as its characters, or, byte-level, as characters that stand for its bytes. What is no token becomes its
bytes, an unknown token, or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]
#: The character in which byte-level files write each byte.
ALPHABET = {byte: chr(byte) for byte in _PRINTABLE} | {byte: chr(0x100 + i) for i, byte in enumerate(_OTHERS)}


def byte_level(piece: str) -> str:
    """
    >>> byte_level(" é")
    'ĠÃ©'
    """
    return "".join(ALPHABET[byte] for byte in piece.encode())


class BPE:
    """The model of that name of the `tokenizers` library, a piece at a time.

    >>> vocab = {token: id for id, token in enumerate(["l", "o", "w", "w</w>", "lo", "low</w>", "<unk>"])}
    >>> bpe = BPE(vocab, [("l", "o"), ("lo", "w</w>")], unk_token="<unk>", end_of_word_suffix="</w>")
    >>> bpe.tokens("low"), bpe.tokens("lowx")
    (['low</w>'], ['lo', 'w', '<unk>'])
    >>> BPE(vocab, [("l", "o"), ("lo", "w")], end_symbol="</w>").tokens("low")
    ['low', '</w>']
    """

    def __init__(
        self,
        vocab: Mapping[str, int],
        merges: Sequence[tuple[str, str]],
        *,
        unk_token: str | None = None,
        continuing_subword_prefix: str = "",
        end_of_word_suffix: str = "",
        end_symbol: str | None = None,
        fuse_unk: bool = False,
        byte_fallback: bool = False,
        ignore_merges: bool = False,
    ) -> None:
        self.vocab = vocab
        #: If a pair is there twice, the last place counts.
        self.ranks = {pair: rank for rank, pair in enumerate(merges)}
        self.unk_token = unk_token
        self.prefix = continuing_subword_prefix
        self.suffix = end_of_word_suffix
        self.end = [] if end_symbol is None else [end_symbol]
        self.fuse_unk = fuse_unk
        self.byte_fallback = byte_fallback
        self.ignore_merges = ignore_merges

    def encode(self, piece: str) -> list[int]:
        return [self.vocab[token] for token in self.tokens(piece)]

    def tokens(self, piece: str) -> list[str]:
        if self.ignore_merges and piece in self.vocab:
            return [piece] if piece else []
        return self.merged([*self.symbols(piece), *self.end])

    def symbols(self, piece: str) -> Iterator[str]:
        """What the piece is before anything is merged."""
        waiting = 0  # unknown tokens that are not given yet: the bytes of a later character go before them
        for i, character in enumerate(piece):
            marked = (self.prefix if i > 0 else "") + character + (self.suffix if i + 1 == len(piece) else "")
            in_bytes = [f"<0x{byte:02X}>" for byte in marked.encode()]
            if marked in self.vocab:
                yield from self.unknown(waiting)
                waiting = 0
                yield marked
            elif self.byte_fallback and all(token in self.vocab for token in in_bytes):
                yield from in_bytes
            elif self.unk_token is not None:
                if waiting and not self.fuse_unk:
                    yield from self.unknown(1)
                waiting = 1
        yield from self.unknown(waiting)

    def unknown(self, number: int) -> list[str]:
        return [self.unk_token] * number if self.unk_token is not None else []

    def merged(self, symbols: list[str]) -> list[str]:
        """
        >>> BPE({}, [("a", "a"), ("aa", "a")]).merged(list("aaaaa"))
        ['aa', 'aaa']
        """
        while True:
            pairs = enumerate(pairwise(symbols))
            ranked = [(self.ranks[pair], at) for at, pair in pairs if pair in self.ranks]
            if not ranked:
                return symbols
            _, at = min(ranked)
            symbols[at : at + 2] = [symbols[at] + symbols[at + 1][len(self.prefix) :]]
