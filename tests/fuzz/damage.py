"""Damage with a sense of structure: values of JSON and fields of protocol buffers, replaced by what nobody wrote."""

from __future__ import annotations

import json
import random
from typing import Any

from google.protobuf.message import Message

#: Stands where a value was, and lets files say what JSON can say and Python's writer cannot.
NUMBERS = [
    0,
    1,
    -1,
    2,
    255,
    256,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**32,
    2**53,
    2**63 - 1,
    2**63,
    2**64 - 1,
    2**64,
    -(2**63),
]
FRACTIONS = [0.5, -0.0, 1e-320, 1e38, -1e38, 1e308, float("inf"), float("-inf"), float("nan")]
TEXTS = [
    "",
    " ",
    "a",
    "\u0000",
    "▁",
    "\ud800",
    "é" * 70,
    "x" * 5000,
    "(",
    "[UNK]",
    "$A",
    "<0x41>",
    "..",
    "../a",
    "/",
    "1e400",
]
EMPTY: list[Any] = [None, True, False, [], {}, [[]], [{}], [None], {"type": None}, {"type": "Sequence"}]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values, where a list or an object is long only of its first ones."""
    found = [path]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for number, (key, item) in enumerate(items):
        if number < 12:
            found += places(item, (*path, key))
    return found


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def random_value(rng: random.Random, whole: Any, old: Any) -> Any:
    """A number near to the old one, a value of any kind, or one that stands elsewhere in the file."""
    roll = rng.random()
    if roll < 0.2 and isinstance(old, (int, float)):
        return old + rng.choice([-1, 1, 2, 0.5])
    if roll < 0.3 and isinstance(old, str):
        return rng.choice([old + old, old[:-1], old + "\u0301", old.upper(), old[::-1]])
    if roll < 0.5:
        return at(whole, rng.choice(places(whole)))
    return rng.choice([rng.choice(NUMBERS), rng.choice(FRACTIONS), rng.choice(TEXTS), rng.choice(EMPTY)])


def copied(value: Any) -> Any:
    """Nothing is part of itself."""
    return json.loads(json.dumps(value))


def damage_json(rng: random.Random, content: bytes) -> bytes:
    """The same JSON with some values changed, left out, added, or in another order."""
    whole = json.loads(content)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        path = rng.choice(places(whole))
        if not path:
            continue
        owner, key = at(whole, path[:-1]), path[-1]
        roll = rng.random()
        if roll < 0.7:
            owner[key] = copied(random_value(rng, whole, owner[key]))
        elif roll < 0.8:
            del owner[key]
        elif isinstance(owner, list):
            owner.insert(key, copied(rng.choice(owner)))
        else:
            owner[rng.choice(["", "type", "extra", "id", str(key) + "s"])] = copied(owner[key])
    # A lone surrogate is written as an escape, which is JSON.
    return json.dumps(whole).encode()


def damage_message(rng: random.Random, message: Message) -> None:
    """Changes a field of a protocol buffer, or of a message inside it."""
    fields = list(message.DESCRIPTOR.fields)
    field = rng.choice(fields)
    value = getattr(message, field.name)
    # How a descriptor says it has changed between versions of the library.
    repeated = hasattr(value, "extend")
    if field.type == field.TYPE_MESSAGE:
        inner = rng.choice(value) if repeated and value else None if repeated else value
        if inner is not None and rng.random() < 0.85:
            damage_message(rng, inner)
        elif repeated and value:
            value.add().CopyFrom(rng.choice(value)) if rng.random() < 0.5 else value.__delitem__(
                rng.randrange(len(value))
            )
        return
    made = scalar(rng, field)
    try:
        if repeated:
            value.append(made)
        else:
            setattr(message, field.name, made)
    except (TypeError, ValueError, UnicodeError):
        pass  # This kind of field does not hold that value.


def scalar(rng: random.Random, field: Any) -> Any:
    if field.type == field.TYPE_STRING:
        return rng.choice([text for text in TEXTS if text != "\ud800"])
    if field.type == field.TYPE_BYTES:
        return rng.choice([b"", b"\xff", b"\x04\x00\x00\x00abcd", rng.randbytes(40), b"\xff\xff\xff\xff"])
    if field.type in (field.TYPE_FLOAT, field.TYPE_DOUBLE):
        return rng.choice(FRACTIONS)
    if field.type == field.TYPE_BOOL:
        return rng.random() < 0.5
    return rng.choice([*NUMBERS, *range(8)])
