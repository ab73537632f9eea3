"""How a model learns a token: what has to be there so that texts are encoded to it, and what it stood for before."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Protocol

import numpy as np

from ..see.linting.alone import Merging, Scoring
from .draft import Draft

#: The score of a new piece of Unigram is better by this much than that of its parts: sums of many scores are rounded.
MARGIN = 0.01
#: An unknown character of Unigram costs this much more than the rarest piece.
UNKNOWN = 10.0


class Unlearnable(Exception):
    """Why a token cannot be added to a model."""


class Growth(Protocol):
    """A model that learns tokens."""

    def learn(self, token: bytes, id: int | None) -> None:
        """Adds a token, under an id or the next one."""


def growth(draft: Draft, wanted: Mapping[bytes, int | None], stones: bool, scores: Mapping[str, float]) -> Growth:
    """The way in which the model of a draft learns. `wanted` has all tokens that it will be asked to learn."""
    family = draft.outline["family"]
    if family == "bpe":
        return BpeGrowth(draft, wanted, stones)
    if family == "unigram":
        return UnigramGrowth(draft, scores)
    return WholeGrowth(draft)


def fallback(draft: Draft, text: bytes) -> tuple[int, ...]:
    """The ids of text that no token stands for."""
    if draft.symbols["byte_fallback"]:
        found = [draft.ids.get(b"<0x%02X>" % byte) for byte in text]
        if None not in found:
            return tuple(id for id in found if id is not None)
    unk = draft.outline.get("unk")
    return () if unk is None else (unk,)


def sources_of(draft: Draft, id: int) -> tuple[int, ...]:
    """The old ids that an id stands for."""
    return (draft.origins[id],) if id in draft.origins else draft.sources[id]


class WholeGrowth:
    """Words, characters and WordPiece: a token is there, or it is not."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.subwords = draft.outline.get("subwords")
        self.old = {token: id for token, id in draft.ids.items() if id in draft.origins}

    def learn(self, token: bytes, id: int | None) -> None:
        draft = self.draft
        place = draft.size if id is None else id
        draft.put(place, token)
        draft.sources[place] = self._stood_for(token)

    def _stood_for(self, token: bytes) -> tuple[int, ...]:
        return tuple(self.row(token)) or fallback(self.draft, token)

    def row(self, token: bytes) -> list[int]:
        """The longest old tokens that a token's text is made of, other than itself; nothing if there are none."""
        if self.subwords is None:
            return []
        prefix = str(self.subwords["prefix"])
        text, found = token.decode(), list[int]()
        inner = bool(prefix) and text.startswith(prefix)
        rest = text.removeprefix(prefix) if inner else text
        while rest:
            mark = prefix if inner else ""
            known = ((end, self.old.get((mark + rest[:end]).encode())) for end in range(len(rest), 0, -1))
            end, id = next(((end, id) for end, id in known if id is not None and mark + rest[:end] != text), (0, None))
            if id is None:
                return []
            found.append(id)
            rest, inner = rest[end:], True
        return found


class UnigramGrowth:
    """Unigram: a piece needs a score that is better than that of every row of other pieces for its text.

    It gets hardly more than that, so that it takes the place of these rows and of little else. It never gets less than
    the rarest piece has: the score of unknown characters depends on that one.
    """

    def __init__(self, draft: Draft, scores: Mapping[str, float]) -> None:
        assert draft.scores is not None
        self.draft = draft
        self.given = scores
        ordinary = ordinary_pieces(draft)
        self.scoring = Scoring({token: draft.scores[id] for token, id in ordinary.items()})
        self.lowest = min(self.scoring.scores.values(), default=0.0)

    def learn(self, token: bytes, id: int | None) -> None:
        draft = self.draft
        text = token.decode()
        place = draft.size if id is None else id
        score, row = self.scoring.best(text, self.lowest - UNKNOWN)
        wanted = self.given.get(text, max(score + MARGIN, self.lowest))
        # Files hold scores of 32 bits.
        draft.put(place, token, float(np.float32(wanted)))
        draft.sources[place] = tuple(old for part in row for old in self._stood_for(part))
        self.scoring.scores[token] = float(np.float32(wanted))

    def _stood_for(self, part: bytes) -> tuple[int, ...]:
        known = part in self.scoring.scores
        return sources_of(self.draft, self.draft.ids[part]) if known else fallback(self.draft, part)


def ordinary_pieces(draft: Draft) -> dict[bytes, int]:
    """The tokens that the model makes of text: no controls, no bytes, no symbols of the user."""
    apart = {*(draft.pieces or {}).get("reserved", ()), *(draft.pieces or {}).get("user_defined", ())}
    apart |= {draft.outline.get("unk"), *(token["id"] for token in draft.added)}
    return {token: id for token, id in draft.ids.items() if id not in apart}


class BpeGrowth:
    """BPE: a token needs a merge of two others, which may need merges themselves.

    New merges come after all that there are. So a text whose old tokens they do not join stays as it was, and wherever
    the new token stands, the old ids that it stands for were those of the merges.
    """

    def __init__(self, draft: Draft, wanted: Mapping[bytes, int | None], stones: bool) -> None:
        self.draft = draft
        self.wanted = wanted
        self.stones = stones
        self.prefix = draft.symbols["prefix"].encode()
        self.merging = merging_of(draft)
        self.lowest = (
            min(map(draft.scores.__getitem__, ordinary_pieces(draft).values()), default=0.0) if draft.scores else 0.0
        )

    def learn(self, token: bytes, id: int | None) -> None:
        if token in self.draft.ids:
            return  # it was a stepping stone
        self._check(token)
        for unit in self.merging.units(token):
            if unit not in self.draft.ids:
                self._put(unit, fallback(self.draft, unit))
        if token in self.draft.ids:
            return
        parts = self.merging.merged(token)
        if len(parts) > 2 and not self.stones:
            self._learn_whole(token, parts)
            return
        while len(parts) > 1:
            self.join(parts[0], parts[1])
            parts = self.merging.merged(token)

    def _check(self, token: bytes) -> None:
        if self.draft.symbols["unit"] == "characters":
            try:
                token.decode()
            except UnicodeDecodeError:
                raise Unlearnable("it is not a text, and this model merges characters") from None

    def _learn_whole(self, token: bytes, parts: list[bytes]) -> None:
        if not self.draft.outline.get("whole_pieces"):
            named = " ".join(part.decode("utf-8", "replace") for part in parts)
            raise Unlearnable(f"it is merged from more than two tokens ({named}), and stepping stones are not wanted")
        ids = (sources_of(self.draft, self.draft.ids[part]) for part in parts)
        self._put(token, tuple(old for found in ids for old in found))

    def join(self, left: bytes, right: bytes) -> None:
        """Makes two tokens merge, with the lowest priority."""
        draft = self.draft
        made = left + right.removeprefix(self.prefix)
        if made in draft.ids and self.merging.by_result:
            raise Unlearnable(f"merging it needs {made.decode('utf-8', 'replace')!r}, which is not a token of text")
        if made not in draft.ids:
            both = (sources_of(draft, draft.ids[part]) for part in (left, right))
            self._put(made, tuple(old for found in both for old in found))
        elif draft.ids[made] in draft.origins:
            draft.remade.add(made)
        if draft.merges is not None:
            self.merging.learn(left, right, len(draft.merges))
            draft.merges.append((draft.ids[left], draft.ids[right]))

    def _next_id(self) -> int:
        """The next id that nobody has chosen for a token that is still to come."""
        chosen = {*self.wanted.values()}
        return next(id for id in itertools.count(self.draft.size) if id not in chosen)

    def _put(self, token: bytes, sources: tuple[int, ...]) -> None:
        """Adds a token, for its own sake or for that of a wanted one."""
        draft = self.draft
        given = self.wanted.get(token)
        id = self._next_id() if given is None else given
        self.lowest = below(self.lowest)
        draft.put(id, token, self.lowest)
        draft.sources[id] = sources
        if token not in self.wanted:
            draft.stones.add(id)
        if self.merging.by_result:
            # The rank of a token of tiktoken is its id; scores go down from one token to the next.
            rank = id if draft.merging == "concatenations" else len(self.merging.results)
            self.merging.results.setdefault(token, rank)


def merging_of(draft: Draft) -> Merging:
    """How the model of a draft merges the text of a token."""
    if draft.merges is not None:
        pairs = ((draft.tokens[left] or b"", draft.tokens[right] or b"") for left, right in draft.merges)
        return Merging(draft.symbols, False, pairs)
    merging = Merging(draft.symbols, True, ())
    ordinary = draft.ids if draft.merging == "concatenations" else ordinary_pieces(draft)
    scores = draft.scores
    rank = {id: id for id in ordinary.values()}
    if scores is not None:
        in_order = sorted(ordinary.values(), key=lambda id: (-scores[id], id))
        rank = {id: place for place, id in enumerate(in_order)}
    merging.results = {token: rank[id] for token, id in ordinary.items()}
    return merging


def below(score: float) -> float:
    """A lower score that 32 bits can hold."""
    lower = np.float32(math.floor(score) - 1)
    return float(lower if lower < score else np.nextafter(np.float32(score), np.float32(-np.inf)))
