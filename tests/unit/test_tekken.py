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


def again(tok: bytemill.Tokenizer, tmp_path: Path) -> bytemill.Tokenizer:
    tok.save(tmp_path / "tekken.json")
    return bytemill.load(tmp_path / "tekken.json")


def test_special_tokens_come_first(tmp_path: Path) -> None:
    tok = load(tmp_path, file())
    assert tok.encode("abc</s>") == [22 + 257, *(22 + byte for byte in b"</s>")]
    assert tok.encode("abc</s>", specials="all") == [279, 2]
    assert tok.special_tokens["<SPECIAL_21>"] == 21 and tok.vocab_size == 280
    assert tok.token_to_id("never used") is None


def test_saved_and_loaded_again(tmp_path: Path) -> None:
    tok = load(tmp_path, file())
    assert again(tok, tmp_path) == tok
    written = json.loads(tok.to_bytes("tekken.json"))
    assert written["config"] == file(num_vocab_tokens=258)["config"]
    assert written["vocab"][255:] == [
        {"rank": 255, "token_bytes": "/w==", "token_str": None},
        {"rank": 256, "token_bytes": "YWI=", "token_str": "ab"},
        {"rank": 257, "token_bytes": "YWJj", "token_str": "abc"},
    ]
    assert written["special_tokens"][21] == {"rank": 21, "token_str": "<SPECIAL_21>", "is_control": True}


def test_other_patterns(tmp_path: Path) -> None:
    gpt2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
    known = load(tmp_path, file(pattern=gpt2))
    assert json.loads(known.definition())["pretokenizer"] == {"type": "gpt2"}
    tok = load(tmp_path, file(pattern=r"\p{L}{1,2}|\p{N}"))
    # What is not matched is dropped.
    assert tok.decode(tok.encode("abc, de7!")) == "abcde7"
    assert tok.encode("abc") == [22 + 256, 22 + ord("c")]
    for one in (known, tok):
        assert again(one, tmp_path) == one


RANKS = b"".join(base64.b64encode(bytes([byte])) + f" {byte}\n".encode() for byte in range(256))


def ranks(tmp_path: Path, content: bytes = RANKS, **given: Any) -> bytemill.Tokenizer:
    (tmp_path / "a.tiktoken").write_bytes(content)
    return bytemill.load(tmp_path / "a.tiktoken", **{"pattern": "gpt2", **given})


def test_what_the_file_cannot_say(tmp_path: Path) -> None:
    swapped = RANKS.replace(b" 0\n", b" x\n").replace(b" 1\n", b" 0\n", 1).replace(b" x\n", b" 1\n")
    isolated = bytemill.pretokenizers.Split("a+", "isolated")
    for tok, reason in [
        (bytemill.train(["a b"], bytemill.Word()), "anything but merging by the bytes"),
        (ranks(tmp_path, special_tokens={"<a>": 300}), 'that the special token "<a>" has the id 300'),
        (ranks(tmp_path, swapped), "tokens that do not begin with the 256 bytes in their order"),
        (ranks(tmp_path, pattern=isolated), "a splitting that is not by the matches of one pattern"),
    ]:
        with pytest.raises(BytemillError, match=f"tekken.json cannot express {reason}"):
            tok.to_bytes("tekken.json")
    assert again(ranks(tmp_path), tmp_path).encode("ab") == [97, 98]


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
        ({"pattern": r"\b+a"}, r'config\.pattern: the pattern "\\\\b\+a": a repetition of what may be empty'),
        ({"pattern": r"\Ga"}, r'config\.pattern: the pattern "\\\\Ga": \\G does not mean the same to every engine'),
        ({"pattern": "a*"}, r'config\.pattern: the pattern "a\*": a pattern that may match nothing is not supported'),
        ({"pattern": "(a)\\1"}, r"config\.pattern: .* \\1 does not mean the same"),
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
