"""Report: what an edit did to a tokenizer, which texts change their ids, and which tokens are reached after it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .._arguments.types import Specials, Text
from ..errors import BytemillError
from ..results.visible import visible
from ..see.texts import Batch
from ..tokenizer import Tokenizer
from .embedding import EmbeddingMap
from .reach import Reach

#: Examples in the text of a report.
EXAMPLES = 5


@dataclass(frozen=True)
class OnTexts:
    """What an edit does on given texts.

    Attributes:
        documents: The number of documents.
        changed: The number of documents whose ids change, other than by the new numbers of tokens that stay.
        bytes: The size of the texts in UTF-8.
        tokens_before: The number of ids that the old tokenizer gives.
        tokens_after: The number of ids that the new tokenizer gives.
    """

    documents: int
    changed: int
    bytes: int
    tokens_before: int
    tokens_after: int

    @property
    def bytes_per_token_before(self) -> float:
        """Bytes of text for each token of the old tokenizer."""
        return self.bytes / self.tokens_before if self.tokens_before else 0.0

    @property
    def bytes_per_token_after(self) -> float:
        """Bytes of text for each token of the new tokenizer."""
        return self.bytes / self.tokens_after if self.tokens_after else 0.0


@dataclass(frozen=True)
class Report:
    """What an edit did.

    Attributes:
        before: The old tokenizer.
        after: The new tokenizer.
        added: The new ids with their tokens.
        stepping_stones: Those of the new ids that nobody asked for: other tokens are merged from them.
        removed: The old ids that are gone, with their tokens.
        kept: Tokens that were to be removed and stay, each with the reason.
        left_out: Tokens that were to be added and were not, each with the reason.
        renamed: The old names of special tokens with the new ones.
        moved: The number of tokens that have another id.
        reach: Which tokens of the new tokenizer are reached.
        lost: Tokens that were reached before and are not any more: their new ids, each with the reason.
        gained: Tokens that are reached and were not before: their new ids with the tokens.
        on_texts: What changes on the texts that were given.
        spellings: A text in which none of these occurs keeps its ids; None if any text may change.
    """

    before: Tokenizer = field(repr=False)
    after: Tokenizer = field(repr=False)
    embedding_map: EmbeddingMap = field(repr=False)
    added: Mapping[int, str]
    stepping_stones: Mapping[int, str]
    removed: Mapping[int, str]
    kept: Mapping[str, str]
    left_out: Mapping[str, str]
    renamed: Mapping[str, str]
    reach: Reach
    lost: Mapping[int, str]
    gained: Mapping[int, str]
    spellings: frozenset[bytes] | None = field(repr=False)
    on_texts: OnTexts | None = None

    @property
    def moved(self) -> int:
        """The number of tokens that have another id."""
        new = self.embedding_map.new_ids
        return int(np.count_nonzero((new >= 0) & (new != np.arange(len(new)))))

    def changes(self, text: Text, *, specials: Specials = None) -> bool:
        """Says exactly whether a text changes: whether its new ids are others than its old ones, renumbered."""
        before, after = (outcome(tok, text, specials) for tok in (self.before, self.after))
        if before is None or after is None:
            return before is not after
        return not np.array_equal(self.embedding_map.move(before), after)

    def may_change(self, text: str) -> bool:
        """Says False only if the text keeps its ids; looks at the text alone and encodes nothing."""
        if self.spellings is None:
            return True
        seen = (text, self.before.normalize(text), self.after.normalize(text))
        return any(self._spelling.search(plain(one.encode())) for one in seen)

    @cached_property
    def _spelling(self) -> re.Pattern[bytes]:
        spelt = sorted(self.spellings or (), key=len)
        return re.compile(b"|".join(map(re.escape, spelt)) if spelt else rb"(?!)")

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON has it."""
        found: dict[str, Any] = {
            "vocab_size": {"before": self.before.vocab_size, "after": self.after.vocab_size},
            "fingerprint": {"before": self.before.fingerprint, "after": self.after.fingerprint},
            "added": {str(id): token for id, token in self.added.items()},
            "stepping_stones": {str(id): token for id, token in self.stepping_stones.items()},
            "removed": {str(id): token for id, token in self.removed.items()},
            "kept": {**self.kept},
            "left_out": {**self.left_out},
            "renamed": {**self.renamed},
            "moved": self.moved,
            "reached": len(self.reach.reached),
            "unreachable": {str(id): reason for id, reason in self.reach.unreachable.items()},
            "undecided": sorted(self.reach.undecided),
            "lost": {str(id): reason for id, reason in self.lost.items()},
            "gained": {str(id): token for id, token in self.gained.items()},
        }
        if self.on_texts is not None:
            measured = self.on_texts
            found["on_texts"] = {
                **vars(measured),
                "bytes_per_token_before": measured.bytes_per_token_before,
                "bytes_per_token_after": measured.bytes_per_token_after,
            }
        return found

    def __str__(self) -> str:
        rows = {"tokens": f"{self.before.vocab_size:,} → {self.after.vocab_size:,}"}
        named: dict[str, Iterable[str]] = {
            "added": map(visible, self.added.values()),
            "stepping stones": map(visible, self.stepping_stones.values()),
            "removed": map(visible, self.removed.values()),
            "kept": map(visible, self.kept),
            "left out": map(visible, self.left_out),
            "renamed": (f"{visible(old)} → {visible(new)}" for old, new in self.renamed.items()),
        }
        rows |= {name: text for name, tokens in named.items() if (text := _some(tokens))}
        if self.moved:
            rows["moved"] = f"{self.moved:,} tokens have another id"
        reach = self.reach
        rows["reached"] = f"{len(reach.reached):,} tokens; {len(reach.unreachable):,} are unreachable"
        if reach.undecided:
            rows["reached"] += f", {len(reach.undecided):,} undecided"
        if self.lost:
            rows["lost"] = _some(visible(self.after.id_to_token(id) or "") for id in self.lost)
        if self.gained:
            rows["gained"] = _some(map(visible, self.gained.values()))
        if self.on_texts is not None:
            rows |= _measured(self.on_texts)
        return "\n".join(f"{name:16}{value}" for name, value in rows.items())


def _some(tokens: Iterable[str]) -> str:
    listed = [*tokens]
    if not listed:
        return ""
    examples = "  ".join(listed[:EXAMPLES])
    return f"{len(listed):,}: {examples}" + (" …" if len(listed) > EXAMPLES else "")


def _measured(found: OnTexts) -> dict[str, str]:
    return {
        "texts": f"{found.changed:,} of {found.documents:,} change",
        "bytes/token": f"{found.bytes_per_token_before:.3f} → {found.bytes_per_token_after:.3f}",
    }


def plain(text: bytes) -> bytes:
    """A text in which marks are spaces: stages may turn one into the other."""
    return text.replace("▁".encode(), b" ")


def spelling(token: bytes, prefix: str, suffix: str) -> bytes:
    """What every text has that is encoded to a token: its text without marks, and without spaces at its ends."""
    return plain(token.removeprefix(prefix.encode()).removesuffix(suffix.encode())).strip()


def outcome(tok: Tokenizer, text: Text, specials: Specials) -> list[int] | None:
    """The ids of a text; None if the tokenizer refuses it."""
    try:
        return tok.encode(text, specials=specials)
    except BytemillError:
        return None


def measure(before: Tokenizer, after: Tokenizer, moved: EmbeddingMap, batches: Iterable[Batch]) -> OnTexts:
    """Encodes texts with both tokenizers. Special tokens in them are plain text."""
    documents = changed = size = tokens_before = tokens_after = 0
    for _, texts in batches:
        old, new = (tok.encode_batch(texts, specials="none") for tok in (before, after))
        for left, right in zip(old, new, strict=True):
            changed += not np.array_equal(moved.move(left), right)
        documents += len(texts)
        size += sum(len(text.encode()) for text in texts)
        tokens_before += len(old.ids)
        tokens_after += len(new.ids)
    return OnTexts(documents, changed, size, tokens_before, tokens_after)
