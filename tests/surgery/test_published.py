"""Published tokenizers after edits, in the libraries of their formats."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
import sentencepiece
import tiktoken
import tokenizers

import bytemill
from bytemill import surgery

from .test_properties import CL100K

TEXTS = [
    "The tokenizers of hyperparathyroidism, and of tokens: 1,234 times.",
    "  def f(x):\n    return x  # hyperparathyroidism\n",
    "Привет, мир! 吾輩は猫である。 naïve café <x>",
]


def edits(tok: bytemill.Tokenizer, word: str) -> list[surgery.Edit]:
    first = surgery.add_tokens(tok, [word])
    return [
        first,
        surgery.add_tokens(first.tokenizer, ["<x>"], kind="special"),
        surgery.remove_tokens(first.tokenizer, [word]),
    ]


@pytest.mark.shared
@pytest.mark.peer
@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("openai-gpt2/tokenizer.json", " hyperparathyroidism"),
        ("bert-base-uncased/tokenizer.json", "hyperparathyroidism"),
        ("t5-base/tokenizer.json", "▁hyperparathyroidism"),
    ],
)
def test_tokenizers_gives_the_same_ids(shared: Path, path: str, word: str) -> None:
    tok = bytemill.load(shared / "models" / path)
    for edit in edits(tok, word):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            library = tokenizers.Tokenizer.from_str(edit.tokenizer.to_bytes("tokenizer.json").decode())
        library.no_padding()  # the file of BERT pads
        for text in TEXTS:
            assert library.encode(text, add_special_tokens=False).ids == edit.tokenizer.encode(text, specials="all")
        assert not edit.report.lost


@pytest.mark.shared
def test_nothing_is_lost_or_gained_if_nothing_changes(shared: Path) -> None:
    """Texts that are made for one token may lead to another: what is found must not depend on which are looked for."""
    report = surgery.compact(bytemill.load(shared / "models/clip/tokenizer.json.gz")).report
    assert not report.lost and not report.gained and report.reach.undecided


@pytest.mark.shared
@pytest.mark.peer
def test_tiktoken_gives_the_same_ids(shared: Path) -> None:
    tok = bytemill.load(shared / "models/openai-cl100k/cl100k_base.tiktoken", pattern="cl100k")
    for edit in edits(tok, " hyperparathyroidism"):
        new = edit.tokenizer
        ranks = {token: id for token, id in new.vocab_bytes().items() if id not in new.special_tokens.values()}
        library = tiktoken.Encoding("edited", pat_str=CL100K, mergeable_ranks=ranks, special_tokens=new.special_tokens)
        for text in TEXTS:
            assert library.encode(text, allowed_special="all") == new.encode(text, specials="all")
        assert not edit.report.lost


@pytest.mark.shared
@pytest.mark.peer
@pytest.mark.parametrize("path", ["mistral-spm/tokenizer.model.v1"])
def test_sentencepiece_gives_the_same_ids(shared: Path, path: str) -> None:
    tok = bytemill.load(shared / "models" / path)
    for edit in edits(tok, "▁hyperparathyroidism"):
        library = sentencepiece.SentencePieceProcessor(model_proto=edit.tokenizer.to_bytes("model"))
        for text in TEXTS:
            assert library.encode(text) == edit.tokenizer.encode(text)
        assert not edit.report.lost
