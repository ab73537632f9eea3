"""Encoding: what encoding a text gives, over the engine's own."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Any

from ... import _core
from ._pending import Pending


class PanicException(BaseException):
    """Stands for what the library raises where it would have to stop: it is no `Exception` there either."""


class Encoding:
    """The tokens of a text or a pair, with all that is known about them."""

    __slots__ = ("_is_bare", "_is_fast", "_known", "_pending")

    #: The engine's encoding; None until somebody asks for more than the pending ids.
    _known: _core.Encoding | None
    _pending: Pending
    #: Whether `encode_batch_fast` made it: the library then gives no tokens, words or offsets for the text.
    _is_fast: bool
    #: Whether no post-processor has seen it.
    _is_bare: bool

    def __init__(self) -> None:
        self._known = _core.Encoding._of_tokens([], 0)
        self._is_fast = self._is_bare = False

    @classmethod
    def _of(cls, encoding: _core.Encoding, is_fast: bool = False, is_bare: bool = False) -> Encoding:
        made = cls.__new__(cls)
        made._known = encoding
        made._is_fast = is_fast
        made._is_bare = is_bare
        return made

    @classmethod
    def _of_pending(cls, pending: Pending, is_fast: bool = False) -> Encoding:
        made = cls.__new__(cls)
        made._known = None
        made._pending = pending
        made._is_fast = is_fast
        made._is_bare = pending.engine.is_bare
        return made

    @property
    def _encoding(self) -> _core.Encoding:
        if self._known is None:
            self._known = self._pending.encoding()
        return self._known

    def _loose(self) -> _core.Encoding:
        """The same apart from its tokenizer, so that it can be changed."""
        return self._encoding._written(not self._sequences())

    def _sequences(self) -> list[tuple[int, tuple[int, int]]]:
        """The texts, each with its tokens. Without a post-processor nobody says which text a single one is."""
        sequences = self._encoding.sequences
        return [] if self._is_bare and len(sequences) < 2 else sequences

    def _put(self, encoding: _core.Encoding) -> None:
        self._known = encoding
        self._is_bare = False

    def __len__(self) -> int:
        return len(self._pending if self._known is None else self._known)

    def __repr__(self) -> str:
        attributes = "ids, type_ids, tokens, offsets, attention_mask, special_tokens_mask, overflowing"
        return f"Encoding(num_tokens={len(self)}, attributes=[{attributes}])"

    def __getstate__(self) -> tuple[_core.Encoding, bool, bool]:
        return (self._encoding._written(), self._is_fast, self._is_bare)

    def __setstate__(self, state: tuple[_core.Encoding, bool, bool]) -> None:
        self._known, self._is_fast, self._is_bare = state

    @property
    def ids(self) -> list[int]:
        return self._pending.ids() if self._known is None else self._known.ids

    @property
    def tokens(self) -> list[str]:
        tokens = self._pending.tokens() if self._known is None else None
        if tokens is None:
            tokens = self._encoding.written_tokens
        if self._is_fast:
            return [token if added else "" for added, token in zip(self.special_tokens_mask, tokens, strict=True)]
        return tokens

    @property
    def type_ids(self) -> list[int]:
        types = self._pending.type_ids() if self._known is None else self._known.type_ids
        if self._is_fast and self._is_bare:
            return [type_id if added else 0 for added, type_id in zip(self.special_tokens_mask, types, strict=True)]
        return types

    @property
    def attention_mask(self) -> list[int]:
        return self._pending.attention_mask() if self._known is None else self._known.attention_mask

    @property
    def special_tokens_mask(self) -> list[int]:
        return self._pending.special_tokens_mask() if self._known is None else self._known.special_tokens_mask

    @property
    def offsets(self) -> list[tuple[int, int]]:
        return [(0, 0)] * len(self) if self._is_fast else self._encoding.offsets

    @property
    def word_ids(self) -> list[int | None]:
        return [None] * len(self) if self._is_fast else self._encoding.word_ids

    @property
    def words(self) -> list[int | None]:
        warnings.warn(
            "Deprecated in 0.9.4: Encoding.words is deprecated, please use Encoding.word_ids instead.",
            DeprecationWarning,
            stacklevel=2,
        )
        return self.word_ids

    @property
    def n_sequences(self) -> int:
        return 1 if self._known is None else len(self._sequences()) or 1

    @property
    def sequence_ids(self) -> list[int | None]:
        ids: list[int | None] = [None] * len(self)
        for sequence in range(self.n_sequences):
            start, end = self._range(sequence)
            ids[start:end] = [sequence] * (end - start)
        return ids

    @property
    def overflowing(self) -> list[Encoding]:
        return [Encoding._of(part, self._is_fast, self._is_bare) for part in self._encoding.overflowing]

    def _range(self, sequence: int) -> tuple[int, int]:
        """The tokens of a text; all where there is no such text, as in the library."""
        return dict(self._sequences()).get(sequence, (0, len(self)))

    def char_to_token(self, char_pos: int, sequence_index: int = 0) -> int | None:
        start, end = self._range(sequence_index)
        for number, (first, last) in enumerate(self.offsets[start:end], start):
            if first <= char_pos < last:
                return number
        return None

    def char_to_word(self, char_pos: int, sequence_index: int = 0) -> int | None:
        token = self.char_to_token(char_pos, sequence_index)
        return None if token is None else self.token_to_word(token)

    def token_to_sequence(self, token_index: int) -> int | None:
        if token_index > len(self):
            return None
        sequences = self._sequences()
        if not sequences:
            return 0
        return next((id for id, (start, end) in sequences if start <= token_index < end), None)

    def token_to_chars(self, token_index: int) -> tuple[int, int] | None:
        if self.token_to_sequence(token_index) is None or token_index >= len(self):
            return None
        return self.offsets[token_index]

    def token_to_word(self, token_index: int) -> int | None:
        if self.token_to_sequence(token_index) is None or token_index >= len(self):
            return None
        return self.word_ids[token_index]

    def word_to_tokens(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        start, end = self._range(sequence_index)
        numbers = []
        for number, word in enumerate(self.word_ids[start:end], start):
            if word is not None and word > word_index:
                break
            if word == word_index:
                numbers.append(number)
        return (numbers[0], numbers[-1] + 1) if numbers else None

    def word_to_chars(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        tokens = self.word_to_tokens(word_index, sequence_index)
        if tokens is None:
            return None
        offsets = self.offsets
        return (offsets[tokens[0]][0], offsets[tokens[1] - 1][1])

    def truncate(self, max_length: int, stride: int = 0, direction: str = "right") -> None:
        """Cuts it to a length. What is cut off goes to `overflowing`, in parts that have `stride` tokens in common."""
        if direction not in ("left", "right"):
            raise ValueError(f"Invalid truncation direction value : {direction}")
        try:
            self._put(self._loose().truncated(max_length, stride=stride, side=direction))
        except ValueError as error:
            raise PanicException(str(error)) from error

    def pad(
        self,
        length: int,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
        **keywords: Any,
    ) -> None:
        """Pads it to a length."""
        ignore(keywords)
        if direction not in ("left", "right"):
            raise ValueError(f"Unknown `direction`: `{direction}`. Use one of `left` or `right`")
        self._put(self._loose().padded(length, id=pad_id, token=pad_token, type_id=pad_type_id, side=direction))

    def set_sequence_id(self, sequence_id: int) -> None:
        """Makes all tokens those of the text of this number."""
        self._put(self._loose().with_sequence_id(sequence_id))

    @staticmethod
    def merge(encodings: Sequence[Encoding], growing_offsets: bool = True) -> Encoding:
        """Returns several encodings as one."""
        parts = [encoding._loose() for encoding in encodings]
        return Encoding._of(_core.Encoding.merged(parts, growing_offsets=growing_offsets))


def ignore(keywords: dict[str, Any], word: str = "kwarg") -> None:
    """Says that keyword arguments are ignored, as the library does."""
    for name in keywords:
        print(f"Ignored unknown {word} option {name}", file=sys.stderr)
