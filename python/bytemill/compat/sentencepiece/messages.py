"""The messages that calls return: written here, and read by `protobuf` where somebody asks for them as objects."""

from __future__ import annotations

import importlib
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Piece:
    """A piece of a text: as the model writes it, and where it stands."""

    piece: bytes
    id: int
    #: None for a byte of a character that is not its last.
    surface: bytes | None
    begin: int
    end: int


def piece_text(text: bytes, pieces: Iterable[Piece], score: float | None = None) -> bytes:
    """A `SentencePieceText`."""
    parts = [field(1, text), *(field(2, _piece(piece)) for piece in pieces)]
    if score is not None:
        parts.append(_tag(3, 5) + struct.pack("<f", score))
    return b"".join(parts)


def rows(messages: Iterable[bytes]) -> bytes:
    """A `NBestSentencePieceText`."""
    return b"".join(field(1, message) for message in messages)


def _piece(it: Piece) -> bytes:
    places = number(4, it.begin) + number(5, it.end)
    surface = b"" if it.surface is None else field(3, it.surface)
    return field(1, it.piece) + number(2, it.id) + surface + places


def field(tag: int, content: bytes) -> bytes:
    """A field of bytes, a text or a message."""
    return _tag(tag, 2) + varint(len(content)) + content


def number(tag: int, value: int) -> bytes:
    return _tag(tag, 0) + varint(value)


def _tag(number: int, kind: int) -> bytes:
    return varint(number << 3 | kind)


def varint(value: int) -> bytes:
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message, with their numbers."""
    at = 0
    while at < len(message):
        tag, at = _read_varint(message, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, at = _read_varint(message, at)
            yield number, value
            continue
        width = {1: 8, 5: 4}.get(kind)
        if width is None:
            if kind != 2:
                raise ValueError(f"a field of kind {kind}")
            width, at = _read_varint(message, at)
        if at + width > len(message):
            raise ValueError("a field continues after the end")
        yield number, message[at : at + width]
        at += width


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while True:
        if at == len(message) or shift > 63:
            raise ValueError("a number does not end")
        value |= (message[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if message[at - 1] < 0x80:
            return value, at


def parsed(name: str, message: bytes) -> Any:
    """A message as an object of `protobuf`."""
    try:
        classes = importlib.import_module(".sentencepiece_pb2", __package__)
    except ImportError as error:
        raise ImportError(
            "protobuf is required when using out_type='proto'. Please install protobuf: pip install protobuf"
        ) from error
    found = getattr(classes, name)()
    found.ParseFromString(message)
    return found
