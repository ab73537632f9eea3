"""Draft: a tokenizer as plain data that can be changed, with the old id of everything that is left of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from .. import _core
from ..results.visible import text_of
from ..tokenizer import Tokenizer, _made
from .outlines import renumbered
from .trainer_spec import updated

#: A token, as a message or a report shows it.
shown = text_of


class Draft:
    """Everything that a `.mill.json` says, and where each id comes from.

    Attributes:
        old: The tokenizer that is edited.
        settings: What the files beside it say.
        outline: Everything but the vocabulary.
        tokens: The model's token of each id; None where it has none.
        merges: The pairs of ids of BPE that lists its merges, the highest priority first; otherwise None.
        scores: The score of each token of Unigram and of SentencePiece; otherwise None.
        origins: The old id of each id that the old tokenizer had.
        sources: The old ids that each other token stood for.
        stones: The ids of tokens that nobody asked for: others are merged from them.
        remade: Old tokens that new merges make: texts may be encoded to them that were not before.
    """

    def __init__(self, old: Tokenizer) -> None:
        content = json.loads(old.to_bytes("mill.json"))
        self.old = old
        self.settings = old.settings
        self.outline: dict[str, Any] = content["definition"]
        self.tokens: list[bytes | None] = [None if token is None else _bytes_of(token) for token in content["vocab"]]
        self.merges: list[tuple[int, int]] | None = (
            [*map(tuple, content["merges"])] if content.get("merges") is not None else None
        )
        self.scores: list[float] | None = (
            [*map(float, content["scores"])] if content.get("scores") is not None else None
        )
        self.ids = {token: id for id, token in enumerate(self.tokens) if token is not None}
        self.origins = {id: id for id in (*self.ids.values(), *(token["id"] for token in self.added))}
        self.sources: dict[int, tuple[int, ...]] = {}
        self.stones: set[int] = set()
        self.remade: set[bytes] = set()

    @property
    def added(self) -> list[dict[str, Any]]:
        """The tokens that are found in a text before the model sees it."""
        found: list[dict[str, Any]] = self.outline["added"]
        return found

    @property
    def pieces(self) -> dict[str, Any] | None:
        """What a SentencePiece model says about its pieces."""
        return self.outline.get("sentencepiece")

    @property
    def symbols(self) -> dict[str, Any]:
        """What BPE and Unigram start from."""
        default = {"unit": "bytes", "prefix": "", "suffix": "", "byte_fallback": False}
        return {**default, **self.outline.get("symbols", {})}

    @property
    def merging(self) -> str:
        """Which pairs merge: `"pairs"`, `"concatenations"` (tiktoken) or `"scores"` (SentencePiece)."""
        return str(self.outline.get("merging", "pairs"))

    @property
    def size(self) -> int:
        """One more than the largest id."""
        return max([len(self.tokens), *(int(token["id"]) + 1 for token in self.added)])

    def added_at(self, id: int) -> dict[str, Any] | None:
        """The added token of an id."""
        return next((token for token in self.added if token["id"] == id), None)

    def token(self, id: int) -> bytes | None:
        """The token of an id, added tokens first."""
        added = self.added_at(id)
        if added is not None:
            return str(added["content"]).encode()
        return self.tokens[id] if id < len(self.tokens) else None

    def id_of(self, token: bytes) -> int | None:
        """The id of a token, added tokens first."""
        text = token.decode("utf-8", "replace")
        added = next((one["id"] for one in self.added if one["content"] == text), None)
        return self.ids.get(token) if added is None else int(added)

    def put(self, id: int, token: bytes, score: float = 0.0) -> None:
        """Gives an id without a token to a token of the model."""
        while len(self.tokens) <= id:
            self.tokens.append(None)
            if self.scores is not None:
                self.scores.append(0.0)
        self.tokens[id] = token
        self.ids[token] = id
        if self.scores is not None:
            self.scores[id] = score

    def drop(self, gone: Iterable[int]) -> None:
        """Takes tokens away, from the model and from those that are added, with the merges that need them."""
        lost = {*gone}
        for id in lost:
            if id < len(self.tokens) and (token := self.tokens[id]) is not None:
                self.tokens[id] = None
                del self.ids[token]
            self.origins.pop(id, None)
            self.sources.pop(id, None)
            self.stones.discard(id)
        self.outline["added"] = [token for token in self.added if token["id"] not in lost]
        if self.merges is not None:
            self.merges = [pair for pair in self.merges if lost.isdisjoint(pair) and self.made(pair) is not None]
        for holder in (self.pieces or {}, self.outline.get("roles") or {}):
            for name, ids in [*holder.items()]:
                if isinstance(ids, list):
                    holder[name] = [id for id in ids if id not in lost]
                elif isinstance(ids, int) and ids in lost:
                    del holder[name]
        while self.tokens and self.tokens[-1] is None:
            self.tokens.pop()
            if self.scores is not None:
                self.scores.pop()

    def made(self, pair: tuple[int, int]) -> int | None:
        """The id of what a pair of ids merges into."""
        left, right = (self.tokens[id] for id in pair)
        if left is None or right is None:
            return None
        return self.ids.get(left + right.removeprefix(self.symbols["prefix"].encode()))

    def renumber(self, new: Mapping[int, int]) -> None:
        """Gives every id that is there another one; `new` has all of them."""
        before = [*zip(self.tokens, self.scores or [0.0] * len(self.tokens), strict=True)]
        self.outline = renumbered(self.outline, new)
        self.merges = None if self.merges is None else [(new[left], new[right]) for left, right in self.merges]
        self.tokens, self.ids = [], {}
        self.scores = None if self.scores is None else []
        for id, (token, score) in enumerate(before):
            if token is not None:
                self.put(new[id], token, score)
        self.origins = {new[id]: old for id, old in self.origins.items()}
        self.sources = {new[id]: old for id, old in self.sources.items()}
        self.stones = {new[id] for id in self.stones}

    def learned(self) -> set[bytes]:
        """The tokens that a text must spell to be encoded otherwise than before the model has learned."""
        return {self.tokens[id] or b"" for id in self.sources} | self.remade

    def present(self) -> list[int]:
        """Every id that has a token, in order."""
        return sorted({*self.ids.values(), *(token["id"] for token in self.added)})

    def build(self) -> Tokenizer:
        """The tokenizer of the draft."""
        outline = {**self.outline, "training": None}
        if self.pieces is not None:
            # Its texts may have other pieces now.
            outline["sentencepiece"] = {**updated(self.pieces, self), "self_test_data": None}
        content: dict[str, Any] = {
            "bytemill": 1,
            "definition": outline,
            "self_test": [],
            "vocab": [None if token is None else _written(token) for token in self.tokens],
        }
        if self.merges is not None:
            content["merges"] = self.merges
        if self.scores is not None:
            content["scores"] = [*map(repr, self.scores)]
        return _made(Tokenizer, _core.from_bytes(json.dumps(content).encode()), self.settings)


def _bytes_of(token: str | dict[str, str]) -> bytes:
    return token.encode() if isinstance(token, str) else bytes.fromhex(token["hex"])


def _written(token: bytes) -> str | dict[str, str]:
    try:
        return token.decode()
    except UnicodeDecodeError:
        return {"hex": token.hex()}
