"""Specs of SentencePiece models: `SentencePiece` and `Unigram`."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

from .._arguments import checks
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


@dataclass(frozen=True, kw_only=True)
class SentencePiece(Vocabulary):
    """The four models of SentencePiece, trained on raw text: Unigram, byte-pair encoding, words, characters.

    A text is normalized as `normalization` says, a name or the `Path` of a table of rules, and otherwise taken as it
    is; spaces are kept as `▁`. Each line is a text of its own. `special_tokens` are control symbols, which no text
    becomes. `save("x.model")` writes what `sentencepiece` reads.

    >>> import bytemill
    >>> spec = bytemill.SentencePiece(vocab_size=16, model="bpe")
    >>> tok = bytemill.train(["low lower lowest " * 9], spec, progress=False)
    >>> tok.tokenize("lowest low")
    ['▁low', 'est', '▁low']
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
        symbols = checks.list_of_texts("user_defined_symbols", self.user_defined_symbols)
        object.__setattr__(self, "user_defined_symbols", tuple(symbols))
        self._refuse(["min_frequency", "lowercase", "strip_accents"], type(self).__name__)
        if self.model != "unigram":
            self._refuse(_OF_UNIGRAM, f'SentencePiece(model="{self.model}")')

    def refuse_what_pieces_settle(self) -> None:
        """What says how a text becomes words, where a pretokenizer does."""
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


@dataclass(frozen=True, kw_only=True)
class Unigram(SentencePiece):
    """`SentencePiece(model="unigram")`: frequent stretches of words, less those that the text can do best without.

    With `pretokenizer=bytemill.Code()` words are the pieces of source code, as they stand in it; with `byte_fallback`
    any text comes back.

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
