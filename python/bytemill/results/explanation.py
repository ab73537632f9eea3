"""Explaining a tokenization: its pieces and, for BPE, every merge in order."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from .visible import text_of, visible

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

#: Pieces of up to this many symbols are written out after every merge; longer ones would fill the page.
WRITTEN_OUT = 24


@dataclasses.dataclass(frozen=True)
class MergeStep:
    """A merge: two neighbouring symbols become one."""

    rank: int
    left: str
    right: str
    made: str
    #: How many of the symbols that the piece started as stand to the left of it.
    position: int


@dataclasses.dataclass(frozen=True)
class ExplainedPiece:
    """A piece of the text, and how it became tokens."""

    text: str
    #: Its place in the original text, in characters.
    start: int
    end: int
    #: Whether it is an added token, which the model does not see.
    added: bool
    #: What it was before anything was merged; empty where nothing is merged.
    symbols: list[str]
    merges: list[MergeStep]
    tokens: list[str]
    ids: list[int]

    def states(self) -> Iterator[list[str]]:
        """Yields the symbols after each merge."""
        now = dict(enumerate(self.symbols))
        for merge in self.merges:
            now[merge.position] = merge.made
            del now[min(position for position in now if position > merge.position)]
            yield list(now.values())

    def __str__(self) -> str:
        kind = ", an added token" if self.added else ""
        lines = [f"{visible(self.text)}  ({self.start} to {self.end}{kind})"]
        if self.symbols:
            lines.append("  " + _row(self.symbols))
        states = self.states() if len(self.symbols) <= WRITTEN_OUT else None
        steps = [f"{visible(step.left)} + {visible(step.right)}" for step in self.merges]
        width = max(map(len, steps), default=0)
        for step, shown in zip(self.merges, steps, strict=True):
            after = _row(next(states)) if states else f"{visible(step.made)} at {step.position}"
            lines.append(f"  rank {step.rank:<6} {shown:{width}}  →  {after}")
        found = "  ".join(f"{visible(token)} {id}" for token, id in zip(self.tokens, self.ids, strict=True))
        lines.append(f"  = {found or 'nothing'}")
        return "\n".join(lines)


@dataclasses.dataclass(frozen=True)
class Explanation:
    """How a text becomes its ids: its `pieces`, each with its merges. `print` shows it step by step."""

    pieces: list[ExplainedPiece]

    @property
    def ids(self) -> list[int]:
        """The ids of the text."""
        return [id for piece in self.pieces for id in piece.ids]

    @property
    def tokens(self) -> list[str]:
        """The tokens of the text."""
        return [token for piece in self.pieces for token in piece.tokens]

    def to_html(self) -> str:
        """A page that replays the merges as a film, in the order of encoding or of training; it needs nothing else."""
        from ..see.film import film

        return film(self)

    def __str__(self) -> str:
        return "\n".join(map(str, self.pieces))

    def _repr_html_(self) -> str:
        from ..see.film import explanation_body

        return explanation_body(self)


def explained(tok: Tokenizer, pieces: Iterable[tuple[Any, ...]]) -> Explanation:
    """What the core found, with tokens in place of ids."""

    def token(id: int) -> str:
        return text_of(tok.id_to_bytes(id) or b"")

    def step(rank: int, left: int, right: int, made: int, position: int) -> MergeStep:
        return MergeStep(rank, token(left), token(right), token(made), position)

    return Explanation(
        [
            ExplainedPiece(
                text=text,
                start=start,
                end=end,
                added=added,
                symbols=[token(id) for id in symbols],
                merges=[step(*merge) for merge in merges],
                tokens=[token(id) for id in ids],
                ids=ids,
            )
            for text, (start, end), added, symbols, merges, ids in pieces
        ]
    )


def _row(symbols: list[str]) -> str:
    return " ".join(map(visible, symbols))
