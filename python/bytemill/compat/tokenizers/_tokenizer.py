"""Tokenizer: a model with the stages around it, which can be exchanged."""

from __future__ import annotations

import asyncio
import json
import random
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from ... import _core
from ...errors import BytemillError
from . import _slow
from ._added import AddedToken
from ._encoding import Encoding, ignore
from ._errors import as_the_library, of_engine
from ._lengths import (
    as_arguments,
    padded_length,
    padding_of,
    shown_padding,
    shown_truncation,
    truncation_of,
)
from ._shown import REPR, STR, Shown
from ._stage import Stage, State, Watched, compact, of_kind
from .decoders import Decoder
from .models import BPE, Model, Unigram
from .normalizers import Normalizer
from .pre_tokenizers import PreTokenizer
from .processors import PostProcessor, processed

Result = TypeVar("Result")

#: What most calls leave to chance.
_NOTHING: dict[str, Any] = {}

_TEXT = "TextInputSequence must be str"
_WORDS = "PreTokenizedInputSequence must be Union[List[str], Tuple[str]]"
_INPUT = "TextEncodeInput must be Union[TextInputSequence, Tuple[InputSequence, InputSequence]]"
_WORDS_INPUT = (
    "PreTokenizedEncodeInput must be Union[PreTokenizedInputSequence, "
    "Tuple[PreTokenizedInputSequence, PreTokenizedInputSequence]]"
)


def _stage(name: str, kind: type[Stage]) -> Any:
    """The attribute that holds a stage."""

    def get(tokenizer: Tokenizer) -> Stage | None:
        return tokenizer._stages[name]

    def put(tokenizer: Tokenizer, stage: Stage | None) -> None:
        if stage is not None:
            of_kind(stage, kind)
        tokenizer._exchange(name, stage)

    return property(get, put)


class Tokenizer(Watched):
    """Turns texts into encodings, and ids into texts. Everything about it can be changed."""

    _model: Model
    _stages: dict[str, Stage | None]
    _truncation: State | None
    _padding: State | None
    #: Both as arguments of a call: they change often, and the engine stays what it is.
    _lengths: dict[str, Any]
    #: The added tokens by id, and the ids by their content.
    _added: dict[int, AddedToken]
    _added_ids: dict[str, int]
    _splits_special: bool
    #: The engine for all of this; None after a change.
    _engine: _core.Tokenizer | None
    #: How often anything was changed, so that no thread keeps an engine of before.
    _changes: int
    _adding: threading.Lock
    #: Whether stages are written in Python, and whether there is no post-processor; known with the engine.
    _is_slow: bool
    _is_bare: bool

    def __init__(self, model: Model) -> None:
        of_kind(model, Model)
        self._start(model)

    def _start(self, model: Model) -> None:
        self._model = model
        model._used_by(self)
        self._stages = dict.fromkeys(("normalizer", "pre_tokenizer", "post_processor", "decoder"))
        self._truncation = self._padding = None
        self._lengths = {}
        self._added, self._added_ids = {}, {}
        self._splits_special = False
        self._engine = None
        self._changes = 0
        self._adding = threading.Lock()

    normalizer = _stage("normalizer", Normalizer)
    pre_tokenizer = _stage("pre_tokenizer", PreTokenizer)
    post_processor = _stage("post_processor", PostProcessor)
    decoder = _stage("decoder", Decoder)

    def _exchange(self, name: str, stage: Stage | None) -> None:
        before = self._stages[name]
        self._stages[name] = stage
        if before is not None and before not in self._stages.values():
            before._left_by(self)
        if stage is not None:
            stage._used_by(self)
        self._changed()

    def _changed(self) -> None:
        self._changes += 1
        self._engine = None
        super()._changed()

    @property
    def model(self) -> Any:
        return self._model

    @model.setter
    def model(self, model: Model) -> None:
        of_kind(model, Model)
        self._model._left_by(self)
        self._model = model
        model._used_by(self)
        self._changed()

    # Reading and writing

    @staticmethod
    def from_str(json: str) -> Tokenizer:
        of_kind(json, str)
        return _read(json.encode())

    @staticmethod
    def from_buffer(buffer: bytes) -> Tokenizer:
        of_kind(buffer, bytes)
        try:
            return _read(buffer)
        except Exception as error:
            raise ValueError(f"Cannot instantiate Tokenizer from buffer: {error}") from error

    @staticmethod
    def from_file(path: str) -> Tokenizer:
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            raise Exception(f"{error.strerror} (os error {error.errno})") from error
        return _read(data)

    @staticmethod
    def from_pretrained(identifier: str, revision: str = "main", token: str | None = None) -> Tokenizer:
        """Reads a tokenizer of the Hugging Face hub, from its cache if that has it."""
        from ... import _caches  # Most programs read files.

        if token is not None:
            raise Exception(
                "from_pretrained(token=…) is not offered: log in with huggingface_hub, which keeps the token"
            )
        with as_the_library(), _caches.find(identifier, None if revision == "main" else revision) as found:
            path = Path(found.path)
            return Tokenizer.from_file(str(path / "tokenizer.json" if path.is_dir() else path))

    def to_str(self, pretty: bool = False) -> str:
        with as_the_library():
            return self._model._staged.write(compact(self._rest()), compact(self._model._parameters), pretty)

    def save(self, path: str, pretty: bool = True) -> None:
        text = self.to_str(pretty)
        try:
            Path(path).write_text(text, encoding="utf-8")
        except OSError as error:
            raise Exception(f"{error.strerror} (os error {error.errno})") from error

    def _rest(self, without_custom: bool = False) -> State:
        """The file without the model."""
        stages = {
            name: None if stage is None or (without_custom and stage._is_custom()) else stage._json()
            for name, stage in self._stages.items()
        }
        added = [{"id": id, **token.__getstate__()} for id, token in sorted(self._added.items())]
        return {
            "version": "1.0",
            "truncation": self._truncation,
            "padding": self._padding,
            "added_tokens": added,
            **stages,
        }

    def __getnewargs__(self) -> tuple[Model]:
        return (BPE(),)

    def __getstate__(self) -> bytes:
        return self.to_str().encode()

    def __setstate__(self, state: bytes) -> None:
        self._take(state)

    def _take(self, data: bytes) -> None:
        try:
            staged, rest_json = _core.StagedModel.open(data)
        except BytemillError as error:
            raise Exception(str(error)) from error
        rest = json.loads(rest_json)
        # Only the parameters of the model: its lists stay in the engine.
        self._start(Model._of_parts(json.loads(staged.parameters()), staged))
        kinds = {
            "normalizer": Normalizer,
            "pre_tokenizer": PreTokenizer,
            "post_processor": PostProcessor,
            "decoder": Decoder,
        }
        for name, kind in kinds.items():
            if rest.get(name) is not None:
                self._exchange(name, kind._of_json(rest[name]))
        truncation, self._padding = rest.get("truncation"), rest.get("padding")
        # Old files do not say at which end they cut.
        self._truncation = None if truncation is None else {"direction": "Right", **truncation}
        self._lengths = as_arguments(self._truncation, self._padding)
        for token in rest.get("added_tokens") or []:
            added = AddedToken.__new__(AddedToken)
            added.__setstate__({name: value for name, value in token.items() if name != "id"})
            self._add([added])

    def _shown(self, most: int) -> str:
        state = {**self._rest(), "model": json.loads(self._model._json())}
        return f"Tokenizer({Shown(most).arguments(state)})"

    def __repr__(self) -> str:
        return self._shown(REPR)

    def __str__(self) -> str:
        return self._shown(STR)

    # Tokens

    def add_tokens(self, tokens: Sequence[str | AddedToken]) -> int:
        """Adds tokens that the model does not have. Returns how many were added."""
        of_kind(tokens, list)
        return self._add([AddedToken._of(token) for token in tokens])

    def add_special_tokens(self, tokens: Sequence[str | AddedToken]) -> int:
        """Adds special tokens, which decoding can leave out. Returns how many were added."""
        of_kind(tokens, list)
        return self._add([AddedToken._of(token, special=True) for token in tokens])

    def _add(self, tokens: list[AddedToken]) -> int:
        with self._adding:
            # Others may be reading the ones that are there.
            added, ids = dict(self._added), dict(self._added_ids)
            count = sum(self._added_one(token, added, ids) for token in tokens)
            self._added, self._added_ids = added, ids
        if count:
            self._changed()
        return count

    def _added_one(self, token: AddedToken, added: dict[int, AddedToken], ids: dict[str, int]) -> bool:
        """Gives a token its id, by the rule of the library; False if it has one already."""
        known = ids.get(token.content)
        if not token.content or (known is not None and added.get(known) == token):
            return False
        staged = self._model._staged
        id = staged.token_to_id(token.content) if known is None else known
        if id is None:
            size, last = len(staged), max(added, default=-1)
            id = last + 1 if last >= size or not (size or last < 0) else size
        added[id], ids[token.content] = token, id
        return True

    def get_added_tokens_decoder(self) -> dict[int, AddedToken]:
        return {id: token._copy() for id, token in sorted(self._added.items())}

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        vocab = self._model._staged.vocab()
        return {**vocab, **self._added_ids} if with_added_tokens else vocab

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        staged = self._model._staged
        if not with_added_tokens:
            return len(staged)
        return len(staged) + sum(staged.token_to_id(token) is None for token in self._added_ids)

    def token_to_id(self, token: str) -> int | None:
        of_kind(token, str)
        id = self._added_ids.get(token)
        return self._model._staged.token_to_id(token) if id is None else id

    def id_to_token(self, id: int) -> str | None:
        added = self._added.get(id)
        return self._model._staged.id_to_token(id) if added is None else added.content

    @property
    def encode_special_tokens(self) -> bool:
        """Whether special tokens in a text are text like any other."""
        return self._splits_special

    @encode_special_tokens.setter
    def encode_special_tokens(self, value: bool) -> None:
        self._splits_special = value

    # Lengths

    def enable_truncation(
        self,
        max_length: int,
        stride: int = 0,
        strategy: str = "longest_first",
        direction: str = "right",
        **kwargs: Any,
    ) -> None:
        ignore(kwargs)
        truncation = truncation_of(max_length, stride, strategy, direction)
        added = self.num_special_tokens_to_add(False)
        room = max_length - added
        if room < stride:
            raise ValueError(
                f"tokenizer stride set to {stride}, which is greater than or equal to its effective max length of "
                f"{room} (= {max_length} original max length - {added} added special tokens), "
            )
        self._truncation = truncation
        self._lengths = as_arguments(self._truncation, self._padding)

    def no_truncation(self) -> None:
        self._truncation = None
        self._lengths = as_arguments(None, self._padding)

    @property
    def truncation(self) -> dict[str, Any] | None:
        return shown_truncation(self._truncation)

    def enable_padding(
        self,
        *,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
        length: int | None = None,
        pad_to_multiple_of: int | None = None,
        **kwargs: Any,
    ) -> None:
        ignore(kwargs)
        self._padding = padding_of(direction, pad_id, pad_type_id, pad_token, length, pad_to_multiple_of)
        self._lengths = as_arguments(self._truncation, self._padding)

    def no_padding(self) -> None:
        self._padding = None
        self._lengths = as_arguments(self._truncation, None)

    @property
    def padding(self) -> dict[str, Any] | None:
        return shown_padding(self._padding)

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        processor = self._stages["post_processor"]
        return processor.num_special_tokens_to_add(is_pair) if isinstance(processor, PostProcessor) else 0

    # Encoding

    def _ready(self) -> _core.Tokenizer:
        """The engine for what the tokenizer is now."""
        engine = self._engine
        while engine is None:
            changes = self._changes
            with as_the_library():
                rest = {**self._rest(without_custom=True), "truncation": None, "padding": None}
                engine = _core.Tokenizer(self._model._staged.with_stages(compact(rest)))
            stages = (self._stages["normalizer"], self._stages["pre_tokenizer"])
            self._is_slow = any(stage is not None and stage._is_custom() for stage in stages)
            self._is_bare = self._stages["post_processor"] is None
            if changes == self._changes:
                self._engine = engine
            else:
                # Another thread has changed it meanwhile.
                engine = None
        return engine

    def _matched(self) -> set[str] | None:
        """The added tokens that are looked for in a text; None for all."""
        if not self._splits_special:
            return None
        return {token.content for token in self._added.values() if not token.special}

    def _chance(self) -> dict[str, Any]:
        """What is left to chance, which differs from call to call."""
        model = self._model
        if type(model) is BPE and model._parameters["dropout"]:
            return {"seed": random.getrandbits(63)}
        if type(model) is Unigram and model.alpha is not None and model.nbest_size is not None:
            return {"alpha": model.alpha, "nbest_size": model.nbest_size, "seed": random.getrandbits(63)}
        return _NOTHING

    def encode(
        self, sequence: Any, pair: Any = None, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> Encoding:
        """Returns the tokens of a text, or a pair."""
        if is_pretokenized or type(sequence) is not str or (pair is not None and type(pair) is not str):
            sequence, pair = _sequence(sequence, is_pretokenized), _optional(pair, is_pretokenized)
        engine = self._engine or self._ready()
        if self._is_slow:
            return _slow.encode(self, sequence, pair, is_pretokenized, add_special_tokens)
        chance = self._chance()
        try:
            if chance or self._splits_special or self._lengths:
                options = {"offsets": True, "overflow": True, "specials": self._matched(), **chance, **self._lengths}
                options |= {"add_special_tokens": add_special_tokens, "pretokenized": is_pretokenized}
                encoding = engine(sequence, pair, **options)
            else:
                encoding = engine._input(sequence, pair, is_pretokenized, add_special_tokens)
        except BytemillError as error:
            raise of_engine(error, self._model._type, self._model._unk()) from error
        return Encoding._of(encoding, False, self._is_bare)

    def encode_batch(
        self, input: Sequence[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """Returns the tokens of many texts and pairs."""
        return self._encoded(input, is_pretokenized, add_special_tokens, is_fast=False)

    def encode_batch_fast(
        self, input: Sequence[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """The same without tokens, words and offsets."""
        return self._encoded(input, is_pretokenized, add_special_tokens, is_fast=True)

    def _encoded(
        self, input: Sequence[Any], is_pretokenized: bool, add_special_tokens: bool, is_fast: bool
    ) -> list[Encoding]:
        if isinstance(input, str):
            raise TypeError("Can't extract `str` to `Vec`")
        if not hasattr(input, "__getitem__"):
            raise TypeError(f"'{type(input).__name__}' object is not an instance of 'Sequence'")
        texts = [_input(item, is_pretokenized) for item in input]
        engine = self._ready()
        if self._is_slow:
            encoded = [_slow.encode(self, *text, is_pretokenized, add_special_tokens) for text in texts]
            return self._padded(encoded)
        try:
            encodings = engine.inputs(
                [text for text, _ in texts],
                [pair for _, pair in texts],
                add_special_tokens=add_special_tokens,
                offsets=not is_fast,
                overflow=True,
                pretokenized=is_pretokenized,
                specials=self._matched(),
                **self._chance(),
                **self._lengths,
            )
        except BytemillError as error:
            raise of_engine(error, self._model._type, self._model._unk()) from error
        return [Encoding._of(encoding, is_fast, self._is_bare) for encoding in encodings]

    def _padded(self, encodings: list[Encoding]) -> list[Encoding]:
        """Brings encodings that were made one by one to the length of the longest."""
        if self._padding is not None and encodings:
            length = padded_length(self._padding, max(map(len, encodings)))
            for encoding in encodings:
                self._pad(encoding, length)
        return encodings

    def _pad(self, encoding: Encoding, length: int) -> None:
        padding = self.padding or {}
        options = {name: padding[name] for name in ("direction", "pad_id", "pad_type_id", "pad_token")}
        encoding.pad(length, **options)

    def post_process(
        self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True
    ) -> Encoding:
        """Truncates encodings, puts them into their template, and pads the result."""
        processor = self._stages["post_processor"]
        truncation = None
        if self._truncation is not None:
            added = self.num_special_tokens_to_add(pair is not None) if add_special_tokens else 0
            truncation = compact({**self._truncation, "max_length": self._truncation["max_length"] - added})
        done = processed(processor, encoding, pair, add_special_tokens, truncation)
        if self._padding is not None:
            self._pad(done, padded_length(self._padding, len(done)))
        return done

    # Decoding

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = True) -> str:
        """Returns the text of ids."""
        decoder = self._stages["decoder"]
        if isinstance(decoder, Decoder) and decoder._is_custom():
            return decoder.decode(self._tokens_of(ids, skip_special_tokens))
        return (self._engine or self._ready())._decode_known(ids, skip_special_tokens)

    def _tokens_of(self, ids: Iterable[int], skip_special_tokens: bool) -> list[str]:
        special = {token.content for token in self._added.values() if token.special and skip_special_tokens}
        tokens = (self.id_to_token(id) for id in ids)
        return [token for token in tokens if token is not None and token not in special]

    def decode_batch(self, sequences: Sequence[Sequence[int]], skip_special_tokens: bool = True) -> list[str]:
        """Returns the texts of many rows of ids."""
        return [self.decode(sequence, skip_special_tokens) for sequence in sequences]

    # Without holding up a loop

    async def async_encode(
        self, sequence: Any, pair: Any = None, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> Encoding:
        return await _beside(self.encode, sequence, pair, is_pretokenized, add_special_tokens)

    async def async_encode_batch(
        self, input: Sequence[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        return await _beside(self.encode_batch, input, is_pretokenized, add_special_tokens)

    async def async_encode_batch_fast(
        self, input: Sequence[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        return await _beside(self.encode_batch_fast, input, is_pretokenized, add_special_tokens)

    async def async_decode_batch(
        self, sequences: Sequence[Sequence[int]], skip_special_tokens: bool = True
    ) -> list[str]:
        return await _beside(self.decode_batch, sequences, skip_special_tokens)

    # Training

    def train(self, files: Sequence[str], trainer: Any = None) -> None:
        """Trains the model on the lines of files."""
        from .trainers import train_on_files  # It needs this module.

        train_on_files(self, files, trainer)

    def train_from_iterator(self, iterator: Iterable[Any], trainer: Any = None, length: int | None = None) -> None:
        """Trains the model on texts, or lists of texts."""
        from .trainers import train_on_texts  # It needs this module.

        train_on_texts(self, iterator, trainer)


def _read(data: bytes) -> Tokenizer:
    tokenizer = Tokenizer.__new__(Tokenizer)
    tokenizer._take(data)
    return tokenizer


async def _beside(function: Callable[..., Result], *arguments: Any) -> Result:
    return await asyncio.get_running_loop().run_in_executor(None, partial(function, *arguments))


def _is_words(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(word, str) for word in value)


def _listed(value: Any) -> Any:
    """An array of numpy as a list."""
    return value.tolist() if type(value).__module__ == "numpy" else value


def _sequence(value: Any, is_pretokenized: bool) -> Any:
    value = _listed(value)
    if is_pretokenized:
        if not _is_words(value):
            raise TypeError(_WORDS)
        return value
    if not isinstance(value, str):
        raise TypeError(_TEXT)
    return value


def _optional(value: Any, is_pretokenized: bool) -> Any:
    return None if value is None else _sequence(value, is_pretokenized)


def _input(item: Any, is_pretokenized: bool) -> tuple[Any, Any]:
    """A text, or words, and what they are paired with."""
    item = _listed(item)
    if not is_pretokenized:
        if isinstance(item, str):
            return item, None
        if isinstance(item, (list, tuple)) and len(item) == 2 and all(isinstance(text, str) for text in item):
            return item[0], item[1]
        raise TypeError(_INPUT)
    if _is_words(item):
        return item, None
    if isinstance(item, (list, tuple)) and len(item) == 2:
        first, second = map(_listed, item)
        if _is_words(first) and _is_words(second):
            return first, second
    raise TypeError(_WORDS_INPUT)
