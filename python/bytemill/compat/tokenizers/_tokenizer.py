"""Tokenizer: a model with the stages around it, which can be exchanged."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from ...errors import BytemillError
from . import _inputs, _slow
from ._assembly import Assembly
from ._encoding import Encoding
from ._engine import Engine
from ._errors import as_the_library, of_engine
from ._lengths import padded_to
from ._pending import fitted, framed
from ._stage import compact, of_kind
from .decoders import Decoder
from .models import BPE, Unigram
from .processors import processed

Result = TypeVar("Result")

#: What most calls leave to chance.
_NOTHING: dict[str, Any] = {}


class Tokenizer(Assembly):
    """Turns texts into encodings, and ids into texts. Everything about it can be changed."""

    # Reading

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

    # Encoding

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
            sequence, pair = _inputs.sequence(sequence, is_pretokenized), _inputs.optional(pair, is_pretokenized)
        engine = self._engine or self._ready()
        if engine.is_slow:
            return _slow.encode(self, sequence, pair, is_pretokenized, add_special_tokens)
        chance = self._chance()
        try:
            if pair is None and self._gives_ids_first(engine, is_pretokenized, add_special_tokens, chance):
                row = engine.core.encode(sequence)
                if not self._lengths:
                    return Encoding._of_pending(framed(engine, sequence, row, add_special_tokens))
                found = fitted(engine, [sequence], [row], add_special_tokens, self._lengths)
                if found is not None:
                    return Encoding._of_pending(found[0])
            encoding = engine.core(
                sequence,
                pair,
                add_special_tokens=add_special_tokens,
                pretokenized=is_pretokenized,
                offsets=True,
                overflow=True,
                specials=self._matched(),
                **chance,
                **self._lengths,
            )
        except BytemillError as error:
            raise of_engine(error, self._model._type, self._model._unk()) from error
        return Encoding._of(encoding, False, engine.is_bare)

    def _gives_ids_first(
        self, engine: Engine, is_pretokenized: object, add_special_tokens: object, chance: dict[str, Any]
    ) -> bool:
        """Whether the ids of a text can be found without the rest of its encoding, and will be found again with it."""
        is_plain = is_pretokenized is False and type(add_special_tokens) is bool
        return is_plain and not chance and not self._splits_special and bool(engine.frames)

    def encode_batch(
        self, input: Sequence[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """Returns the tokens of many texts and pairs."""
        if type(input) is list and len(input) == 1 and type(input[0]) is str and not is_pretokenized:
            # transformers hands over every text as a batch.
            return [self.encode(input[0], None, is_pretokenized, add_special_tokens)]
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
        engine = self._engine or self._ready()
        chance = self._chance()
        texts = [*input]
        is_plain = all(type(text) is str for text in texts) and not engine.is_slow
        try:
            if is_plain and self._gives_ids_first(engine, is_pretokenized, add_special_tokens, chance):
                rows = engine.encode_batch(texts)
                found = fitted(engine, texts, rows, add_special_tokens, self._lengths)
                if found is not None:
                    return [Encoding._of_pending(each, is_fast) for each in found]
            pairs = [_inputs.encode_input(item, is_pretokenized) for item in texts]
            if engine.is_slow:
                encoded = [_slow.encode(self, *pair, is_pretokenized, add_special_tokens) for pair in pairs]
                return self._padded(encoded)
            encodings = engine.core.inputs(
                [text for text, _ in pairs],
                [pair for _, pair in pairs],
                add_special_tokens=add_special_tokens,
                offsets=not is_fast,
                overflow=True,
                pretokenized=is_pretokenized,
                specials=self._matched(),
                **chance,
                **self._lengths,
            )
        except BytemillError as error:
            raise of_engine(error, self._model._type, self._model._unk()) from error
        return [Encoding._of(encoding, is_fast, engine.is_bare) for encoding in encodings]

    def _padded(self, encodings: list[Encoding]) -> list[Encoding]:
        """Brings encodings that were made one by one to the length of the longest."""
        if self._padding is not None and encodings:
            length = padded_to(self._lengths["padding"], max(map(len, encodings)))
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
            self._pad(done, padded_to(self._lengths["padding"], len(done)))
        return done

    # Decoding

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = True) -> str:
        """Returns the text of ids."""
        decoder = self._stages["decoder"]
        if isinstance(decoder, Decoder) and decoder._is_custom():
            return decoder.decode(self._tokens_of(ids, skip_special_tokens))
        return (self._engine or self._ready()).core._decode_known(ids, skip_special_tokens)

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
    import asyncio  # As in `bytemill.asynchronous`.

    return await asyncio.get_running_loop().run_in_executor(None, partial(function, *arguments))
