"""Pretokenizers split a text into pieces; no token crosses the border of a piece.

Pass one to `bytemill.train` as an object or by its name in `NAMED`, or try it alone with `split`. A lossless
pretokenizer keeps every character: joined, the pieces are the text.

Examples:
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
from ._arguments.languages import grammar_name
from ._arguments.names import with_suggestions
from ._arguments.stages import Stage, pattern_definition, require_stages, resolve
from .errors import SpecError

Behavior = Literal["removed", "isolated", "contiguous", "merged_with_previous", "merged_with_next"]

Marker = Literal[
    "indent",
    "dedent",
    "newline",
    "comment",
    "docstring",
    "str",
    "comment_end",
    "docstring_end",
    "str_end",
    "section",
]

Prepend = Literal["first", "always", "never"]


@dataclass(frozen=True)
class PreTokenizer(Stage):
    """The base of every pretokenizer."""

    of_pattern = "pretokenizers.Split(pattern)"

    def split(self, text: str) -> list[tuple[str, tuple[int, int]]]:
        """Returns the pieces of a text, each with its start and end in characters."""
        return _core.split(json.dumps(self.definition()), text)


@dataclass(frozen=True)
class Whitespace(PreTokenizer):
    r"""Runs of word characters, and runs of other characters that are not white space: `\w+|[^\w\s]+`."""


@dataclass(frozen=True)
class WhitespaceSplit(PreTokenizer):
    """Splits at white space, which is dropped."""


@dataclass(frozen=True)
class Bert(PreTokenizer):
    """Splits at white space, which is dropped, and makes each punctuation character a piece."""


@with_suggestions
@dataclass(frozen=True)
class Punctuation(PreTokenizer):
    """Splits at punctuation only. White space stays inside the pieces."""

    behavior: Behavior = "isolated"

    def __post_init__(self) -> None:
        object.__setattr__(self, "behavior", checks.one_of("behavior", self.behavior, get_args(Behavior)))


@with_suggestions
@dataclass(frozen=True)
class Digits(PreTokenizer):
    """Separates numbers from the rest; with `individual`, each digit is a piece."""

    individual: bool = False


@with_suggestions
@dataclass(frozen=True)
class Delimiter(PreTokenizer):
    """Splits at one character, which is dropped."""

    character: str = " "

    def __post_init__(self) -> None:
        if not isinstance(self.character, str) or len(self.character) != 1:
            raise SpecError(f"character is one character, not {self.character!r}")


@dataclass(frozen=True)
class UnicodeScripts(PreTokenizer):
    """Splits where one script ends and another begins. Japanese counts as one script.

    Spaces and other characters without a script stay with the text before them, or are dropped at the start.
    """


@with_suggestions
@dataclass(frozen=True)
class FixedLength(PreTokenizer):
    """Pieces of `length` characters."""

    length: int = 1

    def __post_init__(self) -> None:
        checks.whole_number("length", self.length, least=1)


@with_suggestions
@dataclass(frozen=True)
class Split(PreTokenizer):
    """Splits at the matches of a pattern; with `invert`, the matches are the pieces.

    The pattern is a regular expression in the syntax that `tokenizers` uses, or with `literal` a plain text. `behavior`
    says what becomes of a match: dropped (`"removed"`), a piece (`"isolated"`), joined with neighbouring matches
    (`"contiguous"`), or joined with the piece before or after it. Unsupported syntax raises an error on first use.
    """

    pattern: str
    behavior: Behavior = "isolated"
    invert: bool = False
    literal: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "behavior", checks.one_of("behavior", self.behavior, get_args(Behavior)))

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
    """The splitting of Qwen 2 and 3: like `CL100K`, but each digit is a piece; lossless."""


@dataclass(frozen=True)
class Tekken(PreTokenizer):
    """The splitting of Mistral's Tekken: like `O200K`, with single digits and whole contractions; lossless."""


@dataclass(frozen=True)
class DeepSeek(PreTokenizer):
    """The splitting of DeepSeek 3 and 4: numbers, then Chinese and Japanese, then words and symbols; lossless."""


@dataclass(frozen=True)
class PrefixSpace(PreTokenizer):
    """Puts a space before every piece that does not start with one."""


@with_suggestions
@dataclass(frozen=True)
class Metaspace(PreTokenizer):
    """Replaces spaces with a visible mark; with `split_at_marks`, each mark begins a piece.

    `prepend` puts the mark before every piece (`"always"`) or before the first piece of the text (`"first"`) if it does
    not start with one already, or nowhere (`"never"`).
    """

    replacement: str = "▁"
    prepend: Prepend = "always"
    split_at_marks: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "prepend", checks.one_of("prepend", self.prepend, get_args(Prepend)))
        if not isinstance(self.replacement, str) or len(self.replacement) != 1:
            raise SpecError(f"replacement is one character, not {self.replacement!r}")

    def definition(self) -> dict[str, Any]:
        return {
            "type": "metaspace",
            "replacement": self.replacement,
            "prepend": self.prepend,
            "split": self.split_at_marks,
        }


@with_suggestions
@dataclass(frozen=True)
class ByteLevel(PreTokenizer):
    """Writes each byte as a character of the alphabet that byte-level tokens are written in.

    `prefix_space` puts a space before the text, `gpt2` splits by GPT-2's pattern first.
    """

    prefix_space: bool = False
    gpt2: bool = True

    def definition(self) -> dict[str, Any]:
        return {"type": "byte_level", "prefix_space": self.prefix_space, "split": self.gpt2}


@with_suggestions
@dataclass(frozen=True)
class Code(PreTokenizer):
    """Splits source code by its syntax tree; lossless.

    A piece never crosses the border between two tokens of the language, except that a single space goes with what
    follows it.

    Args:
        language: The language of all texts. By default the name of each file, or its content, tells the language. The
            grammars of `bytemill.code.WHEEL_LANGUAGES` come with `pip install "bytemill[languages]"`. A language that
            has no grammar is split by its characters alone, with a warning, as `"text"` is without one.
        identifiers: Split names into their words.
        keywords: Make each keyword a token.
        indentation: Make each width of indentation a token, up to 32 spaces or 8 tabs.
        markers: Tokens that mark a place in the code and decode to nothing: `"indent"`, `"dedent"`, `"newline"`,
            `"comment"`, `"docstring"`, `"str"`, `"comment_end"`, `"docstring_end"`, `"str_end"`, and `"section"` for
            the sections of docstrings. `True` adds all of them.
    """

    language: str | None = None
    identifiers: bool = True
    keywords: bool = True
    indentation: bool = True
    markers: Items[Marker] | bool = ()

    def __post_init__(self) -> None:
        language = grammar_name(self.language)
        object.__setattr__(self, "language", language)
        if language is not None:
            _core.wheel_version(language)  # that it is missing is said here, and not in the middle of the work
        for name in ("identifiers", "keywords", "indentation"):
            checks.flag(name, getattr(self, name))
        every = get_args(Marker) if self.markers else ()
        markers = tuple(checks.list_of_texts("markers", every if isinstance(self.markers, bool) else self.markers))
        known = tuple(checks.one_of("markers", marker, get_args(Marker)) for marker in markers)
        object.__setattr__(self, "markers", known)

    def definition(self) -> dict[str, Any]:
        # A tokenizer's ids follow from the grammar, so its file says which one it was made with.
        version = None if self.language is None else _core.wheel_version(self.language)
        wheel = {} if version is None else {"wheel": version}
        return {**super().definition(), "grammars": _GRAMMARS, **wheel}


#: Which grammars definitions are made for; the core refuses those of others.
_GRAMMARS = 3


@with_suggestions
@dataclass(frozen=True)
class Sequence(PreTokenizer):
    """Applies several pretokenizers; each splits the pieces of the one before. An empty sequence does not split."""

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
