"""The trainer's part of a SentencePiece file: the few fields that an edit makes untrue are written anew."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .draft import Draft

#: Numbers of fields in the message.
VOCAB_SIZE, CONTROL_SYMBOLS, USER_DEFINED_SYMBOLS = 4, 30, 31
UNK_ID = 40
IDS = {"bos": 41, "eos": 42, "pad": 43}
NAMES = {"unk": 45, "bos": 46, "eos": 47, "pad": 48}
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def updated(pieces: dict[str, Any], draft: Draft) -> dict[str, Any]:
    """What a SentencePiece model says about its pieces, for the tokens that a draft has now."""
    unk = draft.outline["unk"]
    controls = {token["id"]: str(token["content"]) for token in draft.added}
    roles: dict[str, int] = {"unk": unk, **(draft.outline.get("roles") or _roles(draft, controls))}
    texts = {id: (draft.tokens[id] or b"").decode() for id in (unk, *pieces["user_defined"])}
    names = {role: texts[unk] if role == "unk" else controls.get(id, "") for role, id in roles.items()}
    fields: dict[int, list[int | str]] = {
        VOCAB_SIZE: [len(draft.tokens)],
        CONTROL_SYMBOLS: [name for id, name in controls.items() if id not in roles.values()],
        USER_DEFINED_SYMBOLS: [texts[id] for id in pieces["user_defined"]],
        UNK_ID: [unk],
        **{number: [roles.get(role, -1)] for role, number in IDS.items()},
        **{number: [names[role]] for role, number in NAMES.items() if role in names},
    }
    message = base64.b64decode(pieces["trainer_spec"])
    kept = b"".join(raw for number, raw in read(message) if number not in fields)
    written = b"".join(write(number, value) for number, values in sorted(fields.items()) for value in values)
    return {**pieces, "trainer_spec": base64.b64encode(kept + written).decode()}


def _roles(draft: Draft, controls: dict[int, str]) -> dict[str, int]:
    """The roles of the old tokenizer, by the ids that their tokens have now."""
    now = {old: id for id, old in draft.origins.items()}
    found = {role: getattr(draft.old, f"{role}_id") for role in IDS}
    return {role: now[id] for role, id in found.items() if id in now and now[id] in controls}


def read(message: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a message: the number of each, and all of its bytes.

    >>> [*read(write(4, 300) + write(46, "<s>"))]
    [(4, b' \\xac\\x02'), (46, b'\\xf2\\x02\\x03<s>')]
    """
    at = 0
    while at < len(message):
        start = at
        key, at = _varint(message, at)
        kind = key & 7
        if kind == VARINT:
            _, at = _varint(message, at)
        elif kind == BYTES:
            length, at = _varint(message, at)
            at += length
        else:
            at += {FIXED64: 8, FIXED32: 4}[kind]
        yield key >> 3, message[start:at]


def write(number: int, value: int | str) -> bytes:
    """A field of a message."""
    if isinstance(value, int):
        # A negative number has the ten bytes of 64 bits.
        return _of_varint(number << 3 | VARINT) + _of_varint(value % (1 << 64))
    text = value.encode()
    return _of_varint(number << 3 | BYTES) + _of_varint(len(text)) + text


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def _of_varint(value: int) -> bytes:
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])
