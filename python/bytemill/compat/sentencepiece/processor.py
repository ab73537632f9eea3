"""`SentencePieceProcessor`."""

from __future__ import annotations

from typing import Any

from .decode_calls import DecodeCalls
from .decoding import each_id
from .encode_calls import EncodeCalls
from .messages import field, number
from .model import BYTE, CONTROL, UNKNOWN, UNUSED
from .names import with_snake_case
from .normalizer import flag, normalized
from .segment_calls import SegmentCalls, each_text

#: The fields of a normalizer that can be set, with their numbers in its message.
NORMALIZER_FLAGS = {"add_dummy_prefix": 3, "remove_extra_whitespaces": 4, "escape_whitespaces": 5}


@with_snake_case
class SentencePieceProcessor(EncodeCalls, SegmentCalls, DecodeCalls):
    """A model that encodes and decodes. Every method also has a name in small letters: `encode_as_ids`.

    The arguments are the defaults of the calls.
    """

    def Normalize(self, input: Any, with_offsets: Any = None) -> Any:
        """Returns a text as the model sees it, with offsets also where each part of that begins in the text."""
        model = self._loaded
        return each_text(input, lambda text: normalized(model, text, with_offsets))

    def OverrideNormalizerSpec(self, **kwargs: Any) -> None:
        """Sets flags of the normalizer: `add_dummy_prefix`, `remove_extra_whitespaces`, `escape_whitespaces`."""
        model = self._loaded
        written = b""
        for name, value in kwargs.items():
            if name not in NORMALIZER_FLAGS:
                raise RuntimeError(f"NOT_FOUND: unknown field name {name!r} of a normalizer's flags")
            written += number(NORMALIZER_FLAGS[name], flag(name, str(value)))
        # Messages that follow one another are one: the fields of the last count.
        self._set(model.serialized + field(3, written))

    def GetPieceSize(self) -> int:
        """Returns the number of pieces."""
        return 0 if self._model is None else self._model.size

    def PieceToId(self, piece: Any) -> Any:
        """Returns the id of a piece, or of each of several; that of the unknown piece for what is none."""
        model = self._loaded
        if isinstance(piece, (str, bytes)):
            return model.ids.get(_text(piece), model.unk)
        if not hasattr(piece, "__getitem__") or isinstance(piece, dict):
            raise TypeError(f"PieceToId takes a piece or a sequence of pieces, not {type(piece).__name__}")
        for each in piece:
            if not isinstance(each, (str, bytes)):
                raise TypeError("Sequence elements must be str or bytes")
        return [model.ids.get(_text(each), model.unk) for each in piece]

    def IdToPiece(self, id: Any) -> Any:
        """Returns the piece of an id, or of each of several."""
        return each_id(self._loaded, id, self._loaded.names)

    def GetScore(self, id: Any) -> Any:
        """Returns the score of an id, or of each of several."""
        return each_id(self._loaded, id, self._loaded.scores)

    def IsUnknown(self, id: Any) -> Any:
        """Returns whether an id, or each of several, is that of the unknown piece."""
        return self._is(id, UNKNOWN)

    def IsControl(self, id: Any) -> Any:
        """Returns whether an id, or each of several, is that of a control symbol."""
        return self._is(id, CONTROL)

    def IsUnused(self, id: Any) -> Any:
        """Returns whether an id, or each of several, is that of a piece that is not used."""
        return self._is(id, UNUSED)

    def IsByte(self, id: Any) -> Any:
        """Returns whether an id, or each of several, is that of a byte."""
        return self._is(id, BYTE)

    def _is(self, id: Any, kind: int) -> Any:
        found = each_id(self._loaded, id, self._loaded.types)
        return [each == kind for each in found] if isinstance(found, list) else found == kind

    def unk_id(self) -> int:
        return -1 if self._model is None else self._model.unk

    def bos_id(self) -> int:
        return -1 if self._model is None else self._model.bos

    def eos_id(self) -> int:
        return -1 if self._model is None else self._model.eos

    def pad_id(self) -> int:
        return -1 if self._model is None else self._model.pad

    Tokenize = EncodeCalls.Encode
    Detokenize = DecodeCalls.Decode
    piece_size = GetPieceSize
    vocab_size = GetPieceSize

    def __len__(self) -> int:
        return self.GetPieceSize()

    def __getitem__(self, piece: Any) -> Any:
        return self.PieceToId(piece)


def _text(piece: str | bytes) -> str:
    return piece.decode("utf-8", "replace") if isinstance(piece, bytes) else piece
