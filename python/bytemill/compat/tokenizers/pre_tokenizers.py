"""`tokenizers.pre_tokenizers`: what splits a text before the model."""

from __future__ import annotations

from typing import Any, ClassVar

from ... import _core
from ._errors import as_the_library, of_custom
from ._normalized import PreTokenizedString, Regex, aligned, behavior_of, pattern_of
from ._stage import Option, Stage, Stages, State, compact, of_kind


def _in_words(behavior: str) -> str:
    """`MergedWithPrevious` → `merged_with_previous`."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in behavior).lstrip("_")


def _character(value: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"'{type(value).__name__}' object is not an instance of 'str'")
    if len(value) != 1:
        raise ValueError("expected a string of length 1")
    return value


def _scheme(value: str) -> str:
    if value not in ("first", "never", "always"):
        raise ValueError(f"{value} is an unknown variant, should be one of ['first', 'never', 'always']")
    return value


class PreTokenizer(Stage):
    """The base of all pre-tokenizers. `PreTokenizer.custom` makes one of a Python object, which is slow."""

    _kinds: ClassVar[dict[str, type[Stage]]] = {}
    _family = "PreTokenizer"

    def __new__(cls, *arguments: Any, **keywords: Any) -> Any:
        if cls is PreTokenizer:
            raise TypeError("cannot create 'tokenizers.pre_tokenizers.PreTokenizer' instances")
        return super().__new__(cls)

    @staticmethod
    def custom(pretok: Any) -> PreTokenizer:
        pre_tokenizer: PreTokenizer = PreTokenizer._of_custom(pretok)
        return pre_tokenizer

    def pre_tokenize(self, pretok: PreTokenizedString) -> None:
        """Splits a PreTokenizedString in place."""
        of_kind(pretok, PreTokenizedString)
        if self._custom is not None:
            with of_custom():
                self._custom.pre_tokenize(pretok)
            return
        stage = compact(self._json())
        with as_the_library():
            pretok._refine(
                lambda text: [
                    text._realigned(aligned(piece))
                    for piece in _core._stage_split(stage, text.normalized, text._original_start() == 0)
                ]
            )

    def pre_tokenize_str(self, sequence: str) -> list[tuple[str, tuple[int, int]]]:
        """Returns the pieces of a text, with their places."""
        of_kind(sequence, str)
        pretok = PreTokenizedString(sequence)
        self.pre_tokenize(pretok)
        return [(piece, offsets) for piece, offsets, _ in pretok.get_splits()]


class ByteLevel(PreTokenizer):
    _type = "ByteLevel"
    _options: ClassVar[State] = {"add_prefix_space": True, "trim_offsets": True, "use_regex": True}

    def __init__(
        self, add_prefix_space: bool = True, trim_offsets: bool = True, use_regex: bool = True, **_kwargs: Any
    ) -> None:
        self._settle(add_prefix_space=add_prefix_space, trim_offsets=trim_offsets, use_regex=use_regex)

    add_prefix_space = Option[bool]("add_prefix_space")
    trim_offsets = Option[bool]("trim_offsets")
    use_regex = Option[bool]("use_regex")

    @staticmethod
    def alphabet() -> list[str]:
        """Returns the characters that stand for bytes."""
        printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
        return sorted(map(chr, [*printable, *range(0x100, 0x100 + 256 - len(printable))]))


class BertPreTokenizer(PreTokenizer):
    _type = "BertPreTokenizer"

    def __init__(self) -> None:
        self._settle()


class Whitespace(PreTokenizer):
    _type = "Whitespace"

    def __init__(self) -> None:
        self._settle()


class WhitespaceSplit(PreTokenizer):
    _type = "WhitespaceSplit"

    def __init__(self) -> None:
        self._settle()


class UnicodeScripts(PreTokenizer):
    _type = "UnicodeScripts"

    def __init__(self) -> None:
        self._settle()


class CharDelimiterSplit(PreTokenizer):
    _type = "CharDelimiterSplit"

    def __init__(self, delimiter: str) -> None:
        self._settle(delimiter=_character(delimiter))

    def __getnewargs__(self) -> tuple[str]:
        return (" ",)

    delimiter = Option[str]("delimiter", put=_character)


class Digits(PreTokenizer):
    _type = "Digits"

    def __init__(self, individual_digits: bool = False) -> None:
        self._settle(individual_digits=individual_digits)

    individual_digits = Option[bool]("individual_digits")


class FixedLength(PreTokenizer):
    _type = "FixedLength"

    def __init__(self, length: int = 5) -> None:
        self._settle(length=length)

    length = Option[int]("length")


class Punctuation(PreTokenizer):
    _type = "Punctuation"

    def __init__(self, behavior: str = "isolated") -> None:
        self._settle(behavior=behavior_of(behavior))

    behavior = Option[str]("behavior", get=_in_words, put=behavior_of)


class Split(PreTokenizer):
    _type = "Split"

    def __init__(self, pattern: str | Regex, behavior: str, invert: bool = False) -> None:
        self._settle(pattern=pattern_of(pattern), behavior=behavior_of(behavior), invert=invert)

    def __getnewargs__(self) -> tuple[str, str]:
        return (" ", "removed")

    behavior = Option[str]("behavior", get=_in_words, put=behavior_of)
    invert = Option[bool]("invert")

    @property
    def pattern(self) -> None:
        raise Exception("Cannot get pattern")

    @pattern.setter
    def pattern(self, pattern: Any) -> None:
        raise Exception("Cannot set pattern, please instantiate a new split pattern instead")


class Metaspace(PreTokenizer):
    _type = "Metaspace"
    _options: ClassVar[State] = {"replacement": "▁", "prepend_scheme": "always", "split": True}

    def __init__(self, replacement: str = "▁", prepend_scheme: str = "always", split: bool = True) -> None:
        self._settle(replacement=_character(replacement), prepend_scheme=_scheme(prepend_scheme), split=split)

    replacement = Option[str]("replacement", put=_character)
    prepend_scheme = Option[str]("prepend_scheme", put=_scheme)
    split = Option[bool]("split")


class Sequence(Stages, PreTokenizer):
    _type = "Sequence"
    _list = "pretokenizers"

    def __init__(self, pre_tokenizers: list[PreTokenizer]) -> None:
        for pre_tokenizer in pre_tokenizers:
            of_kind(pre_tokenizer, PreTokenizer)
        self._hold(list(pre_tokenizers))

    def pre_tokenize(self, pretok: PreTokenizedString) -> None:
        if not self._is_custom():
            super().pre_tokenize(pretok)
            return
        for pre_tokenizer in self:
            pre_tokenizer.pre_tokenize(pretok)
