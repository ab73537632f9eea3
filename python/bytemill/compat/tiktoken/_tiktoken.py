"""`CoreBPE`: what `tiktoken` has in Rust, and here is a `Tokenizer`."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from typing import Any, NoReturn, TypeVar

from ... import _core
from ..._arguments.types import Specials
from ...errors import TextError, UnknownIdError
from ...tokenizer import Tokenizer

T = TypeVar("T")

#: As many choices of special tokens are kept; programs have a few.
KEPT_CHOICES = 64


class CoreBPE:
    """An encoding without its name and without the check for special tokens that are not allowed."""

    def __init__(self, encoder: dict[bytes, int], special_tokens_encoder: dict[str, int], pattern: str) -> None:
        if not isinstance(pattern, str):
            refuse_type(pattern, "str")
        # Not by `from_ranks`, to which a pattern of letters alone would be the name of a pretokenizer.
        self.tokenizer = Tokenizer(_core.of_ranks(encoder, json.dumps(pattern), list(special_tokens_encoder.items())))
        self._ranks = encoder
        self._special_tokens = special_tokens_encoder
        self._choices: dict[tuple[frozenset[str], frozenset[str] | None], Specials] = {}

    def choice(self, allowed: Any, refused: Collection[str] | None) -> Specials:
        """What a call does with special tokens: those allowed are matched, those refused an error, others plain.

        Without any that are refused these are all that are not allowed.
        """
        if not isinstance(allowed, (set, frozenset)):
            refuse_type(allowed, "set")
        key = (frozenset(allowed), None if refused is None else frozenset(refused))
        known = self._choices.get(key)
        if known is None:
            wanted = [token for token in checked_set(allowed) if token in self._special_tokens]
            unwanted = self._special_tokens.keys() - allowed if key[1] is None else key[1]
            known = self.tokenizer.pick_specials(wanted, refused=unwanted)
            if len(self._choices) >= KEPT_CHOICES:
                self._choices.clear()
            self._choices[key] = known
        return known

    def encode_ordinary(self, text: str) -> list[int]:
        return self.called(self.tokenizer.encode, text, "none")

    def encode(self, text: str, allowed_special: set[str] | frozenset[str]) -> list[int]:
        return self.called(self.tokenizer.encode, text, self.choice(allowed_special, ()))

    def encode_to_tiktoken_buffer(self, text: str, allowed_special: set[str] | frozenset[str]) -> bytes:
        array = self.called(self.tokenizer.encode_array, text, self.choice(allowed_special, ()))
        return array.tobytes()

    def encode_with_unstable(
        self, text: str, allowed_special: set[str] | frozenset[str]
    ) -> tuple[list[int], list[list[int]]]:
        return self.called(self.tokenizer.encode_unstable, text, self.choice(allowed_special, ()))

    def encode_single_token(self, piece: bytes) -> int:
        if not isinstance(piece, bytes):
            refuse_type(piece, "bytes")
        found = self._ranks.get(piece)
        if found is None:
            found = self._special_tokens.get(piece.decode("utf-8", "replace"))
        if found is None:
            raise KeyError(piece)
        return found

    def encode_single_piece(self, piece: bytes) -> list[int]:
        if not isinstance(piece, bytes):
            refuse_type(piece, "bytes")
        return self.tokenizer.encode_piece(piece)

    def _encode_bytes(self, bytes: bytes) -> list[int]:
        if isinstance(bytes, str):
            refuse_type(bytes, "bytes")
        return self.tokenizer.encode_bytes(bytes)

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        if type(tokens) is not list:
            check_sequence(tokens)
        try:
            return self.tokenizer.decode_bytes(tokens)
        except UnknownIdError:
            refuse_ids(self.tokenizer, tokens)

    def decode_single_token_bytes(self, token: int) -> bytes:
        found = self.tokenizer.id_to_bytes(token)
        if found is None:
            check_range(token)
            raise KeyError(str(token))
        return found

    def token_byte_values(self) -> list[bytes]:
        return sorted(self._ranks)

    def called(self, encode: Callable[..., T], text: str, specials: Specials) -> T:
        """What a method of the engine makes of a text, with the choice of special tokens that it takes."""
        if not isinstance(text, str):
            refuse_type(text, "str")
        try:
            return encode(text, specials=specials)
        except TextError:
            self._refuse_surrogates(text, specials)

    def _refuse_surrogates(self, text: str, specials: Specials) -> NoReturn:
        """Raises what Python has for a text that has no UTF-8, unless special tokens are refused in it."""
        self.tokenizer.count(text.encode("utf-8", "replace"), specials=specials)
        text.encode("utf-8")
        raise AssertionError("the text has UTF-8")


def refuse_type(value: object, wanted: str) -> NoReturn:
    raise TypeError(f"{type(value).__name__!r} object is not an instance of {wanted!r}")


def checked_set(value: set[str] | frozenset[str]) -> set[str] | frozenset[str]:
    for item in value:
        if not isinstance(item, str):
            refuse_type(item, "str")
        if not item.isascii():
            item.encode("utf-8")
    return value


def check_sequence(tokens: Any) -> None:
    if isinstance(tokens, str):
        raise TypeError("Can't extract `str` to `Vec`")
    if isinstance(tokens, dict) or not hasattr(tokens, "__getitem__"):
        refuse_type(tokens, "Sequence")


def check_range(token: int) -> None:
    if not 0 <= token < 1 << 32:
        raise OverflowError("out of range integral type conversion attempted")


def refuse_ids(tokenizer: Tokenizer, tokens: Sequence[int]) -> NoReturn:
    """Raises what `tiktoken` raises for the first id that is wrong."""
    for token in tokens:
        check_range(token)
    unknown = next((token for token in tokens if tokenizer.id_to_bytes(token) is None), None)
    raise KeyError(f"Invalid token for decoding: {unknown}") from None
