"""Byte-pair encoding to read and to watch: slow, and in plain Python. It needs the package `regex`."""

from __future__ import annotations

import collections
import importlib
import itertools
from pathlib import Path
from typing import Any

from .registry import get_encoding

GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
#: The colours of a terminal.
COLOURS = (167, 179, 185, 77, 80, 68, 134)


class SimpleBytePairEncoding:
    """An encoding of ranks, which can show its merges."""

    def __init__(self, *, pat_str: str, mergeable_ranks: dict[bytes, int]) -> None:
        self.pat_str = pat_str
        self.mergeable_ranks = mergeable_ranks
        self._decoder = {rank: token for token, rank in mergeable_ranks.items()}
        self._pat = importlib.import_module("regex").compile(pat_str)

    def encode(self, text: str, visualise: str | None = "colour") -> list[int]:
        """Encodes a text, and prints each merge in `"colour"`, `"simple"` or not at all."""
        pieces = (piece.encode("utf-8") for piece in self._pat.findall(text))
        return [id for piece in pieces for id in bpe_encode(self.mergeable_ranks, piece, visualise=visualise)]

    def decode_bytes(self, tokens: list[int]) -> bytes:
        """Returns the bytes of ids."""
        return b"".join(self.decode_tokens_bytes(tokens))

    def decode(self, tokens: list[int]) -> str:
        """Returns the text of ids."""
        return self.decode_bytes(tokens).decode("utf-8", errors="replace")

    def decode_tokens_bytes(self, tokens: list[int]) -> list[bytes]:
        """Returns the bytes of each id."""
        return [self._decoder[id] for id in tokens]

    @staticmethod
    def train(training_data: str, vocab_size: int, pat_str: str) -> SimpleBytePairEncoding:
        """Trains an encoding, and prints each step."""
        ranks = bpe_train(data=training_data, vocab_size=vocab_size, pat_str=pat_str)
        return SimpleBytePairEncoding(pat_str=pat_str, mergeable_ranks=ranks)

    @staticmethod
    def from_tiktoken(encoding: Any) -> SimpleBytePairEncoding:
        """Returns the same for an `Encoding` or the name of one."""
        found = get_encoding(encoding) if isinstance(encoding, str) else encoding
        return SimpleBytePairEncoding(pat_str=found._pat_str, mergeable_ranks=found._mergeable_ranks)


def bpe_encode(mergeable_ranks: dict[bytes, int], input: bytes, visualise: str | None = "colour") -> list[int]:
    """Merges the bytes of a piece, the pair of the lowest rank first."""
    parts = [bytes([byte]) for byte in input]
    while True:
        _show(parts, visualise)
        pairs = [(mergeable_ranks.get(left + right), at) for at, (left, right) in enumerate(itertools.pairwise(parts))]
        ranked = [(rank, at) for rank, at in pairs if rank is not None]
        if not ranked:
            break
        _, at = min(ranked)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    if visualise:
        print()
    return [mergeable_ranks[part] for part in parts]


def bpe_train(data: str, vocab_size: int, pat_str: str, visualise: str | None = "colour") -> dict[bytes, int]:
    """Learns tokens: the 256 bytes, and then the most frequent pair again and again."""
    if vocab_size < 256:
        raise ValueError("vocab_size must be at least 256, so we can encode all bytes")
    ranks = {bytes([byte]): byte for byte in range(256)}
    words = [
        [bytes([byte]) for byte in word.encode("utf-8")]
        for word in importlib.import_module("regex").findall(pat_str, data)
    ]
    while len(ranks) < vocab_size:
        counts = collections.Counter(pair for word in words for pair in itertools.pairwise(word))
        pair = max(counts, key=counts.__getitem__)
        ranks[pair[0] + pair[1]] = len(ranks)
        words = [_merged(word, pair) for word in words]
        if visualise:
            print(f"The most frequent pair is {pair[0]!r} + {pair[1]!r}: {pair[0] + pair[1]!r} is token {len(ranks)}.")
            _show([token for word in words[:50] for token in word], visualise)
            print()
    return ranks


def _merged(word: list[bytes], pair: tuple[bytes, bytes]) -> list[bytes]:
    merged: list[bytes] = []
    left_over = iter(word)
    for token in left_over:
        if merged and (merged[-1], token) == pair:
            merged[-1] += token
            # What was just made is not part of the next pair.
            merged.extend(itertools.islice(left_over, 1))
        else:
            merged.append(token)
    return merged


def _show(tokens: list[bytes], visualise: str | None) -> None:
    if visualise in ("colour", "color"):
        visualise_tokens(tokens)
    elif visualise == "simple":
        print(tokens)


def visualise_tokens(token_values: list[bytes]) -> None:
    """Prints tokens, neighbours in different colours."""
    length, last = 0, -1
    for token in token_values:
        text = token.decode("utf-8", errors="replace")
        number = length % len(COLOURS)
        last = (number + 1) % len(COLOURS) if number == last else number
        print(f"\x1b[48;5;{COLOURS[last]}m{text}", end="")
        length += len(text)
    print("\x1b[0m")


def train_simple_encoding() -> SimpleBytePairEncoding:
    """Trains an encoding on this file, and shows how it encodes two words."""
    data = Path(__file__).read_text(encoding="utf-8")
    encoding = SimpleBytePairEncoding.train(data, vocab_size=600, pat_str=GPT2_PATTERN)
    tokens = encoding.encode("hello world")
    assert encoding.decode(tokens) == "hello world"
    return encoding
