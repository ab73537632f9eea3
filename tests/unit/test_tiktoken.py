"""`.tiktoken` files of our own making: what is read, what is refused, what is written."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill.errors import FormatError, SpecError
from bytemill.reference.bpe import ALPHABET
from bytemill.tokenizer import LeftOut

#: Every byte, then a few words that merge from them.
TOKENS = [bytes([byte]) for byte in range(256)] + [b"ab", b"bc", b"abc", b" a"]


def lines(tokens: list[bytes]) -> bytes:
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "mine.tiktoken"
    file.write_bytes(lines(TOKENS))
    return file


def test_ranks_are_those_of_the_concatenation(path: Path) -> None:
    tok = bytemill.load(path, pattern="gpt2", special_tokens={"<end>": 300})
    # The piece "abc" is a token; in "abcb" the lowest rank goes first, and "abc" is made of "ab" and "c".
    assert tok.encode("abc abcb") == [258, 32, 258, 98]
    assert tok.encode("bcab") == [257, 256]
    assert tok.decode(tok.encode("é🙂 abc")) == "é🙂 abc"
    assert len(tok.vocab()) == len(TOKENS) + 1
    assert all(tok.token_to_id(token) == id for token, id in tok.vocab().items())
    assert tok.vocab_size == 301 and tok.special_tokens == {"<end>": 300}


def test_written_and_read_again(path: Path, tmp_path: Path) -> None:
    tok = bytemill.load(path, pattern="cl100k")
    for name in ("a.mill", "a.mill.json"):
        tok.save(tmp_path / name)
        assert bytemill.load(tmp_path / name) == tok
    with pytest.warns(LeftOut, match=r"load\('.*a.tiktoken', pattern='cl100k'\)"):
        tok.save(tmp_path / "a.tiktoken")
    assert (tmp_path / "a.tiktoken").read_bytes() == lines(TOKENS)


def test_a_list_of_merges_that_says_the_same(path: Path, tmp_path: Path) -> None:
    tok = bytemill.load(path, pattern="cl100k")
    assert tok.merges() == [(b"a", b"b"), (b"b", b"c"), (b"ab", b"c"), (b" ", b"a")]
    tok.save(tmp_path / "tokenizer.json")
    listed = bytemill.load(tmp_path / "tokenizer.json")
    with pytest.warns(LeftOut):
        listed.save(tmp_path / "again.tiktoken")
    assert (tmp_path / "again.tiktoken").read_bytes() == lines(TOKENS)
    with pytest.warns(LeftOut, match="pattern='cl100k'"):
        tok.save(tmp_path / "vocab.json")
    two = bytemill.load(tmp_path / "vocab.json")
    with pytest.warns(LeftOut):
        two.save(tmp_path / "again.tiktoken")
    assert (tmp_path / "again.tiktoken").read_bytes() == lines(TOKENS)
    for text in ("abc", "abcb bcab", "aabbcc abcabc a", "bcbcaba"):
        assert tok.encode(text) == listed.encode(text) == two.encode(text)


@pytest.mark.parametrize(
    ("reason", "merges", "options"),
    [
        ("anything but merging by the bytes of the concatenation", "b c\na b\n", {}),
        ("anything but merging by the bytes of the concatenation", "a b\n", {}),
        ("a normalizer, a post-processor or a decoder", "a b\nb c\n", {"normalizer": "nfc"}),
    ],
    ids=["another order", "a token that is not made", "other text"],
)
def test_a_list_of_merges_that_does_not(reason: str, merges: str, options: dict[str, Any], tmp_path: Path) -> None:
    vocab = {token: id for id, token in enumerate([*ALPHABET.values(), "ab", "bc"])}
    (tmp_path / "vocab.json").write_text(json.dumps(vocab))
    (tmp_path / "merges.txt").write_text(merges)
    with pytest.raises(FormatError, match=rf"\.tiktoken cannot express {reason}"):
        bytemill.load(tmp_path, **options).save(tmp_path / "a.tiktoken")


def test_tokens_that_no_trainer_makes(tmp_path: Path) -> None:
    """Two pairs make "abcd" with the same rank, and in a text either may be met."""
    (tmp_path / "a.tiktoken").write_bytes(lines([*TOKENS[:256], b"abcd", b"ab", b"cd", b"abc"]))
    tok = bytemill.load(tmp_path / "a.tiktoken", pattern="gpt2")
    assert tok.merges() == [(b"ab", b"cd"), (b"abc", b"d"), (b"a", b"b"), (b"c", b"d"), (b"ab", b"c")]
    for name in ("tokenizer.json", "vocab.json"):
        with pytest.raises(FormatError, match="cannot express"):
            tok.save(tmp_path / name)


def test_other_families_have_no_ranks(tmp_path: Path) -> None:
    tok = bytemill.train(["a b"], bytemill.Word(), progress=False)
    with pytest.raises(FormatError, match=r"\.tiktoken cannot express"):
        tok.save(tmp_path / "a.tiktoken")
    tok.save(tmp_path / "a.mill")
    with pytest.raises(FormatError, match=r"given for \.tiktoken files"):
        bytemill.load(tmp_path / "a.mill", pattern="gpt2")


@pytest.mark.parametrize(
    ("reason", "content"),
    {
        "line 2: expected a token in base64, a space and a rank": b"IQ== 0\nIg==\n",
        "line 2: the rank is not a whole number": b"IQ== 0\nIg== x\n",
        "line 2: the rank 0 is there twice": b"IQ== 0\nIg== 0\n",
        "line 2: the rank 4294967295 is too large": b"IQ== 0\nIg== 4294967295\n",
        "the vocabulary has no token for the byte 0x00": b"IQ== 0\n",
    }.items(),
)
def test_a_damaged_file_is_refused(reason: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.tiktoken").write_bytes(content)
    with pytest.raises(FormatError, match=reason):
        bytemill.load(tmp_path / "a.tiktoken", pattern="gpt2")


def test_a_misspelt_pattern(path: Path) -> None:
    with pytest.raises(SpecError, match="did you mean 'cl100k'"):
        bytemill.load(path, pattern="cl10k")


def test_a_token_of_no_bytes_keeps_its_id_unused(tmp_path: Path) -> None:
    content = lines(TOKENS) + b"= %d\n" % len(TOKENS)
    (tmp_path / "a.tiktoken").write_bytes(content)
    tok = bytemill.load(tmp_path / "a.tiktoken", pattern="gpt2")
    assert tok.vocab_size == len(TOKENS) + 1 and tok.id_to_bytes(len(TOKENS)) == b""
    assert tok.to_bytes("tiktoken") == content
