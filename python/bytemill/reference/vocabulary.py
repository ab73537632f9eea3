"""Pieces → the list of tokens; a token's id is its place in the list."""

from collections import Counter


def build(pieces: list[str], specials: list[str], vocab_size: int | None = None, min_frequency: int = 1) -> list[str]:
    """Special tokens first, then what occurs: by falling count, and by its UTF-8 bytes among equals.

    `vocab_size` counts all of them, special tokens too.

    >>> build(["b", "a", "c", "c"], ["<UNK>"])
    ['<UNK>', 'c', 'a', 'b']
    >>> build(["b", "a", "c", "c"], ["<UNK>"], vocab_size=3)
    ['<UNK>', 'c', 'a']
    >>> build(["b", "a", "c", "c"], ["<UNK>"], min_frequency=2)
    ['<UNK>', 'c']
    """
    if vocab_size is not None and vocab_size < len(specials):
        raise ValueError(f"vocab_size={vocab_size} does not hold the {len(specials)} special tokens")
    counts = Counter(pieces)
    frequent = [piece for piece in counts if counts[piece] >= min_frequency]
    frequent.sort(key=lambda piece: (-counts[piece], piece.encode()))
    return (list(specials) + frequent)[:vocab_size]
