"""Which tokens pad, begin and end a text, and so on: by the training, by the file, and by the files beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill import BPE, Char, SentencePiece, Unigram, Word, WordPiece

TEXT = ["she sells sea shells by the sea shore " * 5]
NAMES = ("pad", "unk", "bos", "eos", "cls", "sep", "mask")


def train(spec: Any, **options: Any) -> bytemill.Tokenizer:
    return bytemill.train(TEXT, spec, progress=False, **options)


def ids(tok: bytemill.Tokenizer) -> dict[str, int]:
    found = {name: getattr(tok, f"{name}_id") for name in NAMES}
    assert {name: tok.token_to_id(token) for name, token in tok.roles.items()} == {
        name: id for name, id in found.items() if id is not None
    }
    return {name: id for name, id in found.items() if id is not None}


TRAINED: dict[str, tuple[Any, dict[str, int]]] = {
    "Char": (Char(), {"pad": 0, "unk": 1, "bos": 2, "eos": 3}),
    "Word": (Word(pad_token=None, eos_token="<end>"), {"unk": 0, "bos": 1, "eos": 2}),
    "BPE": (BPE(270), {}),
    "BPE with a name of its own": (BPE(270, eos_token="<end>"), {"eos": 0}),
    "BPE of characters": (BPE(24, byte_level=False), {"unk": 0}),
    "WordPiece": (WordPiece(30), {"pad": 0, "unk": 1, "cls": 2, "sep": 3, "mask": 4}),
    "Unigram": (Unigram(20), {"unk": 0, "bos": 1, "eos": 2}),
    "SentencePiece": (SentencePiece(20, model="bpe", pad_token="<nothing>"), {"unk": 0, "bos": 1, "eos": 2, "pad": 3}),
}


@pytest.mark.parametrize("name", TRAINED)
def test_the_training_says_which_tokens_have_roles(name: str, tmp_path: Path) -> None:
    spec, expected = TRAINED[name]
    tok = train(spec)
    assert ids(tok) == expected
    for file in ("a.mill", "a.mill.json"):
        tok.save(tmp_path / file)
        again = bytemill.load(tmp_path / file)
        assert ids(again) == expected and again == tok


def test_special_tokens_of_a_usual_name_have_their_role() -> None:
    tok = train(BPE(270), special_tokens=["<|endoftext|>", "<pad>"])
    assert ids(tok) == {"eos": 0, "pad": 1}
    last = train(BPE(270, ties="tiktoken", eos_token="<end>"))
    assert ids(last) == {"eos": 269}
    assert ids(last.truncated(260)) == {"eos": 259}


@pytest.mark.parametrize("model", ["unigram", "bpe"])
def test_a_model_of_sentencepiece_says_its_roles(model: Any, tmp_path: Path) -> None:
    tok = train(SentencePiece(20, model=model, bos_token="<begin>", eos_token=None, pad_token="<nothing>"))
    tok.save(tmp_path / "a.model")
    again = bytemill.load(tmp_path / "a.model")
    assert ids(again) == ids(tok) == {"unk": 0, "bos": 1, "pad": 2}


def test_the_unknown_token_of_sentencepiece_is_a_special_token() -> None:
    tok = train(Unigram(20))
    assert tok.special_tokens == {"<unk>": 0, "<s>": 1, "</s>": 2}
    assert tok.tokenize("<s>sea", specials=set(tok.special_tokens)) == ["<s>", "▁sea"]


def huggingface(**parts: Any) -> dict[str, Any]:
    file: dict[str, Any] = json.loads(
        train(Word(), special_tokens=["[CLS]", "[SEP]", "<e>"]).to_bytes("tokenizer.json")
    )
    return {**file, **parts}


def test_tokenizer_json_tells_roles_by_padding_template_and_names(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    padding = dict(strategy="BatchLongest", direction="Right", pad_to_multiple_of=None, pad_type_id=0)
    bert = dict(type="BertProcessing", cls=["[CLS]", 4], sep=["[SEP]", 5])
    file = huggingface(padding={**padding, "pad_id": 6, "pad_token": "<e>"}, post_processor=bert)
    path.write_text(json.dumps(file))
    assert ids(bytemill.load(path)) == {"pad": 6, "unk": 1, "bos": 2, "eos": 3, "cls": 4, "sep": 5}
    assert bytemill.load(path).roles["pad"] == "<e>"


def test_the_files_beside_a_tokenizer_json_have_the_last_word(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(huggingface()))
    alone = bytemill.load(path)
    (tmp_path / "special_tokens_map.json").write_text(json.dumps({"eos_token": "[SEP]", "pad_token": "<e>"}))
    config = {"eos_token": {"content": "<e>"}, "bos_token": None, "cls_token": "<absent>", "additional": 1}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    for source in (path, tmp_path):
        tok = bytemill.load(source)
        assert ids(tok) == {"unk": 1, "eos": 6, "pad": 6, "cls": 4, "sep": 5}
        # Roles are names for ids: they change nothing of what texts become.
        assert tok == alone and tok.fingerprint == alone.fingerprint
    tok.save(tmp_path / "b.mill")
    assert ids(bytemill.load(tmp_path / "b.mill")) == ids(tok)
    (tmp_path / "tokenizer_config.json").write_text("{")
    with pytest.raises(bytemill.errors.FormatError, match=r"tokenizer_config.json: not valid JSON"):
        bytemill.load(path)


def test_a_rank_file_ends_texts_with_endoftext(tmp_path: Path) -> None:
    train(BPE(270, ties="tiktoken"), special_tokens=["<|endoftext|>"]).save(tmp_path / "a.mill")
    tok = bytemill.load(tmp_path / "a.mill")
    with pytest.warns(UserWarning, match="this loads it"):
        tok.save(tmp_path / "a.tiktoken")
    again = bytemill.load(tmp_path / "a.tiktoken", pattern="o200k", special_tokens={"<|endoftext|>": 269})
    assert ids(again) == {"eos": 269}


def test_padding_takes_the_pad_token_by_its_role() -> None:
    tok = train(Word(pad_token="<nothing>"))
    assert tok("sea", padding=3).tokens == ["sea", "<nothing>", "<nothing>"]
    with pytest.raises(bytemill.errors.SpecError, match=r"no pad token; pass padding=bytemill\.Padding\(token="):
        train(BPE(270))("sea", padding=3)


@pytest.mark.parametrize(
    "spec",
    [
        Unigram(20, add_bos=True, add_eos=True),
        SentencePiece(20, model="bpe", add_bos=True, add_eos=True),
        SentencePiece(12, model="char", add_bos=True, add_eos=True),
        BPE(270, bos_token="<s>", eos_token="</s>", add_bos=True, add_eos=True),
        BPE(24, byte_level=False, bos_token="<s>", eos_token="</s>", add_bos=True, add_eos=True),
    ],
)
def test_every_family_puts_its_tokens_around_a_text(spec: Any, tmp_path: Path) -> None:
    tok = train(spec)
    inner = tok.encode("sea shells")
    assert tok("sea shells").ids == [tok.bos_id, *inner, tok.eos_id]
    assert tok("sea shells", "by").tokens.count("</s>") == 2
    tok.save(tmp_path / "a.mill")
    assert bytemill.load(tmp_path / "a.mill")("sea").ids == tok("sea").ids


def test_a_model_of_sentencepiece_has_no_template_and_saving_says_so(tmp_path: Path) -> None:
    tok = train(Unigram(20, add_bos=True))
    with pytest.warns(bytemill.tokenizer.OtherLibrary, match="only where a call asks for them: add_bos=True"):
        tok.save(tmp_path / "a.model")


def test_add_bos_needs_a_bos_token() -> None:
    with pytest.raises(bytemill.errors.SpecError, match="add_bos=True needs a bos_token"):
        train(Unigram(20, bos_token=None, add_bos=True))
