"""How many tokens files will have, from a sample."""

from __future__ import annotations

import dataclasses
import itertools
import math
from pathlib import Path
from typing import TYPE_CHECKING

from .. import _core

if TYPE_CHECKING:
    from .._arguments.types import HowToRead, Specials

#: Files that are looked into, at even distances, and how much of the text of each.
FILES = 64
CHARACTERS = 1 << 20
LONGEST = 1 << 15
#: Parts of what was read whose rates are compared for the interval.
PARTS = 32
#: Half of the narrowest interval, as a part of the estimate.
LEAST_MARGIN = 0.005


@dataclasses.dataclass(frozen=True)
class Estimate:
    """How many tokens there are in files, estimated from a sample.

    Attributes:
        tokens: The most likely number of tokens.
        low: The lower end of an interval that holds the number with about 95 % probability.
        high: The upper end.
        bytes: The size of the files on disk.
        sampled_bytes: How much of it was read.
        documents: The documents that were read.
    """

    tokens: int
    low: int
    high: int
    bytes: int
    sampled_bytes: int
    documents: int


def estimated(tok: _core.Tokenizer, paths: list[str], how: HowToRead, specials: Specials) -> Estimate:
    """Tokens for each byte on disk, in parts of the sample; the spread of these rates gives the interval."""
    files = [Path(path) for path, _ in _core.list_files(paths)[0]]
    total = sum(path.stat().st_size for path in files)
    step = max(1, len(files) // FILES)
    parts: list[tuple[int, int]] = []
    documents = 0
    for path in files[::step]:
        found, count = sampled(tok, path, how, specials)
        parts += found
        documents += count
    read, tokens = sum(part[0] for part in parts), sum(part[1] for part in parts)
    if not read:
        return Estimate(0, 0, 0, total, 0, documents)
    rate = tokens / read
    if read >= total:
        return Estimate(tokens, tokens, tokens, total, total, documents)
    # The error of a ratio: what each part has more or less than the common rate says.
    spread = sum((part_tokens - rate * part_bytes) ** 2 for part_bytes, part_tokens in parts)
    count = len(parts)
    error = math.sqrt(spread * count / max(1, count - 1)) / read
    # One part says nothing about the others, and parts of the same files are more alike than what was not read.
    margin = max(1.96 * error, LEAST_MARGIN * rate) if count > 1 else rate / 2
    low, high = max(tokens, round(total * (rate - margin))), round(total * (rate + margin))
    return Estimate(round(total * rate), low, high, total, read, documents)


def sampled(tok: _core.Tokenizer, path: Path, how: HowToRead, specials: Specials) -> tuple[list[tuple[int, int]], int]:
    """Pairs of bytes on disk and tokens, of parts of a file; and how many documents that were."""
    documents = _core.Documents([str(path)], how, whole=False)
    texts: list[str] = []
    characters = 0
    for text, _ in documents:
        kept = text[: CHARACTERS - characters]
        # The parts of a long text have to differ for an interval.
        size = LONGEST if len(kept) > LONGEST else max(1, len(kept))
        texts += [kept[start : start + size] for start in range(0, max(1, len(kept)), size)]
        characters += len(text)
        if characters >= CHARACTERS:
            break
    whole = characters < CHARACTERS
    size = path.stat().st_size
    # A file that was cut short is known by what of its text was taken.
    read = size if whole else max(1, round(documents.bytes_read * min(1.0, CHARACTERS / characters)))
    counts = tok.count_batch(texts, specials=specials).tolist() if texts else []
    return grouped([len(text) for text in texts], counts, read), len(texts)


def grouped(lengths: list[int], counts: list[int], read: int) -> list[tuple[int, int]]:
    """Texts put together into parts of about the same size: the bytes on disk of each, and its tokens."""
    total = max(1, sum(lengths))
    parts: dict[int, list[int]] = {}
    for length, count, end in zip(lengths, counts, itertools.accumulate(lengths), strict=True):
        part = parts.setdefault(max(0, end - 1) * PARTS // total, [0, 0])
        part[0] += length
        part[1] += count
    return [(round(read * length / total), count) for length, count in parts.values()]
