"""Edit: a new tokenizer, the report about it, and where the rows of its embedding matrix come from."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .._arguments.types import AnyPath
from ..errors import SpecError
from ..loading import load
from ..see.linting.subject import Subject
from ..see.texts import Batch, read_texts
from ..tokenizer import Tokenizer
from ..training.sources import Caller, Source
from .draft import Draft, shown
from .embedding import EmbeddingMap
from .reach import Reach, leads_to, reach, witnessed, witnesses
from .report import Report, measure, spelling


@dataclass(frozen=True)
class Edit:
    """What every operation returns.

    Attributes:
        tokenizer: The new tokenizer. The old one stays as it is.
        report: What was done, which texts change, and which tokens are reached.
        embedding_map: The old id of each new id, or the old ids that a new token stood for.
        other_map: The same for the ids of the second tokenizer, if two were merged.
    """

    tokenizer: Tokenizer
    report: Report
    embedding_map: EmbeddingMap
    other_map: EmbeddingMap | None = None

    def __str__(self) -> str:
        return str(self.report)


@dataclass
class Notes:
    """What an operation knows beyond the draft itself.

    Attributes:
        touched: Tokens such that a text keeps its ids if it spells none of them; None if any text may change.
        kept: Tokens that were to go and stay, each with the reason.
        left_out: Tokens that were to be added and were not, each with the reason.
        renamed: Names of special tokens, old and new.
    """

    touched: set[bytes] | None = field(default_factory=set)
    kept: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)


def opened(tokenizer: Tokenizer | AnyPath) -> Tokenizer:
    """A tokenizer, or the file or name of one."""
    if isinstance(tokenizer, Tokenizer):
        return tokenizer
    if not isinstance(tokenizer, (str, os.PathLike)):
        raise TypeError(f"a tokenizer is a Tokenizer, a path or a name, not {type(tokenizer).__name__}")
    return load(tokenizer)


def batches(on: Source) -> Iterator[Batch]:
    """The texts that an edit looks at."""
    return read_texts(on, Caller("surgery", "look at", "looked at"))


def counted(tok: Tokenizer, texts: Source) -> NDArray[np.int64]:
    """How often texts have each id."""
    counts = np.zeros(tok.vocab_size, dtype=np.int64)
    for _, batch in batches(texts):
        counts += np.bincount(tok.encode_batch(batch, specials="none").ids, minlength=len(counts))
    return counts


def repeatable(on: Source) -> Source:
    """Texts that can be read more than once."""
    return [*on] if isinstance(on, Iterator) else on


def finished(draft: Draft, notes: Notes, on: Source | None) -> Edit:
    """The edit that a draft stands for."""
    _refuse_gaps(draft)
    before, after = draft.old, draft.build()
    moved = EmbeddingMap.of((before.vocab_size, after.vocab_size), draft.origins, draft.sources)
    found = reach(after)
    reached = Reached(draft, after, found)
    new = {id: shown(draft.token(id) or b"") for id in draft.present() if id not in draft.origins}
    old_tokens = {id: before.id_to_token(id) or "" for id in range(before.vocab_size)}
    there = {*draft.origins.values()}
    report = Report(
        before=before,
        after=after,
        embedding_map=moved,
        added=new,
        stepping_stones={id: token for id, token in new.items() if id in draft.stones},
        removed={id: token for id, token in old_tokens.items() if token and id not in there},
        kept=notes.kept,
        left_out=notes.left_out,
        renamed=notes.renamed,
        reach=found,
        lost=reached.lost(),
        gained=reached.gained(),
        spellings=_spellings(draft, after, notes.touched),
        on_texts=None if on is None else measure(before, after, moved, batches(on)),
    )
    return Edit(after, report, moved)


def _refuse_gaps(draft: Draft) -> None:
    """Files of Unigram and SentencePiece are lists, in which the place of a piece is its id."""
    gaps = {*range(draft.size)} - {*draft.present()}
    if draft.scores is not None and gaps:
        raise SpecError(
            f"the id {min(gaps)} would have no token, and a Unigram or SentencePiece vocabulary has no gaps; "
            'choose ids without a gap, or use ids="compact"'
        )


def _spellings(draft: Draft, after: Tokenizer, touched: set[bytes] | None) -> frozenset[bytes] | None:
    """What a text spells that changes: one of these. None if any text may change."""
    if touched is None:
        return None
    subjects = (Subject(draft.old), Subject(after))
    names = {name.encode() for subject in subjects for name in subject.tok.added_tokens}
    for token in touched - names:
        if any(subject.leaves_out or subject.has_stand_ins(token) for subject in subjects):
            return None
    prefix = str((draft.outline.get("subwords") or draft.symbols)["prefix"])
    return frozenset(spelling(token, prefix, draft.symbols["suffix"]) for token in touched)


class Reached:
    """Which old tokens texts were found for before an edit, beside those for which texts are found after it.

    Both are found by the texts of a whole vocabulary, which are other texts when its tokens are others. So a token that
    is found on one side only counts as lost or gained if the text that leads to it there does not on the other.
    """

    def __init__(self, draft: Draft, after: Tokenizer, found: Reach) -> None:
        self.old, self.new = Subject(draft.old), after
        self.found = found
        self.old_ids = draft.origins
        self.before = witnessed(self.old, self.old.ordinary)

    def gained(self) -> dict[int, str]:
        """Tokens that are reached after the edit and were not before: their new ids with the tokens."""
        known = ((id, self.old_ids.get(id, -1)) for id in sorted(self.found.reached))
        new = {id: old for id, old in known if old in self.old.ordinary and old not in self.before}
        texts = witnesses(Subject(self.new), new)
        held = {id for id, text in texts.items() if leads_to(self.old.tok, text, new[id])}
        return {id: shown(self.old.ordinary[old]) for id, old in new.items() if id not in held}

    def lost(self) -> dict[int, str]:
        """Tokens that were reached before the edit and are not any more: their new ids, each with the reason."""
        why = {**dict.fromkeys(self.found.undecided, "no text was found that leads to it"), **self.found.unreachable}
        gone = {id: self.old_ids[id] for id in sorted(why) if self.old_ids.get(id, -1) in self.before}
        texts = witnesses(self.old, {old for id, old in gone.items() if id in self.found.undecided})
        held = {id for id, old in gone.items() if old in texts and leads_to(self.new, texts[old], id)}
        return {id: why[id] for id in gone if id not in held}
