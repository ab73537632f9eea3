"""Specs of SentencePiece models: `SentencePiece` and `Unigram`."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

from .._arguments import checks
from .._arguments.names import with_suggestions
from ..errors import FormatError, SpecError
from .specs import Vocabulary, with_options

SentencePieceModel = Literal["unigram", "bpe", "word", "char"]
Normalization = Literal["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"]

#: What only training Unigram asks for.
_OF_UNIGRAM = ("seed_size", "shrinking_factor", "sub_iterations")
#: How SentencePiece makes words.
_OF_WORDS = (
    "normalization",
    "user_defined_symbols",
    "split_by_whitespace",
    "allow_whitespace_only_pieces",
    "treat_whitespace_as_suffix",
    "add_dummy_prefix",
    "remove_extra_whitespaces",
)


@with_suggestions
@dataclass(frozen=True, kw_only=True)
class SentencePiece(Vocabulary):
    """Trains one of the four SentencePiece models on raw text: Unigram, byte-pair encoding, words or characters.

    Spaces are kept as `▁`. Each line is a text. The `special_tokens` of `train` become control symbols, which are never
    matched in a text. `save("x.model")` writes a file that `sentencepiece` reads.

    Args:
        vocab_size: The number of pieces, special tokens included. For words and characters, None keeps all.
        model: `"unigram"`, `"bpe"`, `"word"` or `"char"`.
        normalization: How characters change: `"nmt_nfkc"`, `"nfkc"`, `"nmt_nfkc_cf"`, `"nfkc_cf"`, `"identity"`, or the
            `Path` of a table of rules.
        character_coverage: The share of the text's characters that become pieces.
        required_chars: Characters that become pieces in any case.
        user_defined_symbols: Texts that are always one piece.
        byte_fallback: Encode other characters as byte pieces.
        max_piece_length: The most characters in a piece.
        split_by_unicode_script: End a piece where the script changes.
        split_by_number: End a piece between letters and digits.
        split_digits: Make each digit a piece.
        split_by_whitespace: End a piece at white space; False allows spaces inside.
        treat_whitespace_as_suffix: Put `▁` after words, not before them.
        add_dummy_prefix: Put a space before the text.
        remove_extra_whitespaces: Replace several spaces with one.
        allow_whitespace_only_pieces: Only Unigram: several `▁` may form a piece.
        seed_size: Only Unigram: the number of candidates to start with.
        shrinking_factor: Only Unigram: the share of candidates that stays after each round.
        sub_iterations: Only Unigram: how often probabilities are estimated in a round.
        unk_surface: What unknown text becomes when it is decoded.
        unk_token: The token for unknown text; None leaves it out.
        bos_token: The token for the beginning of a text; None leaves it out.
        eos_token: The token for the end of a text; None leaves it out.
        pad_token: The token for padding; None leaves it out.

    Examples:
        >>> import bytemill
        >>> spec = bytemill.SentencePiece(vocab_size=16, model="bpe")
        >>> tok = bytemill.train(["low lower lowest " * 9], spec, progress=False)
        >>> tok.tokenize("lowest low")
        ['▁lowe', 'st', '▁low']
    """

    vocab_size: int | str | None = dataclasses.field(default=8_000, kw_only=False)
    model: SentencePieceModel = "unigram"
    pad_token: str | None = None
    unk_token: str | None = "<unk>"
    bos_token: str | None = "<s>"
    eos_token: str | None = "</s>"
    normalization: Normalization | os.PathLike[str] = "nmt_nfkc"
    character_coverage: float = 0.9995
    required_chars: str = ""
    user_defined_symbols: Iterable[str] = ()
    byte_fallback: bool = False
    max_piece_length: int = 16
    seed_size: int = 1_000_000
    shrinking_factor: float = 0.75
    sub_iterations: int = 2
    split_by_unicode_script: bool = True
    split_by_number: bool = True
    split_digits: bool = False
    split_by_whitespace: bool = True
    allow_whitespace_only_pieces: bool = False
    treat_whitespace_as_suffix: bool = False
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    unk_surface: str = " \u2047 "

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "model", checks.one_of("model", self.model, get_args(SentencePieceModel)))
        if not isinstance(self.normalization, os.PathLike):
            checks.text("normalization", self.normalization)
            if self.normalization.endswith(".tsv"):
                raise SpecError(f"a table of rules is given as a path: normalization=Path({self.normalization!r})")
            normalization = checks.one_of("normalization", self.normalization, get_args(Normalization))
            object.__setattr__(self, "normalization", normalization)
        for name in ("max_piece_length", "seed_size", "sub_iterations"):
            object.__setattr__(self, name, checks.whole_number(name, getattr(self, name), least=1))
        for name in ("character_coverage", "shrinking_factor"):
            object.__setattr__(self, name, checks.number(name, getattr(self, name)))
        checks.text("required_chars", self.required_chars)
        checks.text("unk_surface", self.unk_surface)
        symbols = checks.list_of_texts("user_defined_symbols", self.user_defined_symbols)
        object.__setattr__(self, "user_defined_symbols", tuple(symbols))
        self._refuse(["min_frequency", "lowercase", "strip_accents"], type(self).__name__)
        if self.model != "unigram":
            self._refuse(_OF_UNIGRAM, f'SentencePiece(model="{self.model}")')

    def refuse_what_pieces_settle(self) -> None:
        """Refuses the options about words, because a pretokenizer makes the pieces."""
        self._refuse(_OF_WORDS, f"{type(self).__name__}(…) with a pretokenizer")

    def _refuse(self, names: Iterable[str], of: str) -> None:
        defaults = {field.name: field.default for field in fields(self)}
        for name in names:
            if getattr(self, name) != defaults[name]:
                raise SpecError(f"{name} is not for bytemill.{of}; leave it out")

    def definition(self) -> dict[str, Any]:
        definition = with_options(self, "sentencepiece")
        if isinstance(self.normalization, os.PathLike):
            definition["sentencepiece"]["normalization"] = {"tsv": _table(Path(self.normalization))}
        return definition


@with_suggestions
@dataclass(frozen=True, kw_only=True)
class Unigram(SentencePiece):
    """Trains a Unigram model: `SentencePiece(model="unigram")`, with the same options.

    The training starts with many frequent substrings of words and removes those that the text needs least. With
    `pretokenizer=bytemill.Code()` the words are pieces of source code; with `byte_fallback` any text comes back.

    Examples:
        >>> import bytemill
        >>> tok = bytemill.train(["low lower lowest " * 9], bytemill.Unigram(vocab_size=14), progress=False)
        >>> tok.decode(tok.encode("lowest low"))
        'lowest low'
    """

    model: SentencePieceModel = dataclasses.field(default="unigram", init=False)


def _table(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is no table of rules: byte {error.start} is not UTF-8") from None
