"""`tokenizers.models`: what turns pieces of text into tokens."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

from ... import _core
from ..._whole_files import write_whole
from ...errors import BytemillError
from ._encoding import ignore
from ._errors import as_the_library, of_engine
from ._normalized import Token
from ._shown import REPR, STR, Shown
from ._stage import State, Watched, compact, of_kind


class Model(Watched):
    """The base of all models. Its lists are in the engine."""

    _kinds: ClassVar[dict[str, type[Model]]] = {}
    _type: ClassVar[str] = ""
    #: The parameters as the file orders them, with what they are if nobody says; null stands for lists.
    _defaults: ClassVar[State] = {}
    #: What the library calls its trainer.
    _trainer: ClassVar[str] = ""

    _parameters: State
    _staged: _core.StagedModel

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if cls._type:
            cls._kinds.setdefault(cls._type, cls)

    def __new__(cls, *arguments: Any, **keywords: Any) -> Any:
        # Without a class there is a model all the same: byte-pair encoding of nothing.
        return super().__new__(BPE if cls is Model else cls)

    def _build(self, parameters: State, vocab: Any, merges: Any = None) -> None:
        """Makes the model of its parameters and lists."""
        self._parameters = {"type": self._type, **self._defaults, **parameters}
        whole = {**self._parameters, "vocab": vocab}
        if "merges" in self._defaults:
            whole["merges"] = merges
        self._staged, _ = _core.StagedModel.open(compact({"version": "1.0", "model": whole}).encode())

    @classmethod
    def _of_parts(cls, parameters: State, staged: _core.StagedModel) -> Any:
        """The model of a file: its parameters without lists, and what the engine has made of it."""
        model = Model._kinds[_kind(parameters)]
        made = model.__new__(model)
        made._take(parameters, staged)
        return made

    def _take(self, parameters: State, staged: _core.StagedModel) -> None:
        known = {name: parameters[name] for name in self._defaults if name in parameters}
        self._parameters = {"type": self._type, **self._defaults, **known}
        self._staged = staged

    def _set(self, name: str, value: Any) -> None:
        parameters = {**self._parameters, name: value}
        with as_the_library():
            self._staged = self._staged.with_parameters(compact(parameters))
        self._parameters = parameters
        self._changed()

    def _json(self) -> str:
        return self._staged.write_model(compact(self._parameters))

    def __getstate__(self) -> bytes:
        return self._json().encode()

    def __setstate__(self, state: bytes) -> None:
        with as_the_library():
            staged, _ = _core.StagedModel.open(b'{"version":"1.0","model":' + state + b"}")
        parameters = json.loads(state)
        lists = {name: None for name in ("vocab", "merges") if name in parameters}
        self._take({**parameters, **lists}, staged)

    def __repr__(self) -> str:
        return Shown(REPR).value(json.loads(self._json()))

    def __str__(self) -> str:
        return Shown(STR).value(json.loads(self._json()))

    def tokenize(self, sequence: str) -> list[Token]:
        """Returns the tokens of one piece."""
        of_kind(sequence, str)
        try:
            return [Token(*token) for token in self._staged.tokenize(sequence)]
        except BytemillError as error:
            raise of_engine(error, self._type, self._unk()) from error

    def _unk(self) -> str | None:
        unk: str | None = self._parameters.get("unk_token")
        return unk

    def token_to_id(self, tokens: str) -> int | None:
        of_kind(tokens, str)
        return self._staged.token_to_id(tokens)

    def id_to_token(self, id: int) -> str | None:
        return self._staged.id_to_token(id)

    def save(self, folder: str, prefix: str | None = None) -> list[str]:
        """Writes the lists to files in a folder, and returns their names."""
        paths = []
        for name, text in self._files().items():
            path = Path(folder) / (name if prefix is None else f"{prefix}-{name}")
            try:
                write_whole(path, text)
            except OSError as error:
                raise Exception(f"{error.strerror} (os error {error.errno})") from error
            paths.append(os.fspath(path))
        return paths

    def _files(self) -> dict[str, str]:
        raise NotImplementedError

    def get_trainer(self) -> Any:
        """Returns the trainer of such a model."""
        from . import trainers  # It needs models.

        return getattr(trainers, self._trainer)()


def _kind(parameters: State) -> str:
    """What a model is, which old files do not say."""
    if "type" in parameters:
        return str(parameters["type"])
    if "merges" in parameters:
        return "BPE"
    if "continuing_subword_prefix" in parameters:
        return "WordPiece"
    return "Unigram" if "unk_id" in parameters else "WordLevel"


def _parameter(name: str) -> Any:
    def get(model: Model) -> Any:
        return model._parameters[name]

    def put(model: Model, value: Any) -> None:
        model._set(name, value)

    return property(get, put)


def _read(path: str, error: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as reason:
        raise Exception(f"{error}{reason.strerror} (os error {reason.errno})") from reason


def _vocabulary(path: str, error: str) -> dict[str, int]:
    try:
        vocab: dict[str, int] = json.loads(_read(path, error))
    except ValueError as reason:
        raise Exception(f"{error}{reason}") from reason
    return vocab


class BPE(Model):
    _type = "BPE"
    _trainer = "BpeTrainer"
    _defaults: ClassVar[State] = {
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": None,
        "merges": None,
    }

    def __init__(
        self,
        vocab: dict[str, int] | str | None = None,
        merges: list[tuple[str, str]] | str | None = None,
        **keywords: Any,
    ) -> None:
        if (vocab is None) != (merges is None):
            raise ValueError("`vocab` and `merges` must be both specified")
        if isinstance(vocab, str) and isinstance(merges, str):
            vocab, merges = self.read_file(vocab, merges)
        keywords.pop("cache_capacity", None)
        known = {name: keywords.pop(name) for name in list(keywords) if name in self._defaults}
        ignore(keywords)
        pairs = [list(merge) for merge in merges or []]
        dropout = known.get("dropout")
        if dropout is not None and not 0.0 <= dropout <= 1.0:
            raise Exception("Error while initializing BPE: Dropout should be between 0 and 1, inclusive")
        for token in (token for pair in pairs for token in pair if token not in (vocab or {})):
            raise Exception(f"Error while initializing BPE: Token `{token}` out of vocabulary")
        with as_the_library(before="Error while initializing BPE: "):
            self._build(known, vocab or {}, pairs)

    dropout = _parameter("dropout")
    unk_token = _parameter("unk_token")
    continuing_subword_prefix = _parameter("continuing_subword_prefix")
    end_of_word_suffix = _parameter("end_of_word_suffix")
    fuse_unk = _parameter("fuse_unk")
    byte_fallback = _parameter("byte_fallback")
    ignore_merges = _parameter("ignore_merges")

    @staticmethod
    def read_file(vocab: str, merges: str) -> tuple[dict[str, int], list[tuple[str, str]]]:
        """Reads vocab.json and merges.txt."""
        error = "Error while reading vocab & merges files: "
        pairs = []
        for number, line in enumerate(_read(merges, error).split("\n"), 1):
            line = line.removesuffix("\r")
            if not line or line.startswith("#version"):
                continue
            parts = line.split(" ")
            if len(parts) != 2:
                raise Exception(f"{error}Merges text file invalid at line {number}")
            pairs.append((parts[0], parts[1]))
        return _vocabulary(vocab, error), pairs

    @classmethod
    def from_file(cls, vocab: str, merges: str, **kwargs: Any) -> BPE:
        return cls(*cls.read_file(vocab, merges), **kwargs)

    def _files(self) -> dict[str, str]:
        merges = "".join(f"{left} {right}\n" for left, right in self._staged.merges())
        return {"vocab.json": compact(self._staged.vocab()), "merges.txt": f"#version: 0.2\n{merges}"}

    def _clear_cache(self) -> None:
        """The engine's memory needs no care."""

    def _resize_cache(self, capacity: int) -> None:
        """The engine's memory needs no care."""


class WordPiece(Model):
    _type = "WordPiece"
    _trainer = "WordPieceTrainer"
    _defaults: ClassVar[State] = {
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": None,
    }

    def __init__(self, vocab: dict[str, int] | str | None = None, **kwargs: Any) -> None:
        known = {name: kwargs.pop(name) for name in list(kwargs) if name in self._defaults}
        ignore(kwargs, "kwargs")
        vocab = self.read_file(vocab) if isinstance(vocab, str) else vocab
        with as_the_library():
            self._build(known, vocab or {})

    unk_token = _parameter("unk_token")
    continuing_subword_prefix = _parameter("continuing_subword_prefix")
    max_input_chars_per_word = _parameter("max_input_chars_per_word")

    @staticmethod
    def read_file(vocab: str) -> dict[str, int]:
        """Reads vocab.txt."""
        lines = _read(vocab, "Error while reading WordPiece file: ").split("\n")
        if lines and not lines[-1]:
            lines.pop()
        return {line.rstrip(): number for number, line in enumerate(lines)}

    @classmethod
    def from_file(cls, vocab: str, **kwargs: Any) -> WordPiece:
        return cls(cls.read_file(vocab), **kwargs)

    def _files(self) -> dict[str, str]:
        return {"vocab.txt": "".join(f"{token}\n" for token in self._staged.vocab())}


class WordLevel(Model):
    _type = "WordLevel"
    _trainer = "WordLevelTrainer"
    _defaults: ClassVar[State] = {"vocab": None, "unk_token": "<unk>"}

    def __init__(self, vocab: dict[str, int] | str | None = None, unk_token: str | None = None) -> None:
        if unk_token is not None:
            of_kind(unk_token, str)
        known = {} if unk_token is None else {"unk_token": unk_token}
        vocab = self.read_file(vocab) if isinstance(vocab, str) else vocab
        with as_the_library():
            self._build(known, vocab or {})

    unk_token = _parameter("unk_token")

    @staticmethod
    def read_file(vocab: str) -> dict[str, int]:
        """Reads vocab.json."""
        return _vocabulary(vocab, "Error while reading WordLevel file: ")

    @classmethod
    def from_file(cls, vocab: str, unk_token: str | None = None) -> WordLevel:
        return cls(cls.read_file(vocab), unk_token)

    def _files(self) -> dict[str, str]:
        return {"vocab.json": compact(self._staged.vocab())}


class Unigram(Model):
    _type = "Unigram"
    _trainer = "UnigramTrainer"
    _defaults: ClassVar[State] = {"unk_id": None, "vocab": None, "byte_fallback": False}

    #: For sampling, which the file does not say.
    _alpha: float | None = None
    _nbest_size: int | None = None

    def __init__(
        self,
        vocab: Iterable[tuple[str, float]] | None = None,
        unk_id: int | None = None,
        byte_fallback: bool | None = None,
        alpha: float | None = None,
        nbest_size: int | None = None,
    ) -> None:
        if isinstance(vocab, str):
            raise TypeError("Can't extract `str` to `Vec`")
        if vocab is None and unk_id is None:
            vocab, unk_id = [("<unk>", 0.0)], 0
        pieces = [[token, float(score)] for token, score in vocab or []]
        if unk_id is not None and unk_id >= len(pieces):
            reason = (
                "The `unk_id` is larger than vocabulary size"
                if pieces
                else "The vocabulary is empty but at least `<unk>` is needed"
            )
            raise Exception(f"Error while loading Unigram: {reason}")
        with as_the_library(before="Error while loading Unigram: "):
            self._build({"unk_id": unk_id, "byte_fallback": bool(byte_fallback)}, pieces)
        self._alpha, self._nbest_size = alpha, nbest_size

    @property
    def alpha(self) -> float | None:
        return self._alpha

    @alpha.setter
    def alpha(self, alpha: float | None) -> None:
        self._alpha = alpha

    @property
    def nbest_size(self) -> int | None:
        return self._nbest_size

    @nbest_size.setter
    def nbest_size(self, nbest_size: int | None) -> None:
        self._nbest_size = nbest_size

    def _files(self) -> dict[str, str]:
        return {"unigram.json": self._json()}

    def _clear_cache(self) -> None:
        """The engine's memory needs no care."""

    def _resize_cache(self, capacity: int) -> None:
        """The engine's memory needs no care."""
