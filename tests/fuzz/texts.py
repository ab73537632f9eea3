"""Texts for the fuzzer: what goes wrong in tokenizers, side by side."""

from __future__ import annotations

import random
import sys
import unicodedata

from tests.differential.texts import ATOMS, BORDERS

#: Nothing of these is seen, and some normalizers drop them.
INVISIBLE = [*"\u0000\u0001\u001c\u007f\u0085\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u2028\u202e\u2060\ufeff\ufe0f"]
LETTERS = [*"aabbcAB12 \n\n.,'-_é\u0301\u0344中かア한яωאعह७½\u1ffc\u0345İſ▁Ġ🙂"]


#: How many texts are encoded together with one tokenizer. To make and load a tokenizer takes as long as some hundred.
ROWS = 120


def random_character(rng: random.Random) -> str:
    """Any character that UTF-8 has, half of them of the first plane's assigned ones."""
    while True:
        c = chr(rng.randrange(0x3100) if rng.random() < 0.7 else rng.randrange(sys.maxunicode + 1))
        category = unicodedata.category(c)
        if category != "Cs" and (category not in ("Cn", "Co") or rng.random() < 0.05):
            return c


def random_text(rng: random.Random, specials: list[str], most: int = 24) -> str:
    """A short text; special tokens come whole and in halves."""
    halves = [token[: rng.randint(1, len(token))] for token in specials]
    kinds = [LETTERS, LETTERS, ATOMS, INVISIBLE, BORDERS, *([specials, halves] if specials else [])]
    chosen = rng.sample(kinds, k=rng.randint(1, 4))
    parts = [rng.choice(rng.choice(chosen)) for _ in range(rng.randint(0, most))]
    if rng.random() < 0.3:
        parts.insert(rng.randint(0, len(parts)), random_character(rng))
    text = "".join(parts)
    return text * rng.randint(2, 9) if rng.random() < 0.1 else text


def random_rows(rng: random.Random, specials: list[str]) -> list[str]:
    """Many texts for calls that take many: most of them are so short that few things happen in each."""
    return [random_text(rng, specials, rng.choice([2, 4, 8, 8, 16])) for _ in range(ROWS)]


def random_parts(rng: random.Random, text: str) -> list[str]:
    """A text in parts, some of them empty; one time in four a character at a time."""
    if rng.random() < 0.25:
        return list(text)
    cuts = sorted(rng.choices(range(len(text) + 1), k=rng.randint(0, 6)))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
