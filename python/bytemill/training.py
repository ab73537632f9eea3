"""Training: what to train (`Char`, `Word`, `BPE`, `WordPiece`, `Unigram`), from what, and `train` itself."""

from __future__ import annotations

import dataclasses
import json
import os
import warnings
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

from . import _core, checks, code, normalizers, pretokenizers
from .aliases import AnyPath
from .counting import PieceCounts, memory_bytes
from .errors import FormatError, SpecError
from .progress import Progress, watching
from .reading import Caller, LooksLikeFileNames, Source, documents
from .stages import resolve
from .tokenizer import Tokenizer, replaces_invalid

__all__ = ["BPE", "Char", "CorpusTooSmall", "LooksLikeFileNames", "Unigram", "Word", "WordPiece", "train"]


@dataclass(frozen=True, kw_only=True)
class _Vocabulary:
    """What the families share.

    The role tokens take the first ids (None leaves one out), the `special_tokens` of `train` follow, then what the
    text has: of characters and words the most frequent first, and by text among equals. `vocab_size` counts all.
    """

    vocab_size: int | None = dataclasses.field(default=None, kw_only=False)
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
        size = checks.optional_whole_number("vocab_size", self.vocab_size, least=0)
        # Frozen, but numpy's integers become plain ones.
        object.__setattr__(self, "vocab_size", size)
        object.__setattr__(self, "min_frequency", checks.whole_number("min_frequency", self.min_frequency, least=1))
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name.endswith("_token"):
                checks.optional_text(field.name, value)
            elif field.type == "bool":
                checks.flag(field.name, value)

    def definition(self) -> dict[str, Any]:
        """As the core reads it."""
        return {"family": type(self).__name__.lower(), **asdict(self)}


@dataclass(frozen=True, kw_only=True)
class Char(_Vocabulary):
    """Characters: one id for each code point.

    >>> import bytemill
    >>> tok = bytemill.train(["aabbcc"], bytemill.Char(), progress=False)
    >>> tok.vocab_size, tok.encode("cab<EOS>")
    (7, [6, 4, 5, 3])
    """


@dataclass(frozen=True, kw_only=True)
class Word(_Vocabulary):
    """Words: one id for each word and punctuation mark; CJK ideographs one by one with `split_cjk`.

    >>> import bytemill
    >>> tok = bytemill.train(["Hello, world!"], bytemill.Word(), progress=False)
    >>> tok.tokenize("Hello, you!")
    ['Hello', ',', '<UNK>', '!']
    """

    split_cjk: bool = False


Ties = Literal["bytemill", "huggingface", "tiktoken", "cs336", "sentencepiece", "rustbpe"]


@dataclass(frozen=True, kw_only=True)
class BPE(_Vocabulary):
    """Byte-pair encoding: the most frequent pair of neighbours becomes a token, until there are `vocab_size` of them.

    `ties` says which of equally frequent pairs goes first, by the name of the trainer that decides so. A token is made
    of bytes, or with `byte_level=False` of characters.

    >>> import bytemill
    >>> tok = bytemill.train(["low lower lowest"], bytemill.BPE(vocab_size=260), progress=False)
    >>> tok.tokenize("lowest low")
    ['low', 'e', 's', 't', ' low']
    """

    vocab_size: int | None = dataclasses.field(default=32_000, kw_only=False)
    min_frequency: int = 2
    pad_token: str | None = None
    unk_token: str | None = None
    bos_token: str | None = None
    eos_token: str | None = None
    ties: Ties = "bytemill"
    max_token_length: int | None = None
    initial_alphabet: Iterable[str] | None = None
    limit_alphabet: int | None = None
    end_of_word_suffix: str | None = None
    continuing_subword_prefix: str | None = None
    byte_level: bool = True
    byte_fallback: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.one_of("ties", self.ties, get_args(Ties))
        for name in ("max_token_length", "limit_alphabet"):
            object.__setattr__(self, name, checks.optional_whole_number(name, getattr(self, name), least=1))
        for name in ("end_of_word_suffix", "continuing_subword_prefix"):
            checks.optional_text(name, getattr(self, name))
        _settle_alphabet(self)

    def definition(self) -> dict[str, Any]:
        return _with_options(self, "bpe")


Score = Literal["frequency", "likelihood"]


@dataclass(frozen=True, kw_only=True)
class WordPiece(_Vocabulary):
    """WordPiece, with the stages and special tokens of BERT.

    Tokens are made of characters by merging the best pair of neighbours, until there are `vocab_size` of them. The
    best is the most frequent one (`score="frequency"`, as BERT's tools train), or the one that is most frequent for
    how often its two parts are (`"likelihood"`). `lowercase=False, strip_accents=False` keeps case.

    >>> import bytemill
    >>> spec = bytemill.WordPiece(vocab_size=24, min_frequency=1)
    >>> tok = bytemill.train(["low lower lowest newest"], spec, progress=False)
    >>> tok.tokenize("Lowest new"), tok("low").tokens
    (['lowe', '##st', 'ne', '##w'], ['[CLS]', 'lo', '##w', '[SEP]'])
    """

    vocab_size: int | None = dataclasses.field(default=30_000, kw_only=False)
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
        checks.one_of("score", self.score, get_args(Score))
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
        return _with_options(self, "wordpiece")


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
class SentencePiece(_Vocabulary):
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

    vocab_size: int | None = dataclasses.field(default=8_000, kw_only=False)
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
        checks.one_of("model", self.model, get_args(SentencePieceModel))
        if not isinstance(self.normalization, os.PathLike):
            checks.text("normalization", self.normalization)
            if self.normalization.endswith(".tsv"):
                raise SpecError(f"a table of rules is given as a path: normalization=Path({self.normalization!r})")
            checks.one_of("normalization", self.normalization, get_args(Normalization))
        for name in ("max_piece_length", "seed_size", "sub_iterations"):
            object.__setattr__(self, name, checks.whole_number(name, getattr(self, name), least=1))
        for name in ("character_coverage", "shrinking_factor"):
            object.__setattr__(self, name, checks.number(name, getattr(self, name)))
        checks.text("required_chars", self.required_chars)
        symbols = checks.list_of_texts("user_defined_symbols", self.user_defined_symbols)
        object.__setattr__(self, "user_defined_symbols", tuple(symbols))
        self._refuse(["min_frequency", "lowercase", "strip_accents", "add_bos", "add_eos"], type(self).__name__)
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
        definition = _with_options(self, "sentencepiece")
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


def _settle_alphabet(spec: BPE | WordPiece) -> None:
    if spec.initial_alphabet is not None:
        # A str is as good as the list of its characters.
        characters = checks.list_of_texts("initial_alphabet", list(spec.initial_alphabet))
        object.__setattr__(spec, "initial_alphabet", tuple(characters))


def _table(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is no table of rules: byte {error.start} is not UTF-8") from None


def _with_options(spec: BPE | WordPiece | SentencePiece, family: str) -> dict[str, Any]:
    """What all families have by itself, and what is of this one under its name."""
    shared = {field.name for field in fields(_Vocabulary)} | {"split_cjk"}
    values = asdict(spec)
    own = {name: value for name, value in values.items() if name not in shared}
    return {name: value for name, value in values.items() if name in shared} | {"family": family, family: own}


Spec = Char | Word | BPE | WordPiece | SentencePiece


#: How long to count before a checkpoint is written; longer where writing it takes long.
CHECKPOINT_SECONDS = 30.0


class CorpusTooSmall(UserWarning):
    """The training text cannot fill the vocabulary that was asked for."""


def train(
    source: Source | PieceCounts,
    spec: Spec,
    *,
    special_tokens: Iterable[str] = (),
    normalizer: normalizers.Normalizer | str | None = None,
    pretokenizer: pretokenizers.PreTokenizer | str | None = None,
    continue_from: Tokenizer | None = None,
    log: AnyPath | None = None,
    field: str = "text",
    errors: str = "strict",
    threads: int | None = None,
    memory: int | str | None = None,
    checkpoint: AnyPath | None = None,
    save: AnyPath | Callable[[Tokenizer], object] | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
) -> Tokenizer:
    """Trains a tokenizer; the result is the same for any number of threads.

    `source` is a path (a file, or a folder with everything below it), a list of `Path`, or any other iterable of
    `str`, each one a document. Files may be text or `.jsonl` (the `field` of each line), plain or compressed
    (`.gz`, `.zst`). `normalizer` and `pretokenizer` are objects or names, and take the place of what the spec
    would set up; with `Code`, a folder stands for its source files, as `.gitignore` allows. With `memory` (bytes, or a
    text such as "2GB"), what would outgrow it goes to temporary files.

    `source` may also be `PieceCounts`, or the path of a `.counts` file. Then these say how the text became pieces, and
    what contradicts them is refused.

    Of BPE: `continue_from` is a tokenizer that learns more merges, its ids as they are; `log` is a file for the merges
    with their counts, a JSON object on each line.

    With `checkpoint`, what was counted is saved in that file now and then, and when Ctrl-C or an error stops the
    training; the same call goes on from there, and removes the file when it is done. `save` is a file for the
    tokenizer, or a function that saves it; if that fails, the checkpoint stays.
    """
    if not isinstance(spec, (Char, Word, BPE, WordPiece, SentencePiece)):
        named = [f"bytemill.{kind.__name__}(…)" for kind in (Char, Word, BPE, WordPiece, Unigram, SentencePiece)]
        known = ", ".join(named[:-1]) + " or " + named[-1]
        raise TypeError(f"spec is {known}, not {type(spec).__name__}")
    threads = checks.optional_whole_number("threads", threads, least=1)
    if normalizer is not None:
        _refuse_double_normalization(spec)
    if isinstance(spec, SentencePiece) and pretokenizer is not None:
        spec.refuse_what_pieces_settle()
    if log is not None and not isinstance(spec, BPE):
        raise SpecError("log=… is for the merges of bytemill.BPE(…)")
    special_tokens = checks.list_of_texts("special_tokens", special_tokens)
    if continue_from is not None:
        _refuse_what_is_settled(
            spec, {"normalizer": normalizer, "pretokenizer": pretokenizer, "special_tokens": special_tokens or None}
        )
    if isinstance(pretokenizer, pretokenizers.Code) or pretokenizer == "code":
        source = _source_files(source)
    counts = _counts_of(source)
    if checkpoint is not None and counts is not None:
        raise SpecError("checkpoint=… is for counting, and the source is counted already; leave it out")
    read = documents(source, Caller("train", "train on", "trained on")) if counts is None else counts
    with watching(progress) as watcher:
        handle, notes = _core.train(
            read,
            json.dumps(spec.definition()),
            special_tokens,
            resolve(normalizer, normalizers.Normalizer, normalizers.NAMED),
            resolve(pretokenizer, pretokenizers.PreTokenizer, pretokenizers.NAMED),
            field,
            replaces_invalid(errors),
            threads,
            memory_bytes(memory),
            continue_from,
            None if log is None else os.fspath(log),
            None if checkpoint is None else (os.fspath(checkpoint), CHECKPOINT_SECONDS),
            watcher,
        )
    for note in notes:
        warnings.warn(note, CorpusTooSmall, stacklevel=2)
    tok = Tokenizer(handle)
    if callable(save):
        save(tok)
    elif save is not None:
        tok.save(save)
    if checkpoint is not None:
        Path(checkpoint).unlink()
    return tok


def _source_files(source: Source | PieceCounts) -> Source | PieceCounts:
    """Of a folder the files that are source code."""
    return code.files(source) if isinstance(source, (str, os.PathLike)) and Path(source).is_dir() else source


def _counts_of(source: Source | PieceCounts) -> _core.Counts | None:
    """The counts that a source is or names, if it does; those of several files are merged."""
    if isinstance(source, PieceCounts):
        return source._core
    paths = [source] if isinstance(source, (str, os.PathLike)) else source if isinstance(source, (list, tuple)) else []
    if isinstance(source, (list, tuple)) and not all(isinstance(path, os.PathLike) for path in paths):
        return None
    named = [Path(path).suffix == ".counts" for path in paths]
    if not any(named):
        return None
    if not all(named):
        raise SpecError(
            f"counts and texts cannot be trained on together: {paths[named.index(False)]} holds no counts; "
            "count the texts and merge all"
        )
    return PieceCounts.merge(map(PieceCounts.load, paths), progress=False)._core


def _refuse_double_normalization(spec: Spec) -> None:
    if isinstance(spec, WordPiece):
        # Its own normalizer is a default, and not what somebody asked for.
        return
    for option in ("lowercase", "strip_accents", "split_cjk"):
        if getattr(spec, option, False):
            raise SpecError(f"{option}=True and normalizer=… both say how to normalize; leave one of them out")


#: What a spec says of more merges; all else is settled by the tokenizer that they are for.
_OF_MERGES = ("vocab_size", "min_frequency", "ties", "max_token_length")


def _refuse_what_is_settled(spec: Spec, stages: dict[str, Any]) -> None:
    if not isinstance(spec, BPE):
        raise SpecError("continue_from=… goes with bytemill.BPE(…)")
    changed = [f.name for f in fields(spec) if f.name not in _OF_MERGES and getattr(spec, f.name) != f.default]
    given = [*changed, *(name for name, value in stages.items() if value is not None)]
    if given:
        raise SpecError(f"{given[0]} is settled by continue_from; leave it out")
