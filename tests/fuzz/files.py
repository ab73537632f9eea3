"""Files from strangers: those of every format, changed where it hurts, with their checksums made right again.

Such a file is refused, or it is a tokenizer like any other: nothing that it does is an internal error, and the ids that
it gives are tokens.
"""

from __future__ import annotations

import base64
import json
import random
from functools import cache
from itertools import cycle
from typing import Any

import xxhash
from sentencepiece import sentencepiece_model_pb2 as pb2

import bytemill
from bytemill.errors import BytemillError
from tests.samples import words

from .damage import damage_json, damage_message
from .huggingface import make as make_json
from .sentencepieces import make as make_model
from .sentencepieces import model_of
from .tally import done
from .texts import random_text

Json = dict[str, Any]

TABLE, ROW, CHECKSUM = 24, 24, slice(16, 24)
#: What is written in place of a number.
NUMBERS = [0, 1, 2, 7, 255, 256, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF, 2**63, 2**64 - 1]
FORMATS = ["mill", "mill", "mill", "mill.json", "tokenizer.json", "model", "tiktoken", "tekken.json", "vocab.txt"]
#: How many damaged files are made from one, and the size in bytes from which on there are fewer.
COPIES, LARGE = 60, 50_000
CORPUS = ["the cat sat on the mat, the café\n", "a bab abab abba caba\n"] * 3


@cache
def trained(number: int) -> bytemill.Tokenizer:
    specs = [
        bytemill.BPE(vocab_size=280),
        bytemill.WordPiece(vocab_size=40),
        bytemill.Unigram(vocab_size=28),
        bytemill.Char(),
    ]
    if number == len(specs):
        return words(CORPUS, special_tokens=["<x>"], lowercase=True, add_eos=True)
    return bytemill.train(CORPUS, specs[number], progress=False)


def random_tokenizer(rng: random.Random) -> bytemill.Tokenizer:
    """One of some families, or one with stages at random."""
    roll = rng.randrange(8)
    if roll < 5:
        return trained(roll)
    content = model_of(make_model(rng)) if roll == 5 else json.dumps(make_json(rng)["file"]).encode()
    try:
        return bytemill.loads(content)
    except BytemillError:
        return trained(0)


def make(rng: random.Random) -> Json:
    """A case: a file, damaged in many ways, and texts to use it for."""
    tok, format = random_tokenizer(rng), rng.choice(FORMATS)
    try:
        data = bytearray(tok.to_bytes(format))
    except BytemillError:
        format, data = "mill", bytearray(tok.to_bytes("mill"))
    if format == "mill" and rng.random() < 0.8:
        drop_self_tests(data)
    damaged = [damaged_copy(rng, data, format) for _ in range(COPIES if len(data) < LARGE else COPIES // 10)]
    texts = [random_text(rng, ["<x>"]) for _ in range(2)]
    contents = [base64.b64encode(copy).decode() for copy in damaged]
    return {"contents": contents, "format": format, "texts": [*texts, CORPUS[0]]}


def damaged_copy(rng: random.Random, data: bytearray, format: str) -> bytearray:
    if rng.random() < 0.4 and (told := with_structure(rng, bytes(data), format)) is not None:
        return bytearray(told)
    copy = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        damage(rng, copy, format)
    if format == "mill":
        repair(copy)
    return copy


def with_structure(rng: random.Random, data: bytes, format: str) -> bytes | None:
    """The values of a file changed, where its format is known to have some."""
    if format.endswith("json"):
        return damage_json(rng, data)
    if format == "model":
        model = pb2.ModelProto.FromString(data)
        for _ in range(rng.choice([1, 1, 2])):
            damage_message(rng, model)
        return model.SerializeToString()
    return None


def repair(data: bytearray) -> None:
    """Makes the checksum right."""
    rest = data[: CHECKSUM.start] + data[CHECKSUM.stop :]
    data[CHECKSUM] = xxhash.xxh3_64_intdigest(bytes(rest)).to_bytes(8, "little")


def drop_self_tests(data: bytearray) -> None:
    """A file that means ill does not tell what its tokenizer should give."""
    offset, length = (read(data, TABLE + at, 8) for at in (8, 16))
    head = json.loads(data[offset : offset + length])
    written = json.dumps({**head, "self_test": []}, separators=(",", ":"), ensure_ascii=False).encode()
    data[offset : offset + length] = written.ljust(length)[:length]


def damage(rng: random.Random, data: bytearray, format: str) -> None:
    """One change, in a section of its own format where there are sections."""
    start, end = place(rng, data) if format == "mill" else (0, len(data))
    if end <= start:
        return
    at = rng.randrange(start, end)
    match rng.randrange(6):
        case 0:
            data[at] ^= 1 << rng.randrange(8)
        case 1 | 2 if format == "mill":
            size = rng.choice([4, 8])
            at -= (at - start) % size
            write(
                data, at, size, rng.choice([*NUMBERS, read(data, at, size) + rng.choice([-1, 1]), rng.randrange(400)])
            )
        case 3:
            other = rng.randrange(start, end)
            length = rng.choice([1, 4, 8])
            data[at : at + length] = data[other : other + min(length, len(data) - at)]
        case 4 if format != "mill":
            del data[at : at + rng.choice([1, 2, 9])]
        case _:
            data[at] = rng.choice(b'0123456789{}[],:"\\ntf -e.') if rng.random() < 0.8 else rng.randrange(256)
    if not data:
        data.append(0)


def place(rng: random.Random, data: bytearray) -> tuple[int, int]:
    """A section of a `.mill` file, or its header."""
    row = rng.randint(-1, min(read(data, 12, 4), 8) - 1)
    if row < 0:
        return 8, min(TABLE + 8 * ROW, len(data))
    offset, length = (read(data, TABLE + row * ROW + at, 8) for at in (8, 16))
    return (offset, offset + length) if offset + length <= len(data) else (0, len(data))


def read(data: bytearray, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "little")


def write(data: bytearray, at: int, size: int, number: int) -> None:
    if at + size <= len(data):
        data[at : at + size] = (number % (1 << 8 * size)).to_bytes(size, "little")


def check(case: Json) -> str:
    texts = cycle(case["texts"])
    used = [load_and_use(base64.b64decode(content), next(texts)) for content in case["contents"]]
    return f"{case['format']}: {'some used' if any(used) else 'refused'}"


def load_and_use(content: bytes, text: str) -> bool:
    """Loads the file, and if that is done, does with it what one does with a tokenizer."""
    done["files"] += 1
    try:
        tok = bytemill.loads(content)
    except BytemillError as error:
        refuse_internal(error)
        return False
    for use in (use_ids, use_places, use_parts):
        try:
            use(tok, text)
        except BytemillError as error:
            refuse_internal(error)
    try:
        bytemill.loads(tok.to_bytes("mill"))
    except BytemillError as error:
        refuse_internal(error)
    return True


def refuse_internal(error: BytemillError) -> None:
    if "please report it" in str(error):
        raise error


def use_ids(tok: bytemill.Tokenizer, text: str) -> None:
    ids = tok.encode(text)
    tok.decode(ids)
    tok.decode_bytes(ids, skip_special_tokens=True)
    missing = [id for id in ids if tok.id_to_bytes(id) is None]
    if missing:
        raise AssertionError(f"ids that are no tokens: {missing}")


def use_places(tok: bytemill.Tokenizer, text: str) -> None:
    encoding = tok(text, offsets=True)
    str((encoding.tokens, encoding.offsets))
    str(tok.explain(text))
    tok.cut(text, 3)


def use_parts(tok: bytemill.Tokenizer, text: str) -> None:
    list(tok.encode_iterable([text[:5], text[5:]]))
    tok.encode_batch([text, text * 20], threads=2)
    tok.vocab()
