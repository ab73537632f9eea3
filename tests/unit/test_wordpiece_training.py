"""WordPiece training: every option changes what it should, and mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill import WordPiece
from bytemill.errors import SpecError

pytestmark = pytest.mark.filterwarnings("ignore::bytemill.training.CorpusTooSmall")

CORPUS = ["low lower lowest newest Newer é 中国"]


def trained(**options: Any) -> bytemill.Tokenizer:
    return bytemill.train(CORPUS, WordPiece(**{"vocab_size": 34, "min_frequency": 1, **options}), progress=False)


def test_the_stages_are_those_of_bert() -> None:
    tok = trained()
    assert (tok.family, tok.vocab_size) == ("wordpiece", 32)
    assert list(tok.special_tokens) == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    assert tok("LOW [MASK]", "É").tokens == ["[CLS]", "low", "[MASK]", "[SEP]", "e", "[SEP]"]
    assert tok.tokenize("中国 x") == ["中", "国", "[UNK]"]
    assert tok.decode(tok.encode("lowest newer")) == "lowest newer"


def test_each_option() -> None:
    assert "Newer" not in trained(vocab_size=60) and trained(lowercase=False).tokenize("N")[0] == "N"
    assert trained(strip_accents=False).tokenize("é") == ["é"]
    assert trained(split_cjk=False, vocab_size=36).tokenize("中国") != ["中", "国"]
    assert "@o" in trained(continuing_subword_prefix="@") and "@o" not in trained()
    assert trained(max_input_chars_per_word=3).tokenize("low lower") == ["low", "[UNK]"]
    assert max(len(token) for token in trained(max_token_length=2, vocab_size=28).vocab() if "[" not in token) <= 4
    assert "z" in trained(initial_alphabet="z") and "z" not in trained()
    assert "国" not in trained(limit_alphabet=6, vocab_size=24)
    assert trained(cls_token="<s>", sep_token="</s>")("low").tokens == ["<s>", "low", "</s>"]
    assert trained(mask_token=None, cls_token=None)("low").tokens == ["low"]
    assert trained(unk_token="?!").tokenize("x") == ["?!"]
    assert trained(score="likelihood").vocab() != trained().vocab()
    assert len(trained(vocab_size=30).vocab()) == 30


def test_a_normalizer_takes_the_place_of_its_own() -> None:
    tok = bytemill.train(["Low LOW low"], WordPiece(min_frequency=1, vocab_size=15), normalizer="nfc", progress=False)
    assert tok.tokenize("L") == ["L"]


@pytest.mark.parametrize("name", ["t.mill", "t.mill.json", "tokenizer.json"])
def test_saved_and_read_again(name: str, tmp_path: Path) -> None:
    tok = trained()
    tok.save(tmp_path / name)
    assert bytemill.load(tmp_path / name).encode("Lowest, newer é") == tok.encode("Lowest, newer é")


MISTAKES: dict[str, tuple[Any, type[Exception], str]] = {
    "score": (lambda: WordPiece(score="entropy"), SpecError, "score"),  # type: ignore[arg-type]
    "bos": (lambda: WordPiece(add_bos=True), SpecError, "cls_token and sep_token around a text"),
    "unk": (lambda: trained(unk_token=None), SpecError, "WordPiece needs an unk_token"),
    "small": (lambda: trained(vocab_size=9), SpecError, "vocab_size=9 does not hold the"),
    "continue": (
        lambda: bytemill.train(CORPUS, WordPiece(), continue_from=trained(), progress=False),
        SpecError,
        "continue_from=… goes with bytemill.BPE",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(mistake: str) -> None:
    do, kind, message = MISTAKES[mistake]
    with pytest.raises(kind, match=message):
        do()
