"""Segmentation: one of the ways to write a text in tokens; and the file that says which tokens are in use."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ..errors import FormatError


class Segmentation(NamedTuple):
    """One way to split a text into tokens: its ids and its score, which is the logarithm of a probability."""

    ids: list[int]
    score: float


def frequent_pieces(path: Path, threshold: int | None) -> list[str]:
    """The pieces of a vocabulary file that were met at least so often; a piece without a count was met once."""
    pieces = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        piece, *counts = line.removesuffix("\r").split("\t")
        if not piece and not counts:
            continue
        try:
            count = int(counts[0]) if counts else 1
        except ValueError:
            raise FormatError(f"{path}: line {number}: {counts[0]!r} is no count of {piece!r}") from None
        if threshold is None or count >= threshold:
            pieces.append(piece)
    return pieces
