"""`special_tokens` as a mapping: every family gives the tokens the ids that were chosen."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill import BPE, Char, SentencePiece, Unigram, Word, WordPiece

TEXT = [
    "she sells sea shells by the sea shore, and the shells she sells are sea shells for sure. "
    "peter piper picked a peck of pickled peppers; how many pickled peppers did peter piper pick? "
    "the quick brown fox jumps over the lazy dog, while zany wizards quietly vex a jumbled queue. "
    "betty bought some butter but the butter was bitter, so betty bought better butter. "
]

SPECS: dict[str, Any] = {
    "char": Char(24),
    "word": Word(16),
    "bpe": BPE(270),
    "bpe, huggingface": BPE(270, ties="huggingface"),
    "bpe, tiktoken": BPE(270, ties="tiktoken"),
    "bpe of characters": BPE(40, byte_level=False),
    "bpe with byte fallback": BPE(300, byte_level=False, byte_fallback=True),
    "wordpiece": WordPiece(70),
    "unigram": Unigram(60),
    "sentencepiece bpe": SentencePiece(60, model="bpe"),
    "sentencepiece char": SentencePiece(20, model="char"),
    "sentencepiece word": SentencePiece(20, model="word"),
    "unigram with bytes": Unigram(310, byte_fallback=True, user_defined_symbols=["<u>"]),
}


def train(spec: Any, special_tokens: Any = (), **options: Any) -> bytemill.Tokenizer:
    return bytemill.train(TEXT, spec, special_tokens=special_tokens, progress=False, **options)


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("where", ["first", "inside", "last", "after"])
def test_chosen_ids_are_given_and_the_other_tokens_keep_their_order(name: str, where: str, tmp_path: Path) -> None:
    spec = SPECS[name]
    size = spec.vocab_size
    chosen = {"first": [1, 0], "inside": [7, 3], "last": [size - 1, size - 2], "after": [size + 1, size]}[where]
    mapping = dict(zip(["<a>", "<b>"], chosen, strict=True))
    # What is right after vocab_size is not counted by it.
    listed = train(type(spec)(**{**vars_of(spec), "vocab_size": size + 2}) if where == "after" else spec, list(mapping))
    tok = train(spec, mapping)
    assert {token: tok.special_tokens[token] for token in mapping} == mapping
    assert tok.vocab_size == size + (2 if where == "after" else 0)
    others = [token for token in listed.vocab() if token not in mapping]
    assert [token for token in tok.vocab() if token not in mapping] == others
    for text in ("she sells shells by the sea", "the<a>sea <b>", "brown zoo?"):
        assert tok.tokenize(text, specials="all") == listed.tokenize(text, specials="all")
        assert tok.decode(tok.encode(text, specials="all")) == listed.decode(listed.encode(text, specials="all"))
    assert tok.roles == listed.roles
    tok.save(tmp_path / "a.mill")
    assert bytemill.load(tmp_path / "a.mill") == tok


def vars_of(spec: Any) -> dict[str, Any]:
    return {f.name: getattr(spec, f.name) for f in dataclasses.fields(spec) if f.init}


def test_a_token_with_a_role_can_be_placed_too() -> None:
    tok = train(Word(20, add_eos=True), {"<EOS>": 19, "<PAD>": 5})
    assert (tok.eos_id, tok.pad_id) == (19, 5)
    assert tok("sea").ids[-1] == 19
    unigram = train(Unigram(60, add_bos=True), {"<unk>": 5, "<s>": 0})
    assert (unigram.unk_id, unigram.bos_id) == (5, 0)
    assert unigram.encode("é")[-1] == 5 and unigram("sea").ids[0] == 0


def test_sentencepiece_reads_a_model_with_chosen_ids(tmp_path: Path) -> None:
    sentencepiece = pytest.importorskip("sentencepiece")
    tok = train(Unigram(60), {"<unk>": 7, "<s>": 2, "</s>": 59, "<x>": 11})
    tok.save(tmp_path / "a.model")
    other = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "a.model"))
    assert (other.unk_id(), other.bos_id(), other.eos_id(), other.piece_to_id("<x>")) == (7, 2, 59, 11)
    for text in ("she sells shells", "zoo é"):
        assert tok.encode(text) == other.encode(text)


def test_a_gap_is_refused_with_the_ids_that_are_possible() -> None:
    message = "0 to 279, which vocab_size counts, or 280, right after them"
    with pytest.raises(bytemill.errors.SpecError, match=message):
        train(BPE(280), {"<|endoftext|>": 100257})


def test_a_clash_is_refused() -> None:
    with pytest.raises(bytemill.errors.SpecError, match='the id 5 to both "<a>" and "<b>"'):
        train(BPE(280), {"<a>": 5, "<b>": 5})


@pytest.mark.parametrize("id", [-1, 1.5, "5", True, None])
def test_an_id_is_a_whole_number(id: Any) -> None:
    with pytest.raises((TypeError, bytemill.errors.SpecError), match="the id of the special token '<a>'"):
        train(BPE(280), {"<a>": id})


def test_without_a_vocab_size_ids_lie_in_what_was_trained() -> None:
    tok = train(Char(), {"<a>": 7})
    assert tok.special_tokens["<a>"] == 7 and tok.vocab_size == train(Char(), ["<a>"]).vocab_size
    with pytest.raises(bytemill.errors.SpecError, match="only the ids 0 to"):
        train(Char(), {"<a>": 7000})


def test_a_text_that_is_too_small_leaves_ids_without_a_token() -> None:
    with pytest.warns(bytemill.training.CorpusTooSmall):
        tok = train(BPE(900), {"<a>": 899})
    assert tok.special_tokens == {"<a>": 899} and tok.vocab_size == 900
    assert tok.id_to_token(898) is None
    assert tok.decode(tok.encode("sea shells<a>")) == "sea shells<a>"
    with pytest.raises(bytemill.errors.SpecError, match="only the ids 0 to"):
        train(Unigram(6000), {"<a>": 3999})


def test_counts_take_names_and_the_training_takes_ids() -> None:
    counts = bytemill.count_pieces(TEXT, special_tokens=["<a>"], progress=False)
    assert bytemill.train(counts, BPE(280), special_tokens={"<a>": 279}, progress=False) == train(
        BPE(280), {"<a>": 279}
    )
    with pytest.raises(TypeError, match=r"give the mapping to train\(counts, …\)"):
        bytemill.count_pieces(TEXT, special_tokens={"<a>": 279}, progress=False)  # type: ignore[arg-type]


@pytest.mark.parametrize("work", [lambda s: bytemill.train(s, BPE(280)), bytemill.count_pieces])
def test_a_mapping_is_no_source(work: Any) -> None:
    with pytest.raises(TypeError, match=r"a mapping is none of these.*pass list\(source.values\(\)\)"):
        work({"en": "a.txt"})


def test_the_log_of_merges_has_the_ids_of_the_tokenizer(tmp_path: Path) -> None:
    tok = train(BPE(280), {"<a>": 260, "<b>": 0}, log=tmp_path / "log.jsonl")
    for line in (tmp_path / "log.jsonl").read_text().splitlines():
        merge = json.loads(line)
        if all(isinstance(merge[side], str) for side in ("left", "right")):
            assert tok.id_to_token(merge["id"]) == merge["left"] + merge["right"]
