"""Decoding: ids or pieces, one row or many, as text, as bytes, or with the place of each."""

from __future__ import annotations

from typing import Any

import numpy as np

from .encoding import characters_before
from .messages import Piece, parsed, piece_text
from .model import Model, out_of_range

#: What a row may become.
DECODED = (str, bytes, "serialized_proto", "proto", "offset_mapping")


def decoded(model: Model, given: Any, return_type: Any, return_bytes: bool) -> Any:
    """What ids or pieces stand for; if there are several rows, each of them."""
    if given is None or (hasattr(given, "__len__") and len(given) == 0):
        if return_type == "proto":
            raise TypeError("nothing has no message")
        return ""
    if not is_sequence(given):
        given = [given]
    is_batch = given.ndim > 1 if hasattr(given, "ndim") else is_sequence(given[0])
    first = given[0] if is_batch else given
    are_pieces = len(first) > 0 and not hasattr(first, "dtype") and isinstance(first[0], (str, bytes))
    if return_type not in DECODED:
        raise ValueError(f"unknown return_type={return_type} or input type")
    one = _pieces if are_pieces else _ids
    if not is_batch:
        return one(model, given, return_type, return_bytes)
    return [one(model, row, return_type, return_bytes) for row in given]


def is_sequence(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes))


def _ids(model: Model, ids: Any, return_type: Any, return_bytes: bool) -> Any:
    if return_type is str and isinstance(ids, list):
        try:
            return model.decode(ids)
        except TypeError:
            pass  # Below, in the words of the library.
    ids = _listed(ids)
    if return_type is str:
        return model.decode(ids)
    if return_type is bytes:
        return model.decode(ids).encode("utf-8")
    model.check_ids(ids)
    text, ends = model.tokenizer._decode_placed(ids)
    return _placed([model.names[id].encode("utf-8") for id in ids], ids, (text, ends), return_type, return_bytes)


def _listed(ids: Any) -> list[int]:
    if isinstance(ids, np.ndarray):
        if ids.ndim != 1 or ids.dtype.kind not in "iu":
            raise TypeError("Buffer must be of integer type and 1-dimensional")
        if ids.itemsize not in (4, 8):
            raise TypeError("Unsupported buffer integer size (must be 32-bit or 64-bit)")
        whole: list[int] = ids.tolist()
        return whole
    try:
        return [id.__index__() for id in ids]
    except (AttributeError, TypeError):
        raise TypeError("Input must be an integer buffer, list of integers, or a sequence of integers.") from None


def _pieces(model: Model, pieces: Any, return_type: Any, return_bytes: bool) -> Any:
    if not isinstance(pieces, list) and not (return_type == "offset_mapping" and isinstance(pieces, tuple)):
        raise TypeError(f"pieces are a list, not {type(pieces).__name__}")
    if not all(isinstance(piece, (str, bytes)) for piece in pieces):
        raise TypeError("List elements must be str or bytes")
    written = [piece if isinstance(piece, bytes) else piece.encode("utf-8") for piece in pieces]
    are_bytes = bool(pieces) and isinstance(pieces[0], bytes)
    text, ends = model.tokenizer._decode_pieces(written)
    if return_type is bytes or (return_type is str and are_bytes):
        return text
    if return_type is str:
        return text.decode("utf-8")
    ids = [model.ids.get(piece.decode("utf-8", "replace"), model.unk) for piece in written]
    return _placed(written, ids, (text, ends), return_type, are_bytes)


def _placed(
    names: list[bytes], ids: list[int], decoded: tuple[bytes, list[int]], return_type: Any, return_bytes: bool
) -> Any:
    text, ends = decoded
    starts = [0, *ends][: len(ends)]
    pieces = [
        Piece(name, id, text[start:end], start, end)
        for name, id, start, end in zip(names, ids, starts, ends, strict=True)
    ]
    if return_type != "offset_mapping":
        written = piece_text(text, pieces)
        return parsed("SentencePieceText", written) if return_type == "proto" else written
    if return_bytes:
        places = [(piece.begin, piece.end) for piece in pieces]
        return {"text": text, "ids": ids, "pieces": [piece.piece for piece in pieces], "offsets": places}
    before = characters_before(text)
    return {
        "text": text.decode("utf-8"),
        "ids": ids,
        "pieces": [piece.piece.decode("utf-8") for piece in pieces],
        "offsets": [(before[piece.begin], before[piece.end]) for piece in pieces],
    }


def each_id(model: Model, ids: Any, of: list[Any]) -> Any:
    """What a list has for an id, or for each of several."""
    if isinstance(ids, (int, np.integer)):
        if not 0 <= ids < model.size:
            out_of_range()
        return of[ids]
    found = _listed(ids)
    model.check_ids(found)
    return [of[id] for id in found]
