"""tekken.json files of our own making: what is read and what is refused."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill.errors import BytemillError, FormatError

PATTERN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|"
    r"\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
TOKENS = [bytes([byte]) for byte in range(256)] + [b"ab", b"abc", b"never used"]


def file(**config: Any) -> dict[str, Any]:
    tokens = [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
        for rank, token in enumerate(TOKENS)
    ]
    stated = {
        "pattern": PATTERN,
        "num_vocab_tokens": len(TOKENS),
        "default_vocab_size": 280,
        "default_num_special_tokens": 22,
        "version": "v3",
    }
    return {"config": stated | config, "vocab": tokens}


def load(tmp_path: Path, content: dict[str, Any]) -> bytemill.Tokenizer:
    (tmp_path / "tekken.json").write_text(json.dumps(content))
    return bytemill.load(tmp_path)


def test_special_tokens_come_first(tmp_path: Path) -> None:
    tok = load(tmp_path, file())
    assert tok.encode("abc</s>") == [22 + 257, *(22 + byte for byte in b"</s>")]
    assert tok.encode("abc</s>", specials="all") == [279, 2]
    assert tok.special_tokens["<SPECIAL_21>"] == 21 and tok.vocab_size == 280
    assert tok.token_to_id("never used") is None
    with pytest.raises(BytemillError, match=r"tekken\.json is read and not written"):
        tok.save(tmp_path / "tekken.json")


def test_listed_special_tokens(tmp_path: Path) -> None:
    listed = [{"rank": 0, "token_str": "<a>", "is_control": True}, {"rank": 1, "token_str": "<b>", "is_control": True}]
    content = file(version="v13", default_num_special_tokens=3, default_vocab_size=261)
    tok = load(tmp_path, {**content, "special_tokens": listed, "image": {"image_patch_size": 16}})
    assert tok.special_tokens == {"<a>": 0, "<b>": 1, "<SPECIAL_2>": 2}
    with pytest.raises(FormatError, match="a file of version v13 lists its special tokens"):
        load(tmp_path, content)
    listed[1]["rank"] = 2
    with pytest.raises(FormatError, match=r"special_tokens\[1\]\.rank: expected 1, found 2"):
        load(tmp_path, {**content, "special_tokens": listed})


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"pattern": "a+"}, r"config\.pattern: this way of splitting is not supported"),
        ({"version": "new"}, 'config.version: "new" is no version'),
        ({"default_num_special_tokens": 3}, "default_num_special_tokens: 3 does not fit 20 special tokens"),
        ({"default_vocab_size": 3}, "default_vocab_size: is less than the number of special tokens"),
        ({"default_vocab_size": 1000}, "vocab: has 259 tokens, and 978 are used"),
        ({"other": 1}, r"config\.other: a key that is not known here"),
    ],
)
def test_what_is_refused(config: dict[str, Any], reason: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=reason):
        load(tmp_path, file(**config))


def test_damaged_tokens(tmp_path: Path) -> None:
    for place, key, value, reason in [
        (7, "token_bytes", "AA==", r"vocab\[7\]\.token_bytes: the first 256 tokens are the bytes in their order"),
        (256, "token_bytes", "", r"vocab\[256\]\.token_bytes: .* none is empty"),
        (256, "token_bytes", "!", r"vocab\[256\]\.token_bytes: not base64"),
        (256, "rank", 9, r"vocab\[256\]\.rank: expected 256, found 9"),
        (257, "token_bytes", "YWI=", 'the vocabulary has "ab" twice'),
    ]:
        content = file()
        content["vocab"][place][key] = value
        with pytest.raises(FormatError, match=reason):
            load(tmp_path, content)
