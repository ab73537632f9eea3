"""Files: what is saved comes back, and what is not ours is refused."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill import normalizers, pretokenizers
from bytemill.errors import FormatError, SpecError
from tests.conftest import need
from tests.samples import CORPUS, TEXTS, chars, words

NATIVE = {"mill": "a.mill", "mill.json": "a.mill.json"}
FORMATS = {**NATIVE, "tokenizer.json": "tokenizer.json"}
STAGED = pretokenizers.Sequence([pretokenizers.WhitespaceSplit(), pretokenizers.Punctuation("merged_with_next")])

OPTIONS: list[dict[str, Any]] = [
    {},
    {"lowercase": True},
    {"strip_accents": True},
    {"lowercase": True, "strip_accents": True},
    {"add_bos": True},
    {"add_bos": True, "add_eos": True},
    {"min_frequency": 2},
    {"vocab_size": 12},
    {"pad_token": None, "bos_token": None},
    {"special_tokens": ["<x>", "<new york>", "naïve"]},
    {"normalizer": "bert"},
    {"normalizer": normalizers.Sequence([normalizers.NFKC(), normalizers.Strip(left=False)])},
    {"pretokenizer": "whitespace"},
    {"pretokenizer": STAGED},
    *({"pretokenizer": pretokenizers.Punctuation(behavior)} for behavior in ("removed", "contiguous")),
    {"pretokenizer": pretokenizers.Delimiter("é")},
    {"pretokenizer": pretokenizers.FixedLength(3)},
    {"pretokenizer": pretokenizers.Digits(individual=True)},
    {"pretokenizer": "gpt2"},
    {"pretokenizer": "cl100k"},
    {"pretokenizer": "o200k"},
]
TOKENIZERS = [(make, options) for make in (words, chars) for options in OPTIONS] + [(words, {"split_cjk": True})]
EVERY = pytest.mark.parametrize(("make", "options"), TOKENIZERS, ids=lambda v: getattr(v, "__name__", str(v)))
Make = Callable[..., bytemill.Tokenizer]


def behaviour(tok: bytemill.Tokenizer) -> list[Any]:
    """Everything that a user can see of what a tokenizer does."""
    texts = [*TEXTS, *CORPUS, "<x>naïve<new york>"]
    rows = [tok.encode(text) for text in texts]
    inputs = [tok(text, "the <EOS>", offsets=True) for text in texts]
    return [
        rows,
        [(e.ids, e.tokens, e.type_ids, e.offsets, e.special_tokens_mask, e.sequence_ids) for e in inputs],
        tok.decode_batch(rows),
        tok.decode_batch(rows, skip_special_tokens=True),
        tok.vocab(),
        tok.special_tokens,
        tok.vocab_size,
    ]


@EVERY
def test_our_own_formats_give_the_same_tokenizer(make: Make, options: dict[str, Any], tmp_path: Path) -> None:
    tok = make(**options)
    for format, name in NATIVE.items():
        tok.save(tmp_path / name)
        back = bytemill.load(tmp_path / name)
        assert back == tok and back.fingerprint == tok.fingerprint and back.family == tok.family
        assert back.training_stats == tok.training_stats
        assert behaviour(back) == behaviour(tok)
        assert bytemill._core.sniff(tmp_path / name) == format
        assert (tmp_path / name).read_bytes() == tok.to_bytes(format) == back.to_bytes(format)


@EVERY
def test_tokenizer_json_gives_the_same_behaviour(make: Make, options: dict[str, Any], tmp_path: Path) -> None:
    tok = make(**options)
    tok.save(tmp_path / "tokenizer.json")
    back = bytemill.load(tmp_path / "tokenizer.json")
    assert behaviour(back) == behaviour(tok)
    assert back.to_bytes("tokenizer.json") == tok.to_bytes("tokenizer.json")


@pytest.mark.peer
@EVERY
def test_tokenizer_json_in_the_library_it_comes_from(make: Make, options: dict[str, Any]) -> None:
    tok = make(**options)
    theirs = need("tokenizers").Tokenizer.from_str(tok.to_bytes("tokenizer.json").decode())
    for text in [*TEXTS, *CORPUS, "<x>naïve<new york>"]:
        expected = theirs.encode(text, add_special_tokens=False)
        assert tok.encode(text) == expected.ids
        assert tok(text, "the <EOS>").ids == theirs.encode(text, "the <EOS>").ids
        assert tok.decode(expected.ids) == theirs.decode(expected.ids, skip_special_tokens=False)
        assert tok.decode(expected.ids, skip_special_tokens=True) == theirs.decode(expected.ids)


def test_without_an_unknown_token(tmp_path: Path) -> None:
    tok = words(["the cat"], unk_token=None)
    for name in FORMATS.values():
        tok.save(tmp_path / name)
        back = bytemill.load(tmp_path / name)
        assert back.encode("the cat<EOS>") == tok.encode("the cat<EOS>") == [4, 3, 2]
        with pytest.raises(bytemill.errors.UnknownTokenError):
            back.encode("dog")


def test_the_format_follows_from_the_name(tmp_path: Path) -> None:
    tok = words()
    names = {"a.mill": "mill", "A.MILL": "mill", "b.mill.json": "mill.json", "c.json": "tokenizer.json"}
    for name, format in names.items():
        tok.save(tmp_path / name)
        assert bytemill._core.sniff(tmp_path / name) == format
    tok.save(str(tmp_path / "noname"), format="mill.json")
    assert bytemill.load(str(tmp_path / "noname")) == tok
    with pytest.raises(SpecError, match=r'"x\.txt" does not say which format to write'):
        tok.save(tmp_path / "x.txt")
    assert not (tmp_path / "x.txt").exists()


def test_load_insists_on_a_format(tmp_path: Path) -> None:
    tok = words()
    for format, name in FORMATS.items():
        tok.save(tmp_path / name)
        assert bytemill.load(tmp_path / name, format=format).encode("the cat") == tok.encode("the cat")
        for other in FORMATS.keys() - {format}:
            with pytest.raises(FormatError):
                bytemill.load(tmp_path / name, format=other)


def test_folders(tmp_path: Path) -> None:
    makers = {"tokenizer.json": {}, "tokenizer.mill.json": {"lowercase": True}, "tokenizer.mill": {"add_bos": True}}
    for name, options in makers.items():
        tok = words(**options)
        tok.save(tmp_path / name)
        assert bytemill.load(tmp_path).encode("THE") == tok.encode("THE")
        assert bytemill.load(str(tmp_path)).to_bytes("tokenizer.json") == tok.to_bytes("tokenizer.json")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match="the folder has none of"):
        bytemill.load(tmp_path / "empty")


@pytest.mark.parametrize("format", FORMATS)
def test_gzipped_files(format: str, tmp_path: Path) -> None:
    tok = words()
    (tmp_path / "a.gz").write_bytes(gzip.compress(tok.to_bytes(format)))
    assert behaviour(bytemill.load(tmp_path / "a.gz")) == behaviour(tok)
    whole = (tmp_path / "a.gz").read_bytes()
    for end in (2, 10, len(whole) // 2, len(whole) - 9, len(whole) - 1):
        (tmp_path / "a.gz").write_bytes(whole[:end])
        with pytest.raises(FormatError, match="the gzip stream"):
            bytemill.load(tmp_path / "a.gz")


FOREIGN = {
    "empty": b"",
    "blank": b" \n",
    "text": b"the cat sat on the mat",
    "tiktoken": b"IQ== 0\nIg== 1\n",
    "sentencepiece": b"\x0a\x0e\x0a\x05<unk>\x15\x00",
    "png": b"\x89PNG\r\n\x1a\n",
    "zip": b"PK\x03\x04",
    "utf16": "{}".encode("utf-16"),
    "json": b'{"a": 1}',
    "json list": b"[]",
    "json string": b'"bytemill"',
    "nested json": b'{"model":' * 100_000,
    "nested list": b'{"bytemill":' + b"[" * 100_000,
    "only a name": b'{"bytemill": 1}',
    "only a model": b'{"model": {}}',
    "magic alone": b"\x89MILL\r\n\x1a",
    "translated magic": b"\x89MILL\n\x1a" + b"\0" * 200,
    "zeros after the magic": b"\x89MILL\r\n\x1a\x01\0" + b"\0" * 500,
}


@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_files(name: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(FOREIGN[name])
    with pytest.raises(FormatError) as caught:
        bytemill.load(tmp_path / "a")
    assert str(caught.value).startswith(f"{tmp_path / 'a'}: ")


def test_newer_files(tmp_path: Path) -> None:
    newer = "version 2 is newer than 1, the newest that is known here: upgrade bytemill"
    binary = bytearray(words().to_bytes("mill"))
    binary[8] = 2
    readable = json.loads(words().to_bytes("mill.json"))
    readable["bytemill"] = 2
    readable["a key of the future"] = 1
    for content in (bytes(binary), json.dumps(readable).encode()):
        (tmp_path / "a").write_bytes(content)
        with pytest.raises(FormatError, match=newer):
            bytemill.load(tmp_path / "a")


def test_a_readable_file_may_be_laid_out_anew_but_not_changed(tmp_path: Path) -> None:
    tok = words(["the cat"])
    content = json.loads(tok.to_bytes("mill.json"))
    (tmp_path / "a").write_text(json.dumps(content, ensure_ascii=True, indent=7))
    assert bytemill.load(tmp_path / "a") == tok
    content["vocab"][4] = "bird"
    (tmp_path / "a").write_text(json.dumps(content))
    with pytest.raises(FormatError, match="the file was changed"):
        bytemill.load(tmp_path / "a")
    del content["checksum"]
    (tmp_path / "a").write_text(json.dumps(content))
    with pytest.raises(FormatError, match="self-test"):
        bytemill.load(tmp_path / "a")
    content["self_test"] = []
    (tmp_path / "a").write_text(json.dumps(content))
    assert bytemill.load(tmp_path / "a").tokenize("the bird") == ["the", "bird"]
