"""Pending: the ids of a text, and how the rest of its encoding is found out when somebody asks for it."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

from ... import _core
from ..._arguments.lengths import Padding, Truncation
from ._engine import Engine, Frame
from ._lengths import padded_to

_ANY_LENGTH: dict[str, Any] = {}


@dataclasses.dataclass(slots=True)
class Pending:
    """What most programs ask for. To find out where each token stands takes several times as long."""

    #: The ids without padding, those of the template among them.
    unpadded: list[int]
    frame: Frame
    engine: Engine
    text: str
    add_special_tokens: bool
    #: Truncation and padding, as arguments of a call.
    lengths: dict[str, Any]
    #: The length that padding brings it to.
    target: int = 0

    def __len__(self) -> int:
        return max(len(self.unpadded), self.target)

    def ids(self) -> list[int]:
        padding = self.lengths.get("padding")
        return self.unpadded.copy() if padding is None else self._padded(self.unpadded, padding.id or 0)

    def tokens(self) -> list[str] | None:
        """None if the ids do not say how the tokens are written."""
        frame, unpadded, padding = self.frame, self.unpadded, self.lengths.get("padding")
        row = unpadded[len(frame.before) : len(unpadded) - len(frame.after)] if frame.added else unpadded
        names = [*map(self.engine.names.__getitem__, row)]
        if None in names:
            return None
        tokens = cast("list[str]", names)
        if frame.added:
            tokens = [*frame.tokens_before, *tokens, *frame.tokens_after]
        return tokens if padding is None else self._padded(tokens, padding.token)

    def type_ids(self) -> list[int]:
        frame, padding = self.frame, self.lengths.get("padding")
        types = [frame.type_id] * (len(self.unpadded) - frame.added)
        if frame.added:
            types = [*frame.types_before, *types, *frame.types_after]
        return types if padding is None else self._padded(types, padding.type_id)

    def attention_mask(self) -> list[int]:
        return self._padded([1] * len(self.unpadded), 0)

    def special_tokens_mask(self) -> list[int]:
        frame = self.frame
        text = [0] * (len(self.unpadded) - frame.added)
        return self._padded([1] * len(frame.before) + text + [1] * len(frame.after), 1)

    def _padded(self, values: list[Any], value: Any) -> list[Any]:
        padding, missing = self.lengths.get("padding"), self.target - len(values)
        if padding is None or missing <= 0:
            return values
        pads = [value] * missing
        return pads + values if padding.side == "left" else values + pads

    def encoding(self) -> _core.Encoding:
        """The whole of it."""
        lengths, target = self.lengths, self.target
        padding: Padding | None = lengths.get("padding")
        if padding is not None and (padding.multiple_of or padding.length != target):
            lengths = {**lengths, "padding": dataclasses.replace(padding, length=target, multiple_of=None)}
        core, add_special_tokens = self.engine.core, self.add_special_tokens
        return core(self.text, add_special_tokens=add_special_tokens, offsets=True, overflow=True, **lengths)


def framed(
    engine: Engine, text: str, row: list[int], add_special_tokens: bool, lengths: dict[str, Any] = _ANY_LENGTH
) -> Pending:
    """What became of a text, its ids cut to `lengths` already, and not yet padded."""
    frame = engine.frames[add_special_tokens]
    ids = [*frame.before, *row, *frame.after] if frame.added else row
    return Pending(ids, frame, engine, text, add_special_tokens, lengths)


def fitted(
    engine: Engine, texts: list[str], rows: list[list[int]], add_special_tokens: bool, lengths: dict[str, Any]
) -> list[Pending] | None:
    """What became of texts, cut and padded to `lengths`. None if the ids do not say what truncation leaves of them."""
    added = engine.frames[add_special_tokens].added
    truncation: Truncation | None = lengths.get("truncation")
    if truncation is not None and max(map(len, rows), default=0) > truncation.max_length - added:
        is_plain = truncation.side == "right" and not truncation.stride and truncation.strategy != "only_second"
        if not is_plain or truncation.max_length <= added:
            return None
        rows = [row[: truncation.max_length - added] for row in rows]
    found = [framed(engine, text, row, add_special_tokens, lengths) for text, row in zip(texts, rows, strict=True)]
    padding: Padding | None = lengths.get("padding")
    if padding is not None and found:
        target = padded_to(padding, max(map(len, found)))
        for each in found:
            each.target = target
    return found
