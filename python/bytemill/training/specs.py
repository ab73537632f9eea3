"""Specs: what to train (`Char`, `Word`, `BPE`, `WordPiece`), with the options of each family."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from .._arguments import checks
from .._arguments.amounts import vocabulary_size
from .._arguments.names import with_suggestions
from ..errors import SpecError


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """The options that all families share.

    The role tokens have the first ids (None leaves one out), then come the `special_tokens` of `train`, then the tokens
    from the text. `vocab_size` counts all of them and may be a text such as `"32k"`.
    """

    vocab_size: int | str | None = dataclasses.field(default=None, kw_only=False)
    min_frequency: int = 1
    lowercase: bool = False
    strip_accents: bool = False
    pad_token: str | None = "<PAD>"
    unk_token: str | None = "<UNK>"
    bos_token: str | None = "<BOS>"
    eos_token: str | None = "<EOS>"
    add_bos: bool = False
    add_eos: bool = False

    def __post_init__(self) -> None:
        # Frozen, but numpy's integers become plain ones, and "32k" a number.
        object.__setattr__(self, "vocab_size", vocabulary_size("vocab_size", self.vocab_size))
        object.__setattr__(self, "min_frequency", checks.whole_number("min_frequency", self.min_frequency, least=1))
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name.endswith("_token"):
                checks.optional_text(field.name, value)
            elif field.type == "bool":
                checks.flag(field.name, value)

    def definition(self) -> dict[str, Any]:
        """The spec as the core reads it."""
        return {"family": type(self).__name__.lower(), **values_of(self)}


@with_suggestions
@dataclass(frozen=True, kw_only=True)
class Char(Vocabulary):
    """Trains characters: a token for each code point.

    Args:
        vocab_size: The most tokens to keep, special tokens included; None keeps all. `"32k"` is 32,000.
        min_frequency: How often a character must occur to be kept.
        lowercase: Convert text to lower case first.
        strip_accents: Remove accents first.
        pad_token: The token for padding; None leaves it out.
        unk_token: The token for unknown text; None leaves it out.
        bos_token: The token for the beginning of a text; None leaves it out.
        eos_token: The token for the end of a text; None leaves it out.
        add_bos: Put `bos_token` before every text when the tokenizer is called.
        add_eos: Put `eos_token` after every text when the tokenizer is called.

    Examples:
        >>> import bytemill
        >>> tok = bytemill.train(["aabbcc"], bytemill.Char(), progress=False)
        >>> tok.vocab_size, tok.encode("cab<EOS>")
        (7, [6, 4, 5, 3])
    """


@with_suggestions
@dataclass(frozen=True, kw_only=True)
class Word(Vocabulary):
    """Trains words: a token for each word and punctuation mark.

    Args:
        vocab_size: The most tokens to keep, special tokens included; None keeps all. `"32k"` is 32,000.
        min_frequency: How often a word must occur to be kept.
        lowercase: Convert text to lower case first.
        strip_accents: Remove accents first.
        split_cjk: Make each CJK ideograph a word.
        pad_token: The token for padding; None leaves it out.
        unk_token: The token for unknown text; None leaves it out.
        bos_token: The token for the beginning of a text; None leaves it out.
        eos_token: The token for the end of a text; None leaves it out.
        add_bos: Put `bos_token` before every text when the tokenizer is called.
        add_eos: Put `eos_token` after every text when the tokenizer is called.

    Examples:
        >>> import bytemill
        >>> tok = bytemill.train(["Hello, world!"], bytemill.Word(), progress=False)
        >>> tok.tokenize("Hello, you!")
        ['Hello', ',', '<UNK>', '!']
    """

    split_cjk: bool = False


class _Default(str):
    """A name that nobody has asked for, told from the same name in an argument by its identity."""

    __slots__ = ()


#: The unknown token of BPE, which is there where a text may hold what no token stands for.
_UNLESS_COMPLETE = _Default("<unk>")

#: What marks the end of a word.
EndOfWord = Literal["suffix", "symbol"]

Ties = Literal["bytemill", "huggingface", "tiktoken", "cs336", "sentencepiece", "rustbpe"]


@with_suggestions
@dataclass(frozen=True, kw_only=True)
class BPE(Vocabulary):
    """Trains byte-pair encoding: the most frequent pair of neighbours becomes a token, until there are `vocab_size`.

    Args:
        vocab_size: The number of tokens, special tokens and single bytes included. `"32k"` is 32,000.
        min_frequency: How often a pair must occur to become a token.
        ties: Which of equally frequent pairs is merged first: the rule of the trainer of this name.
        max_token_length: The most bytes (or characters) in a token.
        byte_level: Make tokens of bytes, so that nothing is unknown. False makes them of characters.
        initial_alphabet: Characters that are tokens even if the text does not have them.
        limit_alphabet: Without `byte_level`: the most characters to keep.
        end_of_word_suffix: The ending of the last token of a piece, such as `"</w>"`.
        end_of_word: What that mark is: `"suffix"` makes it part of the last character, as `tokenizers` does;
            `"symbol"` makes it a symbol of its own, which is counted and merged like any other. It is then `"</w>"` by
            default.
        continuing_subword_prefix: The beginning of every token of a piece except the first, such as `"##"`.
        byte_fallback: Without `byte_level`: encode characters without a token as byte tokens.
        unk_token: What characters without a token become; `<unk>` by default if there can be any. With None, encoding
            them raises an error.
        pad_token: The token for padding; None leaves it out.
        bos_token: The token for the beginning of a text; None leaves it out.
        eos_token: The token for the end of a text; None leaves it out.
        add_bos: Put `bos_token` before every text when the tokenizer is called.
        add_eos: Put `eos_token` after every text when the tokenizer is called.
        lowercase: Convert text to lower case first.
        strip_accents: Remove accents first.

    Examples:
        >>> import bytemill
        >>> tok = bytemill.train(["low lower lowest"], bytemill.BPE(vocab_size=260), progress=False)
        >>> tok.tokenize("lowest low")
        ['low', 'e', 's', 't', ' low']
    """

    vocab_size: int | str | None = dataclasses.field(default=32_000, kw_only=False)
    min_frequency: int = 2
    pad_token: str | None = None
    unk_token: str | None = _UNLESS_COMPLETE
    bos_token: str | None = None
    eos_token: str | None = None
    ties: Ties = "bytemill"
    max_token_length: int | None = None
    initial_alphabet: Iterable[str] | None = None
    limit_alphabet: int | None = None
    end_of_word_suffix: str | None = None
    end_of_word: EndOfWord = "suffix"
    continuing_subword_prefix: str | None = None
    byte_level: bool = True
    byte_fallback: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "ties", checks.one_of("ties", self.ties, get_args(Ties)))
        if self.unk_token is _UNLESS_COMPLETE and (self.byte_level or self.byte_fallback):
            object.__setattr__(self, "unk_token", None)
        for name in ("max_token_length", "limit_alphabet"):
            object.__setattr__(self, name, checks.optional_whole_number(name, getattr(self, name), least=1))
        for name in ("end_of_word_suffix", "continuing_subword_prefix"):
            checks.optional_text(name, getattr(self, name))
        object.__setattr__(self, "end_of_word", checks.one_of("end_of_word", self.end_of_word, get_args(EndOfWord)))
        if self.end_of_word == "symbol" and self.end_of_word_suffix is None:
            object.__setattr__(self, "end_of_word_suffix", "</w>")
        _settle_alphabet(self)

    def definition(self) -> dict[str, Any]:
        return with_options(self, "bpe")


Score = Literal["frequency", "likelihood"]


@with_suggestions
@dataclass(frozen=True, kw_only=True)
class WordPiece(Vocabulary):
    """Trains WordPiece, with the stages and special tokens of BERT.

    Tokens are made of characters by merging the best pair of neighbours, until there are `vocab_size` of them.

    Args:
        vocab_size: The number of tokens, special tokens included. `"32k"` is 32,000.
        min_frequency: How often a pair must occur to become a token.
        score: How the best pair is chosen: `"frequency"` takes the most frequent one, as BERT's tools do;
            `"likelihood"` takes the one that is most frequent in proportion to its two parts.
        lowercase: Convert text to lower case first.
        strip_accents: Remove accents first.
        split_cjk: Make each CJK ideograph a word.
        pad_token: The token for padding; None leaves it out.
        unk_token: The token for unknown text; None leaves it out.
        cls_token: The token before the first text of an input; None leaves it out.
        sep_token: The token after each text of an input; None leaves it out.
        mask_token: The token for masked text; None leaves it out.
        continuing_subword_prefix: The mark of tokens that continue a word.
        max_input_chars_per_word: A longer word is unknown.
        max_token_length: The most characters in a token.
        initial_alphabet: Characters to start from even if they do not occur.
        limit_alphabet: The most characters to start from.

    Examples:
        >>> import bytemill
        >>> spec = bytemill.WordPiece(vocab_size=24, min_frequency=1)
        >>> tok = bytemill.train(["low lower lowest newest"], spec, progress=False)
        >>> tok.tokenize("Lowest new"), tok("low").tokens
        (['lowe', '##st', 'ne', '##w'], ['[CLS]', 'lo', '##w', '[SEP]'])
    """

    vocab_size: int | str | None = dataclasses.field(default=30_000, kw_only=False)
    min_frequency: int = 2
    lowercase: bool = True
    strip_accents: bool = True
    split_cjk: bool = True
    pad_token: str | None = "[PAD]"
    unk_token: str | None = "[UNK]"
    bos_token: str | None = None
    eos_token: str | None = None
    cls_token: str | None = "[CLS]"
    sep_token: str | None = "[SEP]"
    mask_token: str | None = "[MASK]"
    score: Score = "frequency"
    continuing_subword_prefix: str = "##"
    max_input_chars_per_word: int = 100
    max_token_length: int | None = None
    initial_alphabet: Iterable[str] | None = None
    limit_alphabet: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "score", checks.one_of("score", self.score, get_args(Score)))
        for name in ("max_token_length", "limit_alphabet"):
            object.__setattr__(self, name, checks.optional_whole_number(name, getattr(self, name), least=1))
        most = checks.whole_number("max_input_chars_per_word", self.max_input_chars_per_word, least=1)
        object.__setattr__(self, "max_input_chars_per_word", most)
        if self.continuing_subword_prefix is None:
            raise TypeError('continuing_subword_prefix is a str, which may be "", not None')
        checks.optional_text("continuing_subword_prefix", self.continuing_subword_prefix)
        if self.add_bos or self.add_eos or self.bos_token or self.eos_token:
            raise SpecError("WordPiece has cls_token and sep_token around a text, and no bos_token or eos_token")
        _settle_alphabet(self)

    def definition(self) -> dict[str, Any]:
        return with_options(self, "wordpiece")


def _settle_alphabet(spec: BPE | WordPiece) -> None:
    if spec.initial_alphabet is not None:
        # A str is as good as the list of its characters.
        characters = checks.list_of_texts("initial_alphabet", list(spec.initial_alphabet))
        object.__setattr__(spec, "initial_alphabet", tuple(characters))


def values_of(spec: Vocabulary) -> dict[str, Any]:
    """The options by their names. Unlike `asdict`, copies nothing: they are texts, numbers and tuples."""
    return {field.name: getattr(spec, field.name) for field in fields(spec)}


def with_options(spec: Vocabulary, family: str) -> dict[str, Any]:
    """The options that all families share, and those of this family under its name."""
    shared = {field.name for field in fields(Vocabulary)} | {"split_cjk"}
    values = values_of(spec)
    own = {name: value for name, value in values.items() if name not in shared}
    return {name: value for name, value in values.items() if name in shared} | {"family": family, family: own}
