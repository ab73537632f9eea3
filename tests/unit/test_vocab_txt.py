"""vocab.txt of our own making: what is read, what is refused, what is written."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import bytemill
from bytemill.errors import BytemillError, FormatError

TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "é", "中", ",", "[MASK]"]


def write(path: Path, tokens: list[str]) -> Path:
    path.write_text("".join(f"{token}\n" for token in tokens), encoding="utf-8")
    return path


def test_the_stages_are_those_of_bert(tmp_path: Path) -> None:
    tok = bytemill.load(write(tmp_path / "vocab.txt", TOKENS))
    assert (tok.family, tok.vocab_size) == ("wordpiece", len(TOKENS))
    encoding = tok("UNAFFABLE,\x00 [MASK]中x", "un", offsets=True)
    assert encoding.tokens == ["[CLS]", "un", "##aff", "##able", ",", "[MASK]", "中", "[UNK]", "[SEP]", "un", "[SEP]"]
    assert encoding.type_ids == [0] * 9 + [1] * 2
    assert encoding.offsets[1:8] == [(0, 2), (2, 5), (5, 9), (9, 10), (12, 18), (18, 19), (19, 20)]
    assert tok.decode(tok.encode("unaffable, un")) == "unaffable, un"
    assert list(tok.special_tokens) == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    assert bytemill.load(tmp_path) == tok


def test_case_is_kept_where_the_vocabulary_has_it(tmp_path: Path) -> None:
    cased = bytemill.load(write(tmp_path / "vocab.txt", [*TOKENS, "Un", "[unused1]"]))
    assert cased.tokenize("Un É") == ["Un", "[UNK]"]
    lower = bytemill.load(tmp_path / "vocab.txt", normalizer="bert")
    assert lower.tokenize("Un É") == ["un", "[UNK]"]
    uncased = bytemill.load(write(tmp_path / "vocab.txt", TOKENS), normalizer="bert_cased")
    assert uncased.tokenize("Un é") == ["[UNK]", "é"]


@pytest.mark.parametrize("name", ["vocab.txt", "bert-vocab.txt", "words.txt", "vocab.txt.gz"])
def test_names_and_gzip(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, TOKENS)
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(path.read_bytes()))
    assert bytemill.load(path).tokenize("unaff") == ["un", "##aff"]


def test_what_the_caller_says(tmp_path: Path) -> None:
    path = write(tmp_path / "vocab.txt", ["<unk>", "a", "##b", "<s>", "a-b"])
    tok = bytemill.load(path, unk_token="<unk>", pattern="whitespace_split", special_tokens={"<s>": 3})
    assert tok.tokenize("ab a-b<s>c") == ["a", "##b", "a-b", "<s>", "<unk>"]
    assert tok("ab").ids == tok.encode("ab")
    with pytest.raises(FormatError, match=r'vocab\.txt: has no token "\[UNK\]" for what is unknown; pass unk_token='):
        bytemill.load(path)
    with pytest.raises(BytemillError, match="byte_level for the former"):
        bytemill.load(path, byte_level=True)


def test_what_is_written_is_read_alike(tmp_path: Path) -> None:
    tok = bytemill.load(write(tmp_path / "vocab.txt", TOKENS))
    tok.save(tmp_path / "copy-vocab.txt")
    assert (tmp_path / "copy-vocab.txt").read_bytes() == (tmp_path / "vocab.txt").read_bytes()
    for name in ("t.mill", "t.mill.json", "tokenizer.json"):
        tok.save(tmp_path / name)
        assert bytemill.load(tmp_path / name) == tok, name


def test_of_a_token_that_is_there_twice_the_last_counts(tmp_path: Path) -> None:
    tok = bytemill.load(write(tmp_path / "vocab.txt", [*TOKENS, "un"]))
    assert tok.encode("un") == [len(TOKENS)]
    with pytest.raises(FormatError, match=r"vocab\.txt cannot express a vocabulary without a token for the id 4"):
        tok.to_bytes("vocab.txt")


def test_other_families_are_refused(tmp_path: Path) -> None:
    words = bytemill.train(["a b"], bytemill.Word())
    with pytest.raises(BytemillError, match="anything but WordPiece"):
        words.save(tmp_path / "vocab.txt")
