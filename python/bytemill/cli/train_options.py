"""The options of `bytemill train` as a table: which keyword of the library each sets, and for which families."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from ..errors import SpecError
from . import names
from .helped import GroupedOption
from .types import SIZE, OneOf

SENTENCEPIECE = ("unigram", "sentencepiece")
WITH_ALPHABET = ("bpe", "wordpiece")
WITH_ROLES = ("bpe", "word", "char")


@dataclasses.dataclass(frozen=True)
class FamilyOption:
    """An option that sets one keyword of a spec; `families` are those that have it (none: all)."""

    keyword: str
    help: str
    families: tuple[str, ...] = ()
    #: The flags on the command line; made from the keyword if there are none.
    flag: str = ""
    #: What a flag without a value sets; None for an option with a value.
    sets: bool | None = None
    type: Any = None
    metavar: str = "TEXT"
    multiple: bool = False

    @property
    def option(self) -> str:
        return self.flag or "--" + self.keyword.replace("_", "-")

    @property
    def parameter(self) -> str:
        """Its name among the arguments of the command."""
        return f"{self.keyword}_{self.option.strip('-').replace('-', '_')}"

    def decorate(self, function: Callable[..., Any]) -> Callable[..., Any]:
        kind: dict[str, Any] = (
            {"is_flag": True, "default": None}
            if self.sets is not None
            else {"type": self.type or str, "metavar": self.metavar, "multiple": self.multiple}
        )
        kind |= {"cls": GroupedOption, "group": self.group}
        return click.option(self.option, self.parameter, help=self.help, **kind)(function)

    @property
    def group(self) -> str:
        return f"Options for {', '.join(self.families)}" if self.families else "Options"

    def value(self, given: Mapping[str, Any]) -> Any:
        """What was given, as the library takes it; None if nothing was."""
        value = given[self.parameter]
        if self.multiple:
            return list(value) or None
        return self.sets if value and self.sets is not None else value


def normalization(value: str) -> str | Path:
    return Path(value) if value.endswith(".tsv") else value


def flag(keyword: str, families: tuple[str, ...], help: str, *, off: bool = False, named: str = "") -> FamilyOption:
    """A flag; with `off` one that turns off what is on by default."""
    option = named or ("--no-" if off else "--") + keyword.replace("_", "-")
    return FamilyOption(keyword, help, families, flag=option, sets=not off)


def number(keyword: str, families: tuple[str, ...], help: str) -> FamilyOption:
    return FamilyOption(keyword, help, families, type=SIZE, metavar="N")


def choice(keyword: str, families: tuple[str, ...], known: tuple[str, ...], help: str) -> FamilyOption:
    kind = OneOf(keyword, known)
    return FamilyOption(keyword, f"{help}: {', '.join(known)}.", families, type=kind, metavar="NAME")


def role(name: str, families: tuple[str, ...], what: str) -> FamilyOption:
    return FamilyOption(f"{name}_token", f"The token {what}.", families, metavar="TOKEN")


#: Those of all families come first, then those of each, in the order of the help.
OPTIONS: tuple[FamilyOption, ...] = (
    FamilyOption(
        "vocab_size",
        "Most tokens to keep, special tokens included; may be written as 32k. Default: 32000 (bpe), 30000 (wordpiece), "
        "8000 (unigram, sentencepiece); otherwise unlimited.",
        type=SIZE,
        metavar="N",
    ),
    flag("add_bos", (), "Begin every encoding with the BOS token."),
    flag("add_eos", (), "End every encoding with the EOS token."),
    role("pad", (), "that fills up shorter inputs"),
    role("unk", (), "for what the vocabulary cannot express"),
    role("bos", (*WITH_ROLES, *SENTENCEPIECE), "that begins a text"),
    role("eos", (*WITH_ROLES, *SENTENCEPIECE), "that ends a text"),
    FamilyOption(
        "min_frequency",
        "How often a token must occur to be kept. Default: 2 (bpe, wordpiece), otherwise 1.",
        ("bpe", "wordpiece", "word", "char"),
        type=SIZE,
        metavar="N",
    ),
    flag("lowercase", ("bpe", "wordpiece", "word", "char"), "Convert the text to lower case."),
    flag("strip_accents", ("bpe", "wordpiece", "word", "char"), "Remove accents from the text."),
    choice("ties", ("bpe",), names.TIES, "Which of several equally frequent pairs is merged first, as in"),
    FamilyOption(
        "byte_level",
        "Build tokens from characters instead of bytes.",
        ("bpe",),
        flag="--characters",
        sets=False,
    ),
    FamilyOption("end_of_word_suffix", "Mark the end of each word with this, such as </w>.", ("bpe",)),
    choice("end_of_word", ("bpe",), names.ENDS_OF_WORDS, "What that mark is: part of the last character, or its own"),
    number("max_token_length", WITH_ALPHABET, "Most bytes (or characters) in a token."),
    number("limit_alphabet", WITH_ALPHABET, "Most different characters to keep."),
    FamilyOption(
        "initial_alphabet", "Characters to keep even if the text does not have them.", WITH_ALPHABET, metavar="CHARS"
    ),
    FamilyOption(
        "continuing_subword_prefix",
        "Mark tokens that continue a word with this. Default: ## (wordpiece), otherwise nothing.",
        WITH_ALPHABET,
    ),
    choice("score", ("wordpiece",), names.SCORES, "Which pair is merged first, the one with the highest"),
    FamilyOption("cased", "Keep case and accents.", ("wordpiece",), flag="--cased", sets=True),
    role("cls", ("wordpiece",), "before a text"),
    role("sep", ("wordpiece",), "after a text"),
    role("mask", ("wordpiece",), "that hides another"),
    number("max_input_chars_per_word", ("wordpiece",), "Longer words become the unknown token.  [default: 100]"),
    flag("split_cjk", ("word",), "Make each CJK ideograph a word."),
    choice("model", ("sentencepiece",), names.MODELS, "Which model to train"),
    FamilyOption(
        "normalization",
        f"How the text is normalized: {', '.join(names.NORMALIZATIONS)}, or a .tsv file of rules.",
        SENTENCEPIECE,
        type=normalization,
        metavar="NAME|FILE",
    ),
    FamilyOption(
        "character_coverage",
        "Share of the text whose characters become tokens.  [default: 0.9995]",
        SENTENCEPIECE,
        type=float,
        metavar="SHARE",
    ),
    flag("byte_fallback", ("bpe", *SENTENCEPIECE), "Encode out-of-vocabulary characters as byte tokens."),
    FamilyOption(
        "user_defined_symbols",
        "A text that is always one token; may be given several times.",
        SENTENCEPIECE,
        flag="--symbol",
        multiple=True,
    ),
    FamilyOption("required_chars", "Characters that always become tokens.", SENTENCEPIECE, metavar="CHARS"),
    number("max_piece_length", SENTENCEPIECE, "Most characters in a token.  [default: 16]"),
    flag("split_by_unicode_script", SENTENCEPIECE, "Let tokens mix scripts.", off=True),
    flag("split_by_number", SENTENCEPIECE, "Let tokens mix digits and letters.", off=True),
    flag("split_digits", SENTENCEPIECE, "Make each digit a token."),
    flag("split_by_whitespace", SENTENCEPIECE, "Let tokens reach across spaces.", off=True),
    flag("allow_whitespace_only_pieces", SENTENCEPIECE, "Allow tokens that are only spaces."),
    flag("treat_whitespace_as_suffix", SENTENCEPIECE, "Put the mark of a space at the end of a word."),
    flag("add_dummy_prefix", SENTENCEPIECE, "Do not add a space before the text.", off=True),
    flag("remove_extra_whitespaces", SENTENCEPIECE, "Keep repeated spaces.", off=True),
    FamilyOption(
        "unk_surface", "What unknown text becomes when it is decoded.  [default: ' ⁇ ']", SENTENCEPIECE, metavar="TEXT"
    ),
    number("seed_size", SENTENCEPIECE, "Candidates that Unigram starts from.  [default: 1000000]"),
    FamilyOption(
        "shrinking_factor",
        "Share of candidates that Unigram keeps in each round.  [default: 0.75]",
        SENTENCEPIECE,
        type=float,
        metavar="SHARE",
    ),
    number("sub_iterations", SENTENCEPIECE, "EM steps in each round of Unigram.  [default: 2]"),
)


def family_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds every option of the table to a command."""
    for option in reversed(OPTIONS):
        function = option.decorate(function)
    return function


def chosen(family: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of the spec that were given; refuses those of other families."""
    keywords: dict[str, Any] = {}
    for option in OPTIONS:
        value = option.value(given)
        if value is None:
            continue
        if option.families and family not in option.families:
            raise SpecError(
                f"{option.option} is for {' and '.join(option.families)}, and the family is {family}; "
                f"pass --family {option.families[0]} or leave it out"
            )
        keywords[option.keyword] = value
    return keywords
