"""Byte-level BPE from small tokenizer.json files of our own making."""

import json
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill.errors import FormatError

PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
OTHERS = [byte for byte in range(256) if byte not in PRINTABLE]
#: The character that stands for each byte.
ALPHABET = {byte: chr(byte) for byte in PRINTABLE} | {byte: chr(0x100 + i) for i, byte in enumerate(OTHERS)}


def file(**changes: Any) -> dict[str, Any]:
    words = ["th", "the", "\u0120the", "he"]
    vocab = {token: id for id, token in enumerate([*ALPHABET.values(), *words])}
    model = {"type": "BPE", "vocab": vocab, "merges": ["t h", "th e", "\u0120 the", "h e"]}
    stages = {
        "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
    }
    model |= changes.pop("model", {})
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        **stages,
        "model": model,
        **changes,
    }


def load(tmp_path: Path, **changes: Any) -> bytemill.Tokenizer:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(file(**changes)))
    return bytemill.load(path)


def test_merges_in_the_order_of_their_ranks(tmp_path: Path) -> None:
    tok = load(tmp_path)
    assert tok.tokenize("the the he") == ["the", " the", " ", "he"]
    assert tok.family == "bpe"
    assert tok.decode(tok.encode("thé \U0001f642")) == "thé \U0001f642"
    assert tok.decode_bytes(tok.encode("é")[:1]) == b"\xc3"


def test_offsets_cover_whole_characters(tmp_path: Path) -> None:
    encoding = load(tmp_path)("é the", offsets=True)
    assert encoding.offsets == [(0, 1), (0, 1), (1, 5)]


def test_a_whole_piece_wins_where_the_file_says_so(tmp_path: Path) -> None:
    unreachable = {"merges": ["t h", "th e", "h e"]}
    assert load(tmp_path, model=unreachable).tokenize(" the") == [" ", "the"]
    assert load(tmp_path, model={**unreachable, "ignore_merges": True}).tokenize(" the") == [" the"]


def test_streams_never_split_a_character(tmp_path: Path) -> None:
    tok = load(tmp_path)
    stream = tok.stream()
    assert [stream.push(id) for id in tok.encode("é\U0001f642")] == ["", "é", "", "", "", "\U0001f642"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"model": {"dropout": 1.5}}, "model.dropout: expected a number from 0 to 1, found 1.5"),
        ({"model": {"byte_fallback": 1}}, "model.byte_fallback: expected true or false, found 1"),
        (
            {"model": {"end_of_word_suffix": "▁"}},
            "model.end_of_word_suffix: a mark that is not written in the alphabet",
        ),
        ({"model": {"continuing_subword_prefix": "##"}}, 'merge 0: "h" does not start with the prefix "##" and go on'),
        (
            {"model": {"vocab": {"t": 0}, "unk_token": "?", "merges": []}},
            r'model.unk_token: "\?" is not in the vocabulary',
        ),
        ({"model": {"merges": ["t h e"]}}, r"model.merges\[0\]: has 3 parts, expected 2"),
        ({"model": {"merges": ["t x"]}}, 'merge 0: makes "tx", which is not in the vocabulary'),
        ({"model": {"vocab": {"t": 0}}}, r"model.merges\[0\]: \"h\" is not in the vocabulary"),
    ],
)
def test_what_we_cannot_reproduce_is_refused(changes: dict[str, Any], reason: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=reason):
        load(tmp_path, **changes)
