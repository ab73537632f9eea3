"""Pending: the ids of a text, and how the rest of its encoding is found out when somebody asks for it."""

from __future__ import annotations

import dataclasses
from typing import Any

from ... import _core
from ..._arguments.lengths import Padding, Truncation
from ._engine import Engine, Frame
from ._lengths import padded_to


@dataclasses.dataclass(slots=True)
class Pending:
    """What most programs ask for. To find out where each token stands takes several times as long."""

    #: The ids without padding, those of the template among them.
    unpadded: list[int]
    frame: Frame
    engine: Engine
    text: str
    #: The arguments of the call that finds out the rest.
    options: dict[str, Any]
    #: The number of ids of padding, and which padding.
    pads: int = 0
    padding: Padding | None = None

    def __len__(self) -> int:
        return len(self.unpadded) + self.pads

    def ids(self) -> list[int]:
        padding = self.padding
        return self.unpadded.copy() if padding is None else self._padded(self.unpadded, padding, padding.id or 0)

    def type_ids(self) -> list[int]:
        frame, padding = self.frame, self.padding
        types = [*frame.types_before, *[frame.type_id] * (len(self.unpadded) - frame.added), *frame.types_after]
        return types if padding is None else self._padded(types, padding, padding.type_id)

    def attention_mask(self) -> list[int]:
        mask = [1] * len(self.unpadded)
        return mask if self.padding is None else self._padded(mask, self.padding, 0)

    def _padded(self, values: list[int], padding: Padding, value: int) -> list[int]:
        pads = [value] * self.pads
        return pads + values if padding.side == "left" else values + pads

    def encoding(self) -> _core.Encoding:
        """The whole of it."""
        return self.engine.core(self.text, offsets=True, overflow=True, **self.options)


def framed(engine: Engine, text: str, row: list[int], add_special_tokens: bool) -> Pending:
    """What became of a text that is neither cut nor padded."""
    frame = engine.frames[add_special_tokens]
    ids = [*frame.before, *row, *frame.after] if frame.added else row
    return Pending(ids, frame, engine, text, {"add_special_tokens": add_special_tokens})


def fitted(
    engine: Engine, texts: list[str], rows: list[list[int]], add_special_tokens: bool, lengths: dict[str, Any]
) -> list[Pending] | None:
    """What became of texts, cut and padded to `lengths`. None if the ids do not say what truncation leaves of them."""
    added = engine.frames[add_special_tokens].added
    truncation: Truncation | None = lengths.get("truncation")
    if truncation is not None and any(len(row) > truncation.max_length - added for row in rows):
        is_plain = truncation.side == "right" and not truncation.stride and truncation.strategy != "only_second"
        if not is_plain or truncation.max_length <= added:
            return None
        rows = [row[: truncation.max_length - added] for row in rows]
    found = [framed(engine, text, row, add_special_tokens) for text, row in zip(texts, rows, strict=True)]
    padding: Padding | None = lengths.get("padding")
    target = 0 if padding is None or not found else padded_to(padding, max(map(len, found)))
    fixed = {} if padding is None else {"padding": dataclasses.replace(padding, length=target, multiple_of=None)}
    if lengths:
        for each in found:
            each.options |= lengths | fixed
            each.pads, each.padding = max(0, target - len(each.unpadded)), padding
    return found
