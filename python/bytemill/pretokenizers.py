"""Pretokenizers: where a text is cut into the pieces that a model sees.

>>> from bytemill import pretokenizers
>>> [piece for piece, span in pretokenizers.Whitespace().split("Hello, world...")]
['Hello', ',', 'world', '...']
>>> [piece for piece, span in pretokenizers.Bert().split("Hello, world...")]
['Hello', ',', 'world', '.', '.', '.']
"""

from __future__ import annotations

import json
from collections.abc import Sequence as Items
from dataclasses import dataclass
from typing import Literal, get_args

from . import _core, checks
from .errors import SpecError
from .stages import Stage, require_stages

Behavior = Literal["removed", "isolated", "contiguous", "merged_with_previous", "merged_with_next"]


@dataclass(frozen=True)
class PreTokenizer(Stage):
    """The base of every pretokenizer."""

    def split(self, text: str) -> list[tuple[str, tuple[int, int]]]:
        """The pieces of a text, each with its span in characters."""
        return _core.split(json.dumps(self.definition()), text)


@dataclass(frozen=True)
class Whitespace(PreTokenizer):
    r"""`\w+|[^\w\s]+`: runs of word characters and runs of anything else that is not white space."""


@dataclass(frozen=True)
class WhitespaceSplit(PreTokenizer):
    """Everything between white space."""


@dataclass(frozen=True)
class Bert(PreTokenizer):
    """Everything between white space, with each punctuation character a piece of its own."""


@dataclass(frozen=True)
class Punctuation(PreTokenizer):
    """Splits at punctuation alone; white space stays inside the pieces."""

    behavior: Behavior = "isolated"

    def __post_init__(self) -> None:
        checks.one_of("behavior", self.behavior, get_args(Behavior))


@dataclass(frozen=True)
class Digits(PreTokenizer):
    """Splits numbers from the rest, digit by digit if `individual`."""

    individual: bool = False


@dataclass(frozen=True)
class Delimiter(PreTokenizer):
    """Splits at one character, which is dropped."""

    character: str = " "

    def __post_init__(self) -> None:
        if not isinstance(self.character, str) or len(self.character) != 1:
            raise SpecError(f"character is one character, not {self.character!r}")


@dataclass(frozen=True)
class FixedLength(PreTokenizer):
    """Pieces of `length` characters."""

    length: int = 1

    def __post_init__(self) -> None:
        checks.whole_number("length", self.length, least=1)


@dataclass(frozen=True)
class GPT2(PreTokenizer):
    """The splitting of GPT-2 (r50k, p50k); lossless."""


@dataclass(frozen=True)
class CL100K(PreTokenizer):
    """The splitting of GPT-3.5 and GPT-4; lossless."""


@dataclass(frozen=True)
class O200K(PreTokenizer):
    """The splitting of GPT-4o and its successors; lossless."""


@dataclass(frozen=True)
class Qwen2(PreTokenizer):
    """The splitting of Qwen 2 and 3: that of `CL100K` with each digit by itself; lossless."""


@dataclass(frozen=True)
class Tekken(PreTokenizer):
    """The splitting of Mistral's Tekken: that of `O200K` with each digit by itself and no contractions; lossless."""


@dataclass(frozen=True)
class Sequence(PreTokenizer):
    """Several pretokenizers, each splitting the pieces of the one before."""

    steps: Items[PreTokenizer] = ()

    def __post_init__(self) -> None:
        require_stages(self.steps, PreTokenizer)


#: The names that `pretokenizer=` takes.
NAMED: dict[str, PreTokenizer] = {
    "whitespace": Whitespace(),
    "whitespace_split": WhitespaceSplit(),
    "bert": Bert(),
    "punctuation": Punctuation(),
    "digits": Digits(),
    "gpt2": GPT2(),
    "cl100k": CL100K(),
    "o200k": O200K(),
    "qwen2": Qwen2(),
    "tekken": Tekken(),
}
