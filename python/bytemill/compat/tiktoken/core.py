"""`Encoding`."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..._arguments.types import Specials
from ...errors import SpecialTokenError, TextError, UnknownIdError
from . import _tiktoken

#: The defaults of `allowed_special` and `disallowed_special`; what is one of these very objects was not given.
_NONE: AbstractSet[str] = set()
_ALL: Final = "all"


class Encoding:
    """An encoding: how text is split, the ranks of its tokens, and its special tokens.

    Args:
        name: The name of the encoding.
        pat_str: The regular expression whose matches are the pieces of a text.
        mergeable_ranks: Every token with its id; what has the lowest id is merged first.
        special_tokens: The special tokens with their ids.
        explicit_n_vocab: How many tokens there must be.
    """

    def __init__(
        self,
        name: str,
        *,
        pat_str: str,
        mergeable_ranks: dict[bytes, int],
        special_tokens: dict[str, int],
        explicit_n_vocab: int | None = None,
    ):
        self.name = name
        self._pat_str = pat_str
        self._mergeable_ranks = mergeable_ranks
        self._special_tokens = special_tokens
        self._special_token_values = set(special_tokens.values())
        self.max_token_value = max(max(mergeable_ranks.values()), max(special_tokens.values(), default=0))
        if explicit_n_vocab:
            assert len(mergeable_ranks) + len(special_tokens) == explicit_n_vocab
            assert self.max_token_value == explicit_n_vocab - 1
        self._core_bpe = _tiktoken.CoreBPE(mergeable_ranks, special_tokens, pat_str)
        # Looked up once: a short call takes a microsecond.
        self._encode = self._core_bpe.tokenizer.encode
        self._decode = self._core_bpe.tokenizer.decode

    def __repr__(self) -> str:
        return f"<Encoding {self.name!r}>"

    def encode_ordinary(self, text: str) -> list[int]:
        """Encodes a text in which special tokens are plain text."""
        if text.__class__ is str:
            try:
                return self._encode(text, specials="none")
            except TextError:
                text = _repaired(text)
        return self._core_bpe.encode_ordinary(text)

    def encode(
        self,
        text: str,
        *,
        allowed_special: Literal["all"] | AbstractSet[str] = _NONE,
        disallowed_special: Literal["all"] | Collection[str] = _ALL,
    ) -> list[int]:
        """Encodes a text.

        Args:
            text: The text.
            allowed_special: The special tokens that are matched, or `"all"`.
            disallowed_special: What raises a ValueError if it is in the text; `"all"` means the other special tokens.
                Special tokens that are in neither are plain text.
        """
        specials: Specials = None
        if allowed_special is not _NONE or disallowed_special is not _ALL:
            specials = self._specials(allowed_special, disallowed_special)
        try:
            if text.__class__ is str:
                return self._encode(text, specials=specials)
            return self._core_bpe.called(self._encode, text, specials)
        except TextError:
            return self._core_bpe.called(self._encode, _repaired(text), specials)
        except SpecialTokenError as error:
            raise_disallowed_special_token(str(error.token))

    def encode_to_numpy(
        self,
        text: str,
        *,
        allowed_special: Literal["all"] | AbstractSet[str] = _NONE,
        disallowed_special: Literal["all"] | Collection[str] = _ALL,
    ) -> NDArray[np.uint32]:
        """Encodes a text into an array. The arguments are those of `encode`."""
        specials = self._specials(allowed_special, disallowed_special)
        try:
            return self._core_bpe.called(self._core_bpe.tokenizer.encode_array, text, specials)
        except SpecialTokenError as error:
            raise_disallowed_special_token(str(error.token))

    def encode_ordinary_batch(self, text: list[str], *, num_threads: int = 8) -> list[list[int]]:
        """Encodes texts in which special tokens are plain text."""
        return self._encoded_batch(text, "none", num_threads)

    def encode_batch(
        self,
        text: list[str],
        *,
        num_threads: int = 8,
        allowed_special: Literal["all"] | AbstractSet[str] = _NONE,
        disallowed_special: Literal["all"] | Collection[str] = _ALL,
    ) -> list[list[int]]:
        """Encodes texts. The arguments are those of `encode`."""
        return self._encoded_batch(text, self._specials(allowed_special, disallowed_special), num_threads)

    def encode_with_unstable(
        self,
        text: str,
        *,
        allowed_special: Literal["all"] | AbstractSet[str] = _NONE,
        disallowed_special: Literal["all"] | Collection[str] = _ALL,
    ) -> tuple[list[int], list[list[int]]]:
        """Encodes a text that may go on: the ids that stay, and every row of ids that may come after them."""
        specials = self._specials(allowed_special, disallowed_special)
        try:
            return self._core_bpe.called(self._core_bpe.tokenizer.encode_unstable, text, specials)
        except SpecialTokenError as error:
            raise_disallowed_special_token(str(error.token))

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """Returns the id of a token, which may be special. Raises a KeyError if there is none."""
        if isinstance(text_or_bytes, str):
            text_or_bytes = text_or_bytes.encode("utf-8")
        return self._core_bpe.encode_single_token(text_or_bytes)

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """Returns the bytes of ids."""
        return self._core_bpe.decode_bytes(tokens)

    def decode(self, tokens: Sequence[int], errors: str = "replace") -> str:
        """Returns the text of ids; `errors` is what `bytes.decode` takes."""
        if errors == "replace" and tokens.__class__ is list:
            try:
                return self._decode(tokens)
            except UnknownIdError:
                pass  # What `decode_bytes` raises for it is what `tiktoken` raises.
        return self._core_bpe.decode_bytes(tokens).decode("utf-8", errors=errors)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """Returns the bytes of an id, which may be special. Raises a KeyError if there is none."""
        return self._core_bpe.decode_single_token_bytes(token)

    def decode_tokens_bytes(self, tokens: Sequence[int]) -> list[bytes]:
        """Returns the bytes of each id."""
        single = self._core_bpe.decode_single_token_bytes
        return [single(token) for token in tokens]

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """Returns the text of ids, and where each of them begins in it, in characters.

        A token that begins inside a character has the place of that character. Ids that are no text raise a
        UnicodeDecodeError.
        """
        parts = self.decode_tokens_bytes(tokens)
        characters = 0
        offsets = []
        for part in parts:
            starts_inside = 0x80 <= part[0] < 0xC0
            offsets.append(max(0, characters - starts_inside))
            characters += sum(not 0x80 <= byte < 0xC0 for byte in part)
        return b"".join(parts).decode("utf-8"), offsets

    def decode_batch(
        self, batch: Sequence[Sequence[int]], *, errors: str = "replace", num_threads: int = 8
    ) -> list[str]:
        """Returns the text of each row of ids."""
        _check_threads(num_threads)
        return [self.decode(tokens, errors) for tokens in batch]

    def decode_bytes_batch(self, batch: Sequence[Sequence[int]], *, num_threads: int = 8) -> list[bytes]:
        """Returns the bytes of each row of ids."""
        _check_threads(num_threads)
        return [self.decode_bytes(tokens) for tokens in batch]

    def token_byte_values(self) -> list[bytes]:
        """Returns all tokens that are not special, in the order of their bytes."""
        return self._core_bpe.token_byte_values()

    @property
    def eot_token(self) -> int:
        """The id of `<|endoftext|>`."""
        return self._special_tokens["<|endoftext|>"]

    @functools.cached_property
    def special_tokens_set(self) -> set[str]:
        """The special tokens."""
        return set(self._special_tokens)

    def is_special_token(self, token: int) -> bool:
        """Whether an id is that of a special token."""
        assert isinstance(token, int)
        return token in self._special_token_values

    @property
    def n_vocab(self) -> int:
        """One more than the largest id."""
        return self.max_token_value + 1

    def _specials(
        self, allowed: Literal["all"] | AbstractSet[str], refused: Literal["all"] | Collection[str]
    ) -> Specials:
        if allowed is _NONE and refused == "all":
            return None
        if allowed == "all" and (refused == "all" or not refused):
            return "all"
        if allowed == "all":
            allowed = self.special_tokens_set
        return self._core_bpe.choice(allowed, None if refused == "all" else refused)

    def _encoded_batch(self, text: list[str], specials: Specials, num_threads: int) -> list[list[int]]:
        _check_threads(num_threads)
        texts = [*text]
        for one in texts:
            if not isinstance(one, str):
                _tiktoken.refuse_type(one, "str")
        try:
            encode_batch = self._core_bpe.tokenizer.encode_batch
            try:
                return encode_batch(texts, specials=specials, threads=num_threads).to_list()
            except TextError:
                return encode_batch(map(_repaired, texts), specials=specials, threads=num_threads).to_list()
        except SpecialTokenError as error:
            raise_disallowed_special_token(str(error.token))

    def _encode_single_piece(self, text_or_bytes: str | bytes) -> list[int]:
        if isinstance(text_or_bytes, str):
            text_or_bytes = text_or_bytes.encode("utf-8")
        return self._core_bpe.encode_single_piece(text_or_bytes)

    def _encode_only_native_bpe(self, text: str) -> list[int]:
        pieces = importlib.import_module("regex").findall(self._pat_str, text)
        return [token for piece in pieces for token in self._encode_single_piece(piece)]

    def _encode_bytes(self, text: bytes) -> list[int]:
        return self._core_bpe._encode_bytes(text)

    def __getstate__(self) -> object:
        from . import registry

        if self is registry.ENCODINGS.get(self.name):
            return self.name
        return {
            "name": self.name,
            "pat_str": self._pat_str,
            "mergeable_ranks": self._mergeable_ranks,
            "special_tokens": self._special_tokens,
        }

    def __setstate__(self, value: Any) -> None:
        from . import registry

        if isinstance(value, str):
            self.__dict__ = registry.get_encoding(value).__dict__
        else:
            self.__init__(**value)  # type: ignore[misc]


def _repaired(text: str) -> str:
    """Pairs of surrogates as the characters that they stand for, and those without a partner as U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _check_threads(num_threads: int) -> None:
    if num_threads <= 0:
        raise ValueError("max_workers must be greater than 0")


def raise_disallowed_special_token(token: str) -> NoReturn:
    """Raises the error of a text that holds a special token which the call refuses."""
    raise ValueError(
        f"Encountered text corresponding to disallowed special token {token!r}.\n"
        f"If it is to be a special token, pass `allowed_special={{{token!r}, ...}}`. If it is to be plain text, pass "
        f"`disallowed_special=(enc.special_tokens_set - {{{token!r}}})`, or `disallowed_special=()` for all of them.\n"
    ) from None
