"""Truncation and padding of a model's input."""

from __future__ import annotations

import dataclasses
from typing import Literal

from . import checks
from .names import with_suggestions

Side = Literal["left", "right"]
SIDES = ("left", "right")
STRATEGIES = ("longest_first", "only_first", "only_second")


@with_suggestions
@dataclasses.dataclass(frozen=True)
class Truncation:
    """Limits an input to `max_length` ids.

    Args:
        max_length: The most ids, those of the template included.
        strategy: Which text of a pair is cut: `"longest_first"` cuts the longer one to the length of the other and then
            both, `"only_first"` and `"only_second"` cut one of them.
        stride: With `overflow=True`, each further part begins with the last `stride` ids of the part before.
        side: Where ids are cut off.

    Examples:
        >>> Truncation(128, stride=16)
        Truncation(max_length=128, strategy='longest_first', stride=16, side='right')
    """

    max_length: int
    strategy: Literal["longest_first", "only_first", "only_second"] = "longest_first"
    stride: int = 0
    side: Side = "right"

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_length", checks.whole_number("max_length", self.max_length, least=0))
        object.__setattr__(self, "stride", checks.whole_number("stride", self.stride, least=0))
        object.__setattr__(self, "strategy", checks.one_of("strategy", self.strategy, STRATEGIES))
        object.__setattr__(self, "side", checks.one_of("side", self.side, SIDES))


@with_suggestions
@dataclasses.dataclass(frozen=True)
class Padding:
    """Fills an input with padding up to a length.

    Args:
        length: The length to fill up to. By default that of the longest input of the batch.
        multiple_of: Rounds the length up to a multiple.
        side: Where the padding goes.
        token: The token to pad with. By default the tokenizer's own padding token.
        id: The id of `token`, if the vocabulary does not contain it.
        type_id: The type id of the padding.

    Examples:
        >>> Padding(128, token="[PAD]")
        Padding(length=128, multiple_of=None, side='right', token='[PAD]', id=None, type_id=0)
    """

    length: int | None = None
    multiple_of: int | None = None
    side: Side = "right"
    token: str | None = None
    id: int | None = None
    type_id: int = 0

    def __post_init__(self) -> None:
        for name, least in (("length", 0), ("multiple_of", 1), ("id", 0)):
            object.__setattr__(self, name, checks.optional_whole_number(name, getattr(self, name), least=least))
        object.__setattr__(self, "type_id", checks.whole_number("type_id", self.type_id, least=0))
        object.__setattr__(self, "side", checks.one_of("side", self.side, SIDES))
        checks.optional_text("token", self.token)
