"""Pretokenizers: where a text is cut into the pieces that a model sees.

>>> from bytemill import pretokenizers
>>> [piece for piece, span in pretokenizers.Whitespace().split("Hello, world...")]
['Hello', ',', 'world', '...']
>>> [piece for piece, span in pretokenizers.Bert().split("Hello, world...")]
['Hello', ',', 'world', '.', '.', '.']
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence as Items
from dataclasses import dataclass
from typing import Any, Literal, get_args

from . import _core
from ._arguments import checks
from ._arguments.languages import language_name
from ._arguments.stages import Stage, pattern_definition, require_stages, resolve
from .errors import SpecError

Behavior = Literal["removed", "isolated", "contiguous", "merged_with_previous", "merged_with_next"]

Marker = Literal["indent", "dedent", "newline", "comment", "docstring", "str"]

Prepend = Literal["first", "always", "never"]


@dataclass(frozen=True)
class PreTokenizer(Stage):
    """The base of every pretokenizer."""

    of_pattern = "pretokenizers.Split(pattern)"

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
class UnicodeScripts(PreTokenizer):
    """Splits between scripts, with Japanese as one.

    Spaces and whatever else has no script stay with what is before them, and are dropped at the start of a text.
    """


@dataclass(frozen=True)
class FixedLength(PreTokenizer):
    """Pieces of `length` characters."""

    length: int = 1

    def __post_init__(self) -> None:
        checks.whole_number("length", self.length, least=1)


@dataclass(frozen=True)
class Split(PreTokenizer):
    """Splits by the matches of a pattern, or by what lies between them if `invert`.

    The pattern is a regular expression as `tokenizers` understands it, or the text itself if `literal`. What is not
    supported of the syntax is refused when it is used.
    """

    pattern: str
    behavior: Behavior = "isolated"
    invert: bool = False
    literal: bool = False

    def __post_init__(self) -> None:
        checks.one_of("behavior", self.behavior, get_args(Behavior))

    def definition(self) -> dict[str, Any]:
        return {
            "type": "split",
            "pattern": pattern_definition(self.pattern, self.literal),
            "behavior": self.behavior,
            "invert": self.invert,
        }


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
class DeepSeek(PreTokenizer):
    """The splitting of DeepSeek 3 and 4: numbers, then Chinese and Japanese, then words and symbols; lossless."""


@dataclass(frozen=True)
class PrefixSpace(PreTokenizer):
    """A space before every piece that does not start with one."""


@dataclass(frozen=True)
class Metaspace(PreTokenizer):
    """Spaces become a visible mark, which pieces begin with if `split`.

    `prepend` puts the mark before every piece ("always"), or before the one at the start of the text ("first"), unless
    it starts with one.
    """

    replacement: str = "▁"
    prepend: Prepend = "always"
    split_at_marks: bool = True

    def __post_init__(self) -> None:
        checks.one_of("prepend", self.prepend, get_args(Prepend))
        if not isinstance(self.replacement, str) or len(self.replacement) != 1:
            raise SpecError(f"replacement is one character, not {self.replacement!r}")

    def definition(self) -> dict[str, Any]:
        return {
            "type": "metaspace",
            "replacement": self.replacement,
            "prepend": self.prepend,
            "split": self.split_at_marks,
        }


@dataclass(frozen=True)
class ByteLevel(PreTokenizer):
    """Bytes as characters of the alphabet of byte-level tokens, for models whose tokens are written in it."""

    prefix_space: bool = False
    gpt2: bool = True

    def definition(self) -> dict[str, Any]:
        return {"type": "byte_level", "prefix_space": self.prefix_space, "split": self.gpt2}


@dataclass(frozen=True)
class Code(PreTokenizer):
    """Source code, by its syntax tree; lossless.

    Pieces never cross the border of two tokens of the language, but for a single space, which goes with what follows
    it. Names are taken apart into words (`identifiers`). With `keywords` each keyword is a token of its own, with
    `indentation` each width of it, up to 32 spaces or 8 tabs. `markers` (`True` for all) are tokens that stand at a
    place and decode to nothing. Without a `language`, that of each text is told by the name of its file, or by its
    content.
    """

    language: str | None = None
    identifiers: bool = True
    keywords: bool = True
    indentation: bool = True
    markers: Items[Marker] | bool = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "language", language_name(self.language))
        for name in ("identifiers", "keywords", "indentation"):
            checks.flag(name, getattr(self, name))
        every = get_args(Marker) if self.markers else ()
        markers = tuple(checks.list_of_texts("markers", every if isinstance(self.markers, bool) else self.markers))
        for marker in markers:
            checks.one_of("markers", marker, get_args(Marker))
        object.__setattr__(self, "markers", markers)

    def definition(self) -> dict[str, Any]:
        return {**super().definition(), "grammars": _GRAMMARS}


#: Which grammars definitions are made for; the core refuses those of others.
_GRAMMARS = 3


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
    "deepseek": DeepSeek(),
    "code": Code(),
}


def splitting(given: PreTokenizer | str | None) -> str | None:
    """The JSON of how text is split before the model of a file; what does not look like a name is a pattern."""
    is_pattern = isinstance(given, str) and not re.fullmatch(r"\w+", given)
    return json.dumps(given) if is_pattern else resolve(given, PreTokenizer, NAMED)
