"""`prune`: the tokens that are most useful on given texts, or those of some scripts, and no others."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from .._arguments import checks
from .._arguments.amounts import vocabulary_size
from .._arguments.names import did_you_mean
from .._arguments.types import AnyPath
from ..errors import SpecError
from ..see.linting.alone import Scoring
from ..see.scripts import every_script, script_of
from ..tokenizer import Tokenizer
from ..training.sources import Source
from .derivations import parents_of
from .draft import Draft
from .edit import Edit, Notes, counted, finished, opened, repeatable
from .growing import UNKNOWN, WholeGrowth, ordinary_pieces
from .outlines import needed_for
from .removing import Ids, base, remove


def prune(
    tokenizer: Tokenizer | AnyPath,
    on: Source | None = None,
    *,
    vocab_size: int | str | None = None,
    min_count: int | None = None,
    scripts: Iterable[str] | None = None,
    characters: bool = True,
    ids: Ids = "compact",
) -> Edit:
    """Removes the tokens that given texts need least, or those of other scripts.

    How much a token is needed is the number of tokens that the texts would have more without it: each time that it
    occurs, its parts stand in its place. For BPE, a token that others are merged from stays as long as they do.
    Special tokens, single bytes and tokens that the template needs always stay.

    Args:
        tokenizer: A tokenizer, or the file or name of one.
        on: Texts like those that the tokenizer is for: a path, a list of `Path`, or an iterable of `str`.
        vocab_size: The number of tokens to keep, special tokens included. `"32k"` is 32,000.
        min_count: Remove tokens that occur less often than this in the texts.
        scripts: Remove tokens with letters of other scripts than these, such as `["Latin", "Greek"]`. Parts of
            characters stay if tokens that stay are merged from them.
        characters: Keep all single characters, except letters of other scripts. False removes those that the texts do
            not need, which then become unknown, or bytes.
        ids: `"compact"` gives the ids that become free to the tokens after them; `"keep"` leaves all ids as they are.

    Examples:
        >>> import bytemill
        >>> tok = bytemill.train(["low lower lowest", "new newer"] * 9, bytemill.BPE(265), progress=False)
        >>> edit = bytemill.surgery.prune(tok, ["low low lowest"], vocab_size=260)
        >>> [*edit.tokenizer.vocab()][256:]
        ['lo', 'we', ' lo', 'st']
    """
    tok = opened(tokenizer)
    size = vocabulary_size("vocab_size", vocab_size)
    least = checks.optional_whole_number("min_count", min_count, least=1)
    checks.flag("characters", characters)
    numbering = checks.one_of("ids", ids, get_args(Ids))
    if size is None and least is None and scripts is None:
        raise SpecError("say what to keep: vocab_size=, min_count= or scripts=")
    if on is None and (size is not None or least is not None):
        raise SpecError("vocab_size and min_count count tokens in texts: pass on=")
    texts = None if on is None else repeatable(on)
    draft = Draft(tok)
    foreign = Foreign(draft, _scripts(scripts))
    fixed = {id for id in draft.present() if _stays(draft, id, characters) and not foreign.is_foreign(id)}
    counts = np.zeros(tok.vocab_size, dtype=np.int64) if texts is None else counted(tok, texts)
    pruner = MergePruner(draft, counts) if tok.family == "bpe" else RowPruner(draft, counts)
    gone = pruner.remove_foreign({*foreign.ids} - fixed)
    limit = Limit(fixed, len(draft.present()), size, least)
    gone |= pruner.remove_least(gone, limit)
    if size is not None and len(draft.present()) - len(gone) > size:
        kept = len(draft.present()) - len(gone)
        raise SpecError(
            f"vocab_size={size:,} is too small: {kept:,} tokens must stay (special tokens, bytes, characters)"
        )
    notes = Notes()
    remove(draft, gone, notes, numbering)
    return finished(draft, notes, texts)


def _scripts(names: Iterable[str] | None) -> set[str] | None:
    if names is None:
        return None
    wanted = {name.title() for name in checks.list_of_texts("scripts", names)}
    if not wanted:
        raise SpecError("scripts is empty; name the scripts to keep, such as Latin")
    for name in sorted(wanted - every_script()):
        raise SpecError(f"there is no script named {name!r}{did_you_mean(name, every_script())}")
    return wanted


def _stays(draft: Draft, id: int, characters: bool) -> bool:
    """Whether a token stays whatever texts say."""
    pieces = draft.pieces or {"reserved": (), "user_defined": ()}
    if draft.added_at(id) is not None or id in pieces["reserved"] or id in pieces["user_defined"]:
        return True
    if needed_for(draft.outline, id) is not None or base(draft, id) is not None:
        return True
    return characters and draft.outline["family"] != "word" and len(text_of_token(draft, id) or "") == 1


def text_of_token(draft: Draft, id: int) -> str | None:
    """The text of a token without the marks of its model; None for a part of a character."""
    prefix = str((draft.outline.get("subwords") or draft.symbols)["prefix"])
    try:
        text = (draft.token(id) or b"").decode()
    except UnicodeDecodeError:
        return None
    bare = text.removeprefix(prefix).removesuffix(draft.symbols["suffix"])
    return bare or text


class Foreign:
    """Tokens with letters of other scripts than those that are wanted."""

    def __init__(self, draft: Draft, wanted: set[str] | None) -> None:
        self.draft = draft
        self.wanted = wanted
        self.ids = [] if wanted is None else [id for id in ordinary_pieces(draft).values() if self.is_foreign(id)]

    def is_foreign(self, id: int) -> bool:
        if self.wanted is None or self.draft.added_at(id) is not None:
            return False
        text = text_of_token(self.draft, id)
        if text is None:
            # A part of a character of several bytes; single bytes are kept for another reason.
            return len(self.draft.token(id) or b"") > 1
        return any(script and script not in self.wanted for script in map(script_of, text))


class Limit:
    """When to stop: tokens that must stay, and how many or how useful ones."""

    def __init__(self, fixed: Collection[int], present: int, size: int | None, least: int | None) -> None:
        self.fixed = fixed
        self.present = present
        self.size = size
        self.least = least

    def asks_for_more(self, gone: int, use: int) -> bool:
        """Whether the next token is to go, which is used so often."""
        too_many = self.size is not None and self.present - gone > self.size
        return too_many or (self.least is not None and use < self.least)


class MergePruner:
    """BPE: a token goes when nothing is merged from it any more; its uses become uses of its two parts."""

    def __init__(self, draft: Draft, counts: NDArray[np.int64]) -> None:
        self.draft = draft
        self.use = counts.tolist()
        self.parents = parents_of(draft)
        self.children = Counter(parent for pair in self.parents.values() for parent in {*pair})

    def remove_foreign(self, foreign: Collection[int]) -> set[int]:
        """Removes tokens that no token which stays is merged from."""
        gone: set[int] = set()
        waiting = [id for id in foreign if not self.children[id]]
        while waiting:
            id = waiting.pop()
            gone.add(id)
            waiting += [parent for parent in self._take(id) if parent in foreign and parent not in gone]
        return gone

    def remove_least(self, gone: Collection[int], limit: Limit) -> set[int]:
        free = {*self.draft.ids.values()} - {*limit.fixed} - {*gone}
        heap = [(self.use[id], -id) for id in free if not self.children[id]]
        heapq.heapify(heap)
        found: set[int] = set()
        while heap and limit.asks_for_more(len(gone) + len(found), heap[0][0]):
            use, negative = heapq.heappop(heap)
            id = -negative
            if id in found or use != self.use[id]:
                continue
            found.add(id)
            for parent in self._take(id):
                if parent in free:
                    heapq.heappush(heap, (self.use[parent], -parent))
        return found

    def _take(self, id: int) -> list[int]:
        """Takes a token away, and gives its parents that nothing is merged from now."""
        pair = self.parents.get(id, ())
        for parent in pair:
            self.use[parent] += self.use[id]
        for parent in {*pair}:
            self.children[parent] -= 1
        return [parent for parent in {*pair} if not self.children[parent]]


class RowPruner:
    """Unigram, WordPiece, words: tokens do not need one another."""

    def __init__(self, draft: Draft, counts: NDArray[np.int64]) -> None:
        self.draft = draft
        self.counts = counts
        self.model: Any = None

    def remove_foreign(self, foreign: Collection[int]) -> set[int]:
        return {*foreign}

    def remove_least(self, gone: Collection[int], limit: Limit) -> set[int]:
        free = {*ordinary_pieces(self.draft).values()} - {*limit.fixed} - {*gone}
        found: set[int] = set()
        if limit.least is not None:
            found = {id for id in free if self.counts[id] < limit.least}
        ranked = sorted((self._saved(id), -id) for id in free - found)
        for _, negative in ranked:
            if limit.size is None or limit.present - len(gone) - len(found) <= limit.size:
                break
            found.add(-negative)
        return found

    def _saved(self, id: int) -> int:
        """How many tokens more the texts would have without a token."""
        count = int(self.counts[id])
        return count * (self._parts(self.draft.tokens[id] or b"") - 1) if count else 0

    def _parts(self, token: bytes) -> int:
        if self.draft.outline["family"] == "unigram":
            self.model = self.model or _scoring(self.draft)
            scoring, unknown = self.model
            return len(scoring.best(token.decode(), unknown)[1])
        self.model = self.model or WholeGrowth(self.draft)
        # A word that becomes unknown costs no tokens, and everything else.
        return len(self.model.row(token)) or 1 + len(token)


def _scoring(draft: Draft) -> tuple[Scoring, float]:
    assert draft.scores is not None
    scores = {token: draft.scores[id] for token, id in ordinary_pieces(draft).items()}
    return Scoring(scores), min(scores.values(), default=0.0) - UNKNOWN
