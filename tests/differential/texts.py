"""The texts that both sides are given: every shared corpus and torture file, and generated strings."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

#: What goes wrong in tokenizers: each of these once for every kind of character and every kind of neighbour.
ATOMS = [
    *"aZé7٣_ -.,;'\"$€()[]{}<>/\\",
    "\n",
    "\r\n",
    "\t",
    "\u00a0",
    "\u3000",
    "\u0085",
    "\u2028",
    "\u200d",
    "\u200b",
    "\ufeff",
    "\u0000",
    "\u0001",
    "\ufffd",
    "e\u0301",
    "\u0344",
    "ﬁ",
    "ſ",
    "İ",
    "ΑΣ",
    "ß",
    "中",
    "国",
    "。",
    "あ",
    "ｶ",
    "한",
    "ᄒ",
    "ǅ",
    "Ⅷ",
    "½",
    "ह",
    "ि",
    "ع",
    "🙂",
    "👩‍👧",
    "🇩🇪",
    "'s",
    "'LL",
    "'ſ",
    "don't",
    "Hello",
    "WORLD",
    "123",
    "  ",
    "\n\n",
    "...",
]


def files(shared: Path, sample: int | None = None) -> Iterator[tuple[str, str]]:
    """Every shared text with its name; of each, the first `sample` characters and as many from its middle."""
    for folder in ("corpora", "torture"):
        for path in sorted((shared / folder).rglob("*")):
            if not path.is_file():
                continue
            data = path.read_bytes()
            if path.suffix == ".gz":
                data = gzip.decompress(data)
            text = data.decode("utf-8", "replace")
            if sample is not None and len(text) > 2 * sample:
                middle = len(text) // 2
                text = text[:sample] + text[middle : middle + sample]
            yield str(path.relative_to(shared)), text


def generated(count: int, seed: int = 0, most: int = 14, specials: Sequence[str] = ()) -> Iterator[str]:
    """Strings of atoms, the same for the same seed; `specials` are atoms too, in one string of four."""
    rng = random.Random(seed)
    for _ in range(count):
        atoms = [*ATOMS, *specials] if specials and rng.random() < 0.25 else ATOMS
        yield "".join(rng.choices(atoms, k=rng.randint(0, most)))


#: What words are kept apart by or stick together with, if a tokenizer takes a text word by word.
BORDERS = [
    *("  ", "    ", "\t", "\r", "▁", " ▁", "▁ ", "\u00a0", "\u3000", "\u2028", "\u200b", "\u200d", "\u0001"),
    *("\u0301", "\u0344", "\u3099", "ｶﾞ", "\ufe0f", "\u0600", "\u0e33", "¨", "ﷺ", "Ａ", "½", "İ", "👩‍👧"),
]


def disturbed(lines: Sequence[str], count: int, seed: int = 0) -> Iterator[str]:
    """Some of the lines, with borders put into them at random."""
    rng = random.Random(seed)
    for line in rng.choices(lines, k=count):
        characters = list(line[:200])
        for border in rng.choices([*BORDERS, " "], k=rng.randint(1, 6)):
            characters.insert(rng.randint(0, len(characters)), border)
        yield "".join(characters)


def large_document(shared: Path, seed: int = 0) -> str:
    """More than a thread takes at a time: lines of many languages and of code, some of them disturbed."""
    rng = random.Random(seed)
    lines = [line for _, text in files(shared, sample=6_000) for line in text.split("\n")]
    lines += disturbed(lines, len(lines) // 20, seed)
    rng.shuffle(lines)
    return "\n".join(lines)[:900_000]
