"""BaseTokenizer: a tokenizer with its stages set up, which hands every call on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._added import AddedToken
from .._encoding import Encoding
from .._tokenizer import Tokenizer
from ..normalizers import Normalizer
from ..normalizers import Sequence as NormalizerSequence


def _handed_on(name: str) -> Any:
    def get(base: BaseTokenizer) -> Any:
        return getattr(base._tokenizer, name)

    def put(base: BaseTokenizer, value: Any) -> None:
        setattr(base._tokenizer, name, value)

    return property(get, put)


def one_or_all(normalizers: list[Normalizer]) -> Any:
    """Several normalizers as one, or None."""
    if len(normalizers) > 1:
        return NormalizerSequence(normalizers)
    return normalizers[0] if normalizers else None


class BaseTokenizer:
    """The base of the tokenizers in this package."""

    def __init__(self, tokenizer: Tokenizer, parameters: dict[str, Any] | None = None) -> None:
        self._tokenizer = tokenizer
        self._parameters = {} if parameters is None else parameters

    def __repr__(self) -> str:
        parameters = "".join(f", {name}={value}" for name, value in self._parameters.items())
        return f"Tokenizer(vocabulary_size={self._tokenizer.get_vocab_size()}{parameters})"

    model = _handed_on("model")
    normalizer = _handed_on("normalizer")
    pre_tokenizer = _handed_on("pre_tokenizer")
    post_processor = _handed_on("post_processor")
    decoder = _handed_on("decoder")

    @property
    def padding(self) -> dict[str, Any] | None:
        return self._tokenizer.padding

    @property
    def truncation(self) -> dict[str, Any] | None:
        return self._tokenizer.truncation

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        return self._tokenizer.num_special_tokens_to_add(is_pair)

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        return self._tokenizer.get_vocab(with_added_tokens)

    def get_added_tokens_decoder(self) -> dict[int, AddedToken]:
        return self._tokenizer.get_added_tokens_decoder()

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        return self._tokenizer.get_vocab_size(with_added_tokens)

    def enable_padding(
        self,
        direction: str | None = "right",
        pad_to_multiple_of: int | None = None,
        pad_id: int | None = 0,
        pad_type_id: int | None = 0,
        pad_token: str | None = "[PAD]",
        length: int | None = None,
    ) -> None:
        self._tokenizer.enable_padding(
            direction=direction or "right",
            pad_to_multiple_of=pad_to_multiple_of,
            pad_id=pad_id or 0,
            pad_type_id=pad_type_id or 0,
            pad_token="[PAD]" if pad_token is None else pad_token,
            length=length,
        )

    def no_padding(self) -> None:
        self._tokenizer.no_padding()

    def enable_truncation(
        self, max_length: int, stride: int | None = 0, strategy: str | None = "longest_first"
    ) -> None:
        self._tokenizer.enable_truncation(max_length, stride=stride or 0, strategy=strategy or "longest_first")

    def no_truncation(self) -> None:
        self._tokenizer.no_truncation()

    def add_tokens(self, tokens: list[str | AddedToken]) -> int:
        return self._tokenizer.add_tokens(tokens)

    def add_special_tokens(self, special_tokens: list[str | AddedToken]) -> int:
        return self._tokenizer.add_special_tokens(special_tokens)

    def normalize(self, sequence: str) -> str:
        normalized: str = self._tokenizer.normalizer.normalize_str(sequence)
        return normalized

    def encode(
        self, sequence: Any, pair: Any = None, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> Encoding:
        if sequence is None:
            raise ValueError("encode: `sequence` can't be `None`")
        return self._tokenizer.encode(sequence, pair, is_pretokenized, add_special_tokens)

    def encode_batch(
        self, inputs: Sequence[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        if inputs is None:
            raise ValueError("encode_batch: `inputs` can't be `None`")
        return self._tokenizer.encode_batch(inputs, is_pretokenized, add_special_tokens)

    async def async_encode_batch(
        self, inputs: Sequence[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        if inputs is None:
            raise ValueError("async_encode_batch: `inputs` can't be `None`")
        return await self._tokenizer.async_encode_batch(inputs, is_pretokenized, add_special_tokens)

    async def async_encode_batch_fast(
        self, inputs: Sequence[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        if inputs is None:
            raise ValueError("async_encode_batch_fast: `inputs` can't be `None`")
        return await self._tokenizer.async_encode_batch_fast(inputs, is_pretokenized, add_special_tokens)

    def decode(self, ids: list[int], skip_special_tokens: bool | None = True) -> str:
        if ids is None:
            raise ValueError("None input is not valid. Should be a list of integers.")
        return self._tokenizer.decode(ids, skip_special_tokens=bool(skip_special_tokens))

    def decode_batch(self, sequences: list[list[int]], skip_special_tokens: bool | None = True) -> list[str]:
        if sequences is None:
            raise ValueError("None input is not valid. Should be list of list of integers.")
        return self._tokenizer.decode_batch(sequences, skip_special_tokens=bool(skip_special_tokens))

    async def async_decode_batch(self, sequences: list[list[int]], skip_special_tokens: bool = True) -> list[str]:
        if sequences is None:
            raise ValueError("None input is not valid. Should be list of list of integers.")
        return await self._tokenizer.async_decode_batch(sequences, skip_special_tokens)

    def token_to_id(self, token: str) -> int | None:
        return self._tokenizer.token_to_id(token)

    def id_to_token(self, id: int) -> str | None:
        return self._tokenizer.id_to_token(id)

    def save_model(self, directory: str, prefix: str | None = None) -> list[str]:
        saved: list[str] = self._tokenizer.model.save(directory, prefix)
        return saved

    def save(self, path: str, pretty: bool = True) -> None:
        self._tokenizer.save(path, pretty)

    def to_str(self, pretty: bool = False) -> str:
        return self._tokenizer.to_str(pretty)

    def post_process(
        self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True
    ) -> Encoding:
        return self._tokenizer.post_process(encoding, pair, add_special_tokens)
