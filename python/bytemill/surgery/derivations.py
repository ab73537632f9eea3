"""Which two tokens of BPE each token is merged from, and what is left of that when tokens go."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from itertools import pairwise

from ..see.linting.alone import Merging
from .draft import Draft
from .growing import merging_of


def parents_of(draft: Draft) -> dict[int, tuple[int, int]]:
    """The two tokens that each token is merged from last. What merging does not make has no entry.

    These are the same wherever the token stands: no merge crossed its borders, so its own text says all.
    """
    listed = defaultdict(list)
    for left, right in _pairs(draft):
        made = draft.made((left, right))
        if made is not None:
            listed[made].append((left, right))
    merging = None
    found: dict[int, tuple[int, int]] = {}
    for id, pairs in listed.items():
        if len(pairs) == 1:
            found[id] = pairs[0]
            continue
        merging = merging or merging_of(draft)
        last = last_pair(merging, draft.tokens[id] or b"")
        if last is not None:
            found[id] = (draft.ids[last[0]], draft.ids[last[1]])
    return found


def _pairs(draft: Draft) -> Iterable[tuple[int, int]]:
    if draft.merges is not None:
        return draft.merges
    # Where any two tokens merge whose text together is a token, the old tokenizer has listed them.
    both = ((draft.ids.get(left), draft.ids.get(right)) for left, right in draft.old.merges() or ())
    return ((left, right) for left, right in both if left is not None and right is not None)


def last_pair(merging: Merging, token: bytes) -> tuple[bytes, bytes] | None:
    """The last two tokens that become one when a token's text is merged; None if it does not become that token."""
    now = merging.units(token)
    while len(now) > 1:
        ranks = [merging.rank(left, right) for left, right in pairwise(now)]
        known = [rank for rank in ranks if rank is not None]
        if not known:
            return None
        place = ranks.index(min(known))
        left, right = now[place], now[place + 1]
        now[place : place + 2] = [left + right.removeprefix(merging.prefix)]
        if len(now) == 1:
            return left, right
    return None


def needed_by(draft: Draft, gone: Collection[int]) -> dict[int, int]:
    """Those of some tokens that others are merged from, which stay: each with one of them."""
    parents = parents_of(draft)
    lost = {*gone}
    found: dict[int, int] = {}
    # A token that has to stay needs its own parents: the longest first.
    for id in sorted(parents, key=lambda id: -len(draft.tokens[id] or b"")):
        if id not in lost or id in found:
            for parent in parents[id]:
                if parent in lost:
                    found.setdefault(parent, id)
    return found


def dependents(draft: Draft, gone: Collection[int]) -> set[int]:
    """The tokens that merging no longer makes without some others: they go with them."""
    lost = {*gone}
    parents = parents_of(draft)
    left = Remaining(draft, lost)
    # A token is made of shorter ones, of which all is known by then.
    for id in sorted(parents, key=lambda id: len(draft.tokens[id] or b"")):
        if id not in lost and not lost.isdisjoint(parents[id]) and not left.makes(draft.tokens[id] or b""):
            lost.add(id)
            left.lose(id)
    return lost - {*gone}


class Remaining(Merging):
    """How a draft merges without some of its tokens."""

    def __init__(self, draft: Draft, lost: Collection[int]) -> None:
        whole = merging_of(draft)
        super().__init__(draft.symbols, whole.by_result, ())
        self.results, self.pairs = whole.results, whole.pairs
        self.draft = draft
        self.lost: set[bytes] = set()
        for id in lost:
            self.lose(id)

    def lose(self, id: int) -> None:
        """A token is neither made nor merged any more."""
        if id < len(self.draft.tokens):
            self.lost.add(self.draft.tokens[id] or b"")

    def rank(self, left: bytes, right: bytes) -> int | None:
        if left + right.removeprefix(self.prefix) in self.lost:
            return None
        return super().rank(left, right)

    def makes(self, token: bytes) -> bool:
        """Whether merging a token's text gives the token."""
        known = all(unit in self.draft.ids and unit not in self.lost for unit in self.units(token))
        return known and self.merged(token) == [token]
