"""Damaged files: an exception, never a panic, a hang or wrong ids."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import bytemill
from bytemill.errors import BytemillError, FormatError
from tests.conftest import need
from tests.samples import words

FORMATS = ["mill", "mill.json", "tokenizer.json"]
SMALL = words(["the cat, sat"], special_tokens=["<x>"], lowercase=True, add_eos=True)
TEXTS = ["the cat, sat", "The <x>dog<EOS>", "Crème 中\x00", "", " the  the ", "<PAD><UNK> ,<x><x>"]
CORRUPTIONS = 10_000


@pytest.mark.parametrize("format", FORMATS)
def test_every_truncation_is_an_error(format: str, tmp_path: Path) -> None:
    whole = SMALL.to_bytes(format)
    path = tmp_path / "a"
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(FormatError):
            bytemill.load(path)
        path.unlink()


def corrupted(whole: bytes, seed: int) -> Iterator[bytes]:
    """`CORRUPTIONS` files that differ from `whole`, each by one to three accidents."""
    random_ = random.Random(seed)
    made = 0
    while made < CORRUPTIONS:
        data = bytearray(whole)
        for _ in range(random_.choice([1, 1, 2, 3])):
            damage(data, random_)
        if data != whole:
            made += 1
            yield bytes(data)


def damage(data: bytearray, random_: random.Random) -> None:
    at = random_.randrange(len(data))
    length = random_.choice([1, 1, 2, 4, 16, 100])
    noise = random_.randbytes(length)
    match random_.randrange(6):
        case 0:
            data[at] ^= 1 << random_.randrange(8)
        case 1:
            data[at : at + length] = noise[: len(data) - at]
        case 2:
            # Something that parses where a number or a flag stood.
            data[at] = random_.choice(b'0123456789{}[],:"\\ntf ')
        case 3 if len(data) > length:
            del data[at : at + length]
        case 4:
            data[at:at] = noise
        case _:
            other = random_.randrange(len(data))
            data[at], data[other] = data[other], data[at]
    if not data:
        data.append(0)


def loaded(content: bytes, path: Path) -> bytemill.Tokenizer | None:
    """The tokenizer of a file, or None where it is refused as it should be: every other exception is a failure."""
    path.write_bytes(content)
    try:
        return bytemill.load(path)
    except FormatError as error:
        assert str(error).startswith(f"{path}: "), str(error)
        return None
    finally:
        # A new file each time: the old one may be mapped.
        path.unlink()


@pytest.mark.parametrize("format", ["mill", "mill.json"])
def test_a_damaged_file_of_ours_is_refused_or_unharmed(format: str, tmp_path: Path) -> None:
    expected = [SMALL.encode(text) for text in TEXTS]
    unharmed = 0
    for content in corrupted(SMALL.to_bytes(format), seed=1):
        tok = loaded(content, tmp_path / "a")
        if tok is not None:
            unharmed += 1
            assert tok == SMALL
            assert [tok.encode(text) for text in TEXTS] == expected
    # White space in JSON may change; in the compact format every byte counts.
    assert unharmed == 0 if format == "mill" else unharmed < CORRUPTIONS // 4


def ids_or_error(encode: object, text: str) -> object:
    try:
        return encode(text)
    except Exception:
        return "error"


def test_a_damaged_tokenizer_json_never_does_worse_than_fail(tmp_path: Path) -> None:
    accepted = 0
    for content in corrupted(SMALL.to_bytes("tokenizer.json"), seed=2):
        tok = loaded(content, tmp_path / "a")
        if tok is not None:
            accepted += 1
            for text in TEXTS:
                try:
                    ids = tok.encode(text)
                except BytemillError:
                    continue
                assert all(tok.id_to_bytes(id) is not None for id in ids)
                assert isinstance(tok.decode(ids), str)
    assert 0 < accepted < CORRUPTIONS


@pytest.mark.peer
def test_a_damaged_tokenizer_json_that_both_libraries_load_gives_the_same_ids(tmp_path: Path) -> None:
    tokenizers = need("tokenizers")
    compared = 0
    for content in corrupted(SMALL.to_bytes("tokenizer.json"), seed=2):
        tok = loaded(content, tmp_path / "a")
        if tok is None:
            continue
        try:
            theirs = tokenizers.Tokenizer.from_buffer(content)
        except Exception:
            continue
        compared += 1
        for text in TEXTS:
            ours = ids_or_error(tok.encode, text)
            expected = ids_or_error(lambda t, theirs=theirs: theirs.encode(t, add_special_tokens=False).ids, text)
            assert ours == expected, content
    assert compared > 100
