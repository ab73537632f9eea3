"""A loaded model, with what the calls of a processor need of it made once."""

from __future__ import annotations

import codecs
import functools
from pathlib import Path
from typing import Any, NoReturn

from ... import _core
from ..._arguments.types import PlacedRow, Text
from ...errors import BytemillError, TextError, UnknownIdError
from ...tokenizer import Tokenizer
from .messages import Piece, fields

#: The numbers of types of pieces, as a file has them.
UNKNOWN, CONTROL, UNUSED, BYTE = 2, 3, 5, 6


class Model:
    """A model, and the serialized form that it came in."""

    def __init__(self, serialized: bytes) -> None:
        try:
            self.tokenizer = Tokenizer(_core.from_bytes(serialized))
            self.types_and_scores = self.tokenizer._types_and_scores()
        except BytemillError as error:
            raise RuntimeError(f"INTERNAL: {error}") from error
        self.serialized = serialized
        self.size = len(self.types_and_scores)
        self.family = self.tokenizer.family
        ids = self.tokenizer
        self.unk, self.bos, self.eos, self.pad = (
            _or_none(id) for id in (ids.unk_id, ids.bos_id, ids.eos_id, ids.pad_id)
        )

    @functools.cached_property
    def names(self) -> list[str]:
        """The pieces, by their ids."""
        token = self.tokenizer.id_to_bytes
        return [(token(id) or b"").decode("utf-8") for id in range(self.size)]

    @functools.cached_property
    def ids(self) -> dict[str, int]:
        return {name: id for id, name in reversed(list(enumerate(self.names)))}

    @functools.cached_property
    def types(self) -> list[int]:
        return [kind for kind, _ in self.types_and_scores]

    @functools.cached_property
    def scores(self) -> list[float]:
        return [score for _, score in self.types_and_scores]

    @functools.cached_property
    def is_sampled(self) -> bool:
        """Whether texts have random segmentations: those of Unigram, which is 1, and of BPE, 2."""
        trainer = b"".join(
            content for tag, content in fields(self.serialized) if tag == 2 and isinstance(content, bytes)
        )
        return dict(fields(trainer)).get(3, 1) in (1, 2)

    @functools.cached_property
    def of_bytes(self) -> Tokenizer:
        """The same for texts with bytes that are not UTF-8: the U+FFFD that stands for each is not normalized."""
        return Tokenizer(self.tokenizer._keeping("\ufffd"))

    def reads(self, text: Text) -> Tokenizer:
        """What encodes the readable form of a text."""
        return self.of_bytes if isinstance(text, bytes) and not _is_utf8(text) else self.tokenizer

    def encode(self, text: Text, sampling: dict[str, Any]) -> list[int]:
        try:
            return self.tokenizer.encode(text, **sampling)
        except TextError:
            return self.reads(text).encode(readable(text), **sampling)

    def encode_batch(self, texts: list[Any], threads: int | None, sampling: dict[str, Any]) -> list[list[int]]:
        for text in texts:
            if not isinstance(text, (str, bytes)):
                raise TypeError("List elements must be str or bytes")
        try:
            return self.tokenizer.encode_batch(texts, threads=threads, **sampling).to_list()
        except TextError:
            return [self.encode(text, sampling) for text in texts]

    def placed(self, text: Text, sampling: dict[str, Any]) -> list[Piece]:
        return self.pieces(text, self.reads(text)._encode_placed(readable(text), **sampling))

    def pieces(self, text: Text, row: PlacedRow) -> list[Piece]:
        """A row as pieces; what is unknown is written as the normalized text has it."""
        source = text if isinstance(text, bytes) else text.encode("utf-8")
        place = places_in(source)
        normalized: bytes | None = None
        found = []
        for id, (start, end), (begin, stop) in zip(*row[:3], strict=True):
            begin, stop = place[begin], place[stop]
            if id == self.unk:
                if normalized is None:
                    normalized = self.reads(text)._normalized(readable(text))[0].encode("utf-8")
                piece = normalized[start:end]
            else:
                piece = self.names[id].encode("utf-8")
            is_part = start == end and self.types[id] == BYTE
            found.append(Piece(piece, id, None if is_part else source[begin:stop], begin, stop))
        return found

    def normalized(self, text: Text) -> tuple[str, list[int]]:
        found, places = self.reads(text)._normalized(readable(text))
        if isinstance(text, bytes):
            place = places_in(text)
            places = [place[at] for at in places]
        return found, places

    def as_pieces(self, text: Text, ids: list[int], sampling: dict[str, Any]) -> list[str]:
        """The pieces of ids that a text has become."""
        names = self.names
        if self.unk not in ids:
            return [names[id] for id in ids]
        found, unknown = self.reads(text)._encode_unknown(readable(text), **sampling)
        pieces = [names[id] for id in found]
        for number, piece in unknown:
            pieces[number] = piece
        return pieces

    def decode(self, ids: Any) -> str:
        try:
            return self.tokenizer.decode(ids, skip_special_tokens=True)
        except UnknownIdError:
            out_of_range()

    def check_ids(self, ids: list[int]) -> None:
        size = self.size
        for id in ids:
            if not 0 <= id < size:
                out_of_range()


def load_file(path: Any) -> bytes:
    if not isinstance(path, (str, bytes)):
        raise TypeError(f"the name of a model's file is str, not {type(path).__name__}")
    name = path.decode() if isinstance(path, bytes) else path
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise RuntimeError(f'NOT_FOUND: "{name}": {error.strerror} Error #{error.errno}') from error


def readable(text: Text) -> str:
    """A text without what is not UTF-8: each such byte becomes U+FFFD."""
    if isinstance(text, bytes):
        return text.decode("utf-8", "bytemill-each")
    if not isinstance(text, str):
        raise TypeError("Input must be str or bytes")
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise RuntimeError(f"Unable to cast Python instance of type <class 'str'>: {error}") from None
    return text


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def places_in(text: bytes) -> list[int] | range:
    """The place in a text of each place in its readable form, in which a byte that is not UTF-8 takes three."""
    if _is_utf8(text):
        return range(len(text) + 1)
    places: list[int] = []
    at = 0
    for character in text.decode("utf-8", "surrogateescape"):
        is_wrong = "\udc80" <= character <= "\udcff"
        width = 1 if is_wrong else len(character.encode("utf-8"))
        places.extend([at] * 3 if is_wrong else range(at, at + width))
        at += width
    return [*places, at]


def _each_byte(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "\ufffd" * (error.end - error.start), error.end


codecs.register_error("bytemill-each", _each_byte)


def out_of_range() -> NoReturn:
    raise IndexError("OUT_OF_RANGE: piece id is out of range.") from None


def _or_none(id: int | None) -> int:
    return -1 if id is None else id
