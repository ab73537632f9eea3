"""Encoding: the best pieces of a text, several of the best, and random ones."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from . import chance
from .messages import Piece, parsed, piece_text, rows
from .model import Model, readable
from .settings import is_too_late, threads_of

#: The types of results of a call.
RETURN_TYPES = (int, str, bytes, "proto", "serialized_proto", "numpy", "offset_mapping")
PROTOS = ("proto", "serialized_proto")


class Around:
    """What a call puts around the pieces, or does to all of them."""

    __slots__ = ("add_bos", "add_eos", "emit_unk_piece", "model", "reverse")

    def __init__(self, model: Model, add_bos: bool, add_eos: bool, reverse: bool, emit_unk_piece: bool) -> None:
        self.model, self.add_bos, self.add_eos = model, add_bos, add_eos
        self.reverse, self.emit_unk_piece = reverse, emit_unk_piece

    def check(self, return_type: Any) -> None:
        if return_type in PROTOS:
            if self.add_bos or self.add_eos or self.reverse or self.emit_unk_piece:
                raise RuntimeError(
                    "UNIMPLEMENTED: add_bos, add_eos, reverse, and emit_unk_piece is not supported in proto API"
                )
        elif return_type != "offset_mapping":
            for wanted, id, name in ((self.add_bos, self.model.bos, "BOS"), (self.add_eos, self.model.eos, "EOS")):
                if wanted and id == -1:
                    raise ValueError(
                        f"INVALID_ARGUMENT: {name} token is not defined as a control symbol in this model."
                    )

    def ids(self, ids: list[int]) -> list[int]:
        if self.reverse:
            ids.reverse()
        if self.add_bos:
            ids.insert(0, self.model.bos)
        if self.add_eos:
            ids.append(self.model.eos)
        return ids

    def pieces(self, pieces: list[str]) -> list[str]:
        names = self.model.names
        if self.reverse:
            pieces.reverse()
        if self.add_bos:
            pieces.insert(0, names[self.model.bos])
        if self.add_eos:
            pieces.append(names[self.model.eos])
        if self.emit_unk_piece:
            known, unk = self.model.ids, self.model.unk
            pieces = [names[unk] if known.get(piece, unk) == unk else piece for piece in pieces]
        return pieces

    def shaped(self, return_type: Any, ids: list[int], pieces: Callable[[], list[str]]) -> Any:
        """Ids as they are asked for: as ids, as an array, or as what `pieces` gives."""
        if return_type is int:
            return self.ids(ids)
        if return_type == "numpy":
            return np.frombuffer(memoryview(VectorBuffer(np.array(self.ids(ids), dtype=np.int32))), dtype=np.int32)
        texts = self.pieces(pieces())
        return [text.encode("utf-8") for text in texts] if return_type is bytes else texts


class VectorBuffer(bytes):
    """A copy of the ids for a read-only array, under the name that its memory has in the library."""

    def data_address(self) -> int:
        address: int = np.frombuffer(self, dtype=np.uint8).__array_interface__["data"][0]
        return address


def sampling_of(model: Model, enable_sampling: Any, nbest_size: Any, alpha: Any) -> dict[str, Any]:
    """The arguments of the engine for a call that samples."""
    if not enable_sampling:
        return {}
    if enable_sampling is True and (nbest_size is None or nbest_size in (0, 1) or alpha is None):
        raise ValueError(
            'When enable_sampling is True, We must specify "nbest_size > 1" or "nbest_size = -1", and "alpha". '
            'Only unigram uses "nbest_size"; -1 samples from all segmentations.'
        )
    if nbest_size > 512:
        raise RuntimeError("INTERNAL: nbest_size must be nbest_size <= 512")
    if not model.is_sampled:
        raise RuntimeError("INTERNAL: SampleEncode is not available for the current model.")
    seed = chance.next_seed()
    if model.family == "unigram":
        return {"alpha": float(alpha), "nbest_size": -1 if nbest_size < 0 else nbest_size, "seed": seed}
    return {"dropout": min(max(float(alpha), 0.0), 1.0), "seed": seed}


def encoded(model: Model, text: Any, return_type: Any, sampling: dict[str, Any], around: Around) -> Any:
    """One text, as anything but a mapping of places."""
    if not isinstance(text, (str, bytes)):
        raise TypeError("Input must be str or bytes")
    around.check(return_type)
    if return_type in PROTOS:
        return message(return_type, text, model.placed(text, sampling))
    ids = model.encode(text, sampling)
    return around.shaped(return_type, ids, lambda: model.as_pieces(text, ids, sampling))


def message(return_type: str, text: Any, pieces: list[Piece]) -> Any:
    written = piece_text(text if isinstance(text, bytes) else text.encode("utf-8"), pieces)
    return parsed("SentencePieceText", written) if return_type == "proto" else written


def mapped(model: Model, text: Any, sampling: dict[str, Any], return_bytes: bool) -> dict[str, Any]:
    """Ids, pieces, and where they stand in the text."""
    pieces = model.placed(text, sampling)
    ids = [piece.id for piece in pieces]
    if return_bytes:
        places = [(piece.begin, piece.end) for piece in pieces]
        return {"ids": ids, "pieces": [piece.piece for piece in pieces], "offsets": places}
    before = characters_before(readable(text).encode("utf-8"))
    places = [(before[piece.begin], before[piece.end]) for piece in pieces]
    return {"ids": ids, "pieces": [piece.piece.decode("utf-8") for piece in pieces], "offsets": places}


def characters_before(text: bytes) -> list[int] | range:
    """How many characters end before each byte, and before the end of the text."""
    if text.isascii():
        return range(len(text) + 1)
    before, count = [], -1
    for byte in text:
        count += byte & 0xC0 != 0x80
        before.append(count)
    return [*before, count + 1]


def drawn(
    model: Model, text: Any, n: int, sampling: tuple[float, int, bool, bool] | None, return_type: Any, around: Around
) -> Any:
    """Several segmentations of one text, with scores where they were sampled."""
    around.check(return_type)
    if return_type not in (int, str, bytes, "numpy", *PROTOS):
        raise ValueError(f"unknown return_type={return_type}")
    readable_text = readable(text)
    if model.family != "unigram":
        no_segmentations()
    start = time.monotonic()
    found = model.reads(text)._draw_placed(readable_text, n, sampling)
    if sampling is None and is_too_late(start):
        found = found[:1]
    if sampling is None and n == 1:
        found = [(*row[:3], 0.0) for row in found]
    if return_type in PROTOS:
        source = text if isinstance(text, bytes) else text.encode("utf-8")
        written = rows(piece_text(source, model.pieces(text, row), row[3]) for row in found)
        return parsed("NBestSentencePieceText", written) if return_type == "proto" else written
    shaped = [
        around.shaped(
            return_type,
            row[0],
            lambda row=row: [piece.piece.decode("utf-8") for piece in model.pieces(text, row)],  # type: ignore[misc]
        )
        for row in found
    ]
    if sampling is None:
        return shaped
    return [(each, row[3]) for each, row in zip(shaped, found, strict=True)]


def no_segmentations() -> NoReturn:
    raise RuntimeError("INTERNAL: only unigram models have several segmentations of a text")


def threads(num_threads: Any, thread_pool: Any) -> int | None:
    if not isinstance(num_threads, int):
        raise TypeError("num_threads must be int")
    return threads_of(num_threads, thread_pool)
