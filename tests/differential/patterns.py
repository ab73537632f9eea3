"""Patterns, known and random, and texts that tell them apart."""

from __future__ import annotations

import random
from collections.abc import Iterator

#: Patterns of models and libraries in use.
KNOWN = [
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    r"\p{N}{1,3}",
    "[一-龥぀-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
    "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
    r"[\r\n]|\s?\p{L}+|\s?\p{P}+|[一-龥ࠀ-一가-퟿]+|\p{N}",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    r"\s+",
    r"\w+|[^\w\s]+",
    r"\d|[[:punct:]]",
    r" ?[^(\s|[.,!?…。，、।۔،])]+",
    r"[\u4e00-\u9fff]|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+",
    r"(?<=[a-z])(?=[A-Z])|_",
]

ATOMS = [
    "a", "b", "s", "'", " ", "-", r"\n", ".", r"\s", r"\S", r"\w", r"\W", r"\d", r"\h", r"\p{L}", r"\p{Lu}",
    r"\P{L}", r"\p{^N}", r"\p{Han}", "[ab]", "[^a]", "[a-c1]", r"[^\s\p{L}]", r"[\w-]", "[[:punct:]]", "[[:^alpha:]]",
    "[a-z&&[^b]]", r"[^\S\n]", "一", "é", r"\x{e9}", r"\-",
]  # fmt: skip
ASSERTIONS = [r"(?!\S)", "(?=a)", r"(?<=\s)", "(?<!a)", "^", "$", r"\b", r"\B", r"\A", r"\z", r"\Z", "(?=ab|s)"]
QUANTIFIERS = ["*", "+", "?", "{2}", "{1,3}", "{,2}", "{2,}", "*?", "+?", "??", "{1,2}?", "++", "*+", "?+", "{1,3}+"]
LETTERS = [*"aaabbs AB1'-_\n\r\t!?.é一ſ\u0301\u2028\u00a0😀Ⅷ\u212aß\u0085²🅰"]


def random_pattern(rng: random.Random, depth: int = 2) -> str:
    branches = []
    for _ in range(rng.choice([1, 1, 2, 3])):
        parts = []
        for _ in range(rng.choice([0, 1, 1, 2, 2, 3])):
            roll = rng.random()
            if roll < 0.12:
                parts.append(rng.choice(ASSERTIONS))
                continue
            if depth and roll < 0.3:
                opening = rng.choice(["(", "(?:", "(?:", "(?i:", "(?m:", "(?<n>"])
                atom = opening + random_pattern(rng, depth - 1) + ")"
            else:
                atom = rng.choice(ATOMS)
            parts.append(atom + (rng.choice(QUANTIFIERS) if rng.random() < 0.45 else ""))
        branches.append("".join(parts))
    return "|".join(branches)


def texts(rng: random.Random, count: int, most: int = 12) -> Iterator[str]:
    for _ in range(count):
        yield "".join(rng.choices(LETTERS, k=rng.randint(0, most)))
