"""Truncation and padding of a model's input."""

from __future__ import annotations

import dataclasses
from typing import Literal

from . import checks

Side = Literal["left", "right"]
SIDES = ("left", "right")
STRATEGIES = ("longest_first", "only_first", "only_second")


@dataclasses.dataclass(frozen=True)
class Truncation:
    """No more than `max_length` ids, those of the template included.

    Of a pair, `strategy` says which text is cut: `"longest_first"` the longer one down to the length of the other,
    then both, `"only_first"` or `"only_second"` one of them alone. `side` is where ids are cut off. What is cut off
    comes back in parts with `overflow=True`, each of which begins with the last `stride` ids of the one before.

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
        checks.one_of("strategy", self.strategy, STRATEGIES)
        checks.one_of("side", self.side, SIDES)


@dataclasses.dataclass(frozen=True)
class Padding:
    """Ids that stand for nothing, up to `length`, or without it up to the longest input of a batch.

    The length is brought up to a multiple of `multiple_of`. What stands there is `token`, or else what the tokenizer
    itself pads with; `id` says its id where the vocabulary does not.

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
        checks.one_of("side", self.side, SIDES)
        checks.optional_text("token", self.token)
