"""Wherever a name is taken, a misspelt one is answered with the one that was probably meant."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill import code, compat, normalizers, pretokenizers, surgery
from bytemill._arguments.lengths import Padding, Truncation

TEXT = ["the cat sat on the mat, low lower"] * 9


@pytest.fixture(scope="module")
def tok() -> bytemill.Tokenizer:
    return bytemill.train(TEXT, bytemill.BPE(270), special_tokens=["<|endoftext|>", "<|pad|>"], progress=False)


def train(source: Any = TEXT, spec: Any = None, **options: Any) -> bytemill.Tokenizer:
    return bytemill.train(source, spec or bytemill.Word(), progress=False, **options)


def written(folder: Path, **options: Any) -> Any:
    """Encodes a file, which stands beside what the other cases misspell."""
    return bytemill.load(folder / "m.mill").encode_files(
        folder / "a.jsonl", folder / "b.jsonl", progress=False, **options
    )


Case = Callable[[bytemill.Tokenizer, Path], Any]
#: What was probably meant, and the call.
CASES: dict[str, tuple[str, Case]] = {
    "files": ("m.mill", lambda tok, folder: bytemill.load(folder / "n.mill")),
    "sources": ("a.jsonl", lambda tok, folder: train(folder / "a.jsnl")),
    "encodings": ("cl100k_base", lambda tok, folder: bytemill.load("cl10k_base")),
    "formats to read": ("tokenizer.json", lambda tok, folder: bytemill.load(folder / "m.mill", "tokeniser.json")),
    "formats to write": ("tiktoken", lambda tok, folder: tok.save(folder / "x", "tikoken")),
    "formats in memory": ("model", lambda tok, folder: tok.to_bytes("modl")),
    "patterns": ("cl100k", lambda tok, folder: bytemill.load(folder / "m.mill", pattern="cl10k")),
    "patterns of ranks": ("gpt2", lambda tok, folder: bytemill.Tokenizer.from_ranks({b"a": 0}, pattern="gtp2")),
    "pretokenizers": ("gpt2", lambda tok, folder: train(pretokenizer="gtp2")),
    "pretokenizers of counts": ("bert", lambda tok, folder: bytemill.count_pieces(TEXT, pretokenizer="brt")),
    "normalizers": ("lowercase", lambda tok, folder: train(normalizer="lowrcase")),
    "families": ("bytemill.BPE", lambda tok, folder: bytemill.train(TEXT, "BPEE")),  # type: ignore[arg-type]
    "families of sweeps": ("bpe", lambda tok, folder: bytemill.sweep(TEXT, [300], families=["bppe"])),
    "options of specs": ("vocab_size", lambda tok, folder: bytemill.BPE(vocb_size=300)),  # type: ignore[call-arg]
    "options of stages": ("pattern", lambda tok, folder: pretokenizers.Split(patern="a")),  # type: ignore[call-arg]
    "options of normalizers": ("lowercase", lambda tok, folder: normalizers.Bert(lowercas=True)),  # type: ignore[call-arg]
    "options of padding": ("length", lambda tok, folder: Padding(lenght=3)),  # type: ignore[call-arg]
    "options of truncation": ("stride", lambda tok, folder: Truncation(3, strde=1)),  # type: ignore[call-arg]
    "ties": ("huggingface", lambda tok, folder: bytemill.BPE(ties="hugingface")),  # type: ignore[arg-type]
    "ends of words": ("suffix", lambda tok, folder: bytemill.BPE(end_of_word="sufix")),  # type: ignore[arg-type]
    "scores": ("frequency", lambda tok, folder: bytemill.WordPiece(score="frequncy")),  # type: ignore[arg-type]
    "models": ("unigram", lambda tok, folder: bytemill.SentencePiece(model="unigrm")),  # type: ignore[arg-type]
    "normalizations": ("nmt_nfkc", lambda tok, folder: bytemill.SentencePiece(normalization="nmt_nfck")),
    "behaviors": ("isolated", lambda tok, folder: pretokenizers.Split("a", "isolatd")),  # type: ignore[arg-type]
    "marks": ("always", lambda tok, folder: pretokenizers.Metaspace(prepend="alway")),  # type: ignore[arg-type]
    "languages": ("python", lambda tok, folder: bytemill.Code("pyhton")),
    "languages of pieces": ("python", lambda tok, folder: code.code_pieces("x", "pyhton")),
    "languages of keywords": ("rust", lambda tok, folder: code.keywords("rusty")),
    "languages of sources": ("python", lambda tok, folder: code.files(folder, "pythn")),
    "languages of programs": ("rust", lambda tok, folder: bytemill.embed(tok, "rst")),  # type: ignore[arg-type]
    "markers": ("comment", lambda tok, folder: bytemill.Code("c", markers=["coment"])),  # type: ignore[list-item]
    "errors": ("strict", lambda tok, folder: train(folder / "a.jsonl", errors="strct")),
    "input formats": ("jsonl", lambda tok, folder: train(folder / "a.jsonl", input_format="jsnl")),
    "fields": ("text", lambda tok, folder: train(folder / "a.jsonl", field="tetx")),
    "columns of tables": ("text", lambda tok, folder: train(folder / "a.csv", field="tetx")),
    "engines": ("spark", lambda tok, folder: train(folder / "a.jsonl", engine="sprk")),
    "policies": ("none", lambda tok, folder: tok.encode("x", specials="non")),  # type: ignore[arg-type]
    "special tokens": ("<|endoftext|>", lambda tok, folder: tok.encode("x", specials={"<|endoftxt|>"})),
    "picked tokens": ("<|endoftext|>", lambda tok, folder: tok.pick_specials(["<|endoftxt|>"])),
    "offsets": ("bytes", lambda tok, folder: tok("x", offsets="byts")),  # type: ignore[call-overload]
    "sides": ("right", lambda tok, folder: Truncation(3, side="rigth")),  # type: ignore[arg-type]
    "strategies": ("longest_first", lambda tok, folder: Truncation(3, strategy="longst_first")),  # type: ignore[arg-type]
    "tokens to pad with": ("<|pad|>", lambda tok, folder: tok("x", padding=Padding(8, token="<|pd|>"))),
    "tokens to append": ("<|endoftext|>", lambda tok, folder: written(folder, append="<|endoftxt|>")),
    "formats of ids": ("megatron", lambda tok, folder: written(folder, format="megatrn")),
    "types of ids": ("uint16", lambda tok, folder: written(folder, dtype="unit16")),
    "columns to keep": ("number", lambda tok, folder: written(folder, keep_columns=["numbr"])),
    "types of columns": ("int64", lambda tok, folder: written(folder, keep_columns={"number": "int46"})),
    "splits": ("train", lambda tok, folder: bytemill.open_tokens(folder / "c.bin", split="trian")),
    "types to open": ("uint16", lambda tok, folder: bytemill.open_tokens(folder / "c.bin", dtype="unit16")),
    "frameworks": ("torch", lambda tok, folder: opened(folder).batches(2, 1, framework="troch")),  # type: ignore[call-overload]
    "levels": ("scalar", lambda tok, folder: tok.with_simd("scalr")),
    "stand-ins": ("tiktoken", lambda tok, folder: compat.install("tiktokn")),
    "findings": ("unreachable-token", lambda tok, folder: bytemill.lint(tok, ignore=["unreachable-tokn"])),
    "kinds of tokens": ("special", lambda tok, folder: surgery.add_tokens(tok, ["x"], kind="specal")),  # type: ignore[arg-type]
    "tokens with scores": ("▁low", lambda tok, folder: scored(tok)),
    "tokens to remove": (" the", lambda tok, folder: surgery.remove_tokens(tok, [" teh"])),
    "ways to remove": ("keep", lambda tok, folder: surgery.remove_tokens(tok, ["the"], needed="kep")),  # type: ignore[arg-type]
    "ids after removing": ("keep", lambda tok, folder: surgery.remove_tokens(tok, ["the"], ids="kep")),  # type: ignore[arg-type]
    "ids after pruning": ("keep", lambda tok, folder: surgery.prune(tok, scripts=["Latin"], ids="kep")),  # type: ignore[arg-type]
    "scripts": ("Latin", lambda tok, folder: surgery.prune(tok, scripts=["Latn"])),
    "names to rename": ("<|endoftext|>", lambda tok, folder: surgery.rename_specials(tok, {"<|endoftxt|>": "<a>"})),
}


def opened(folder: Path) -> Any:
    return bytemill.open_tokens(folder / "c.bin", split="train")


def scored(tok: bytemill.Tokenizer) -> surgery.Edit:
    pieces = train(["low lower lowest " * 9], bytemill.Unigram(14))
    return surgery.add_tokens(pieces, ["▁lowly"], scores={"▁lowlly": -1.0})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, tok: bytemill.Tokenizer) -> Path:
    folder = tmp_path_factory.mktemp("names")
    tok.save(folder / "m.mill")
    record = json.dumps({"text": "the cat", "number": 3}) + "\n"
    (folder / "a.jsonl").write_text(record * 9)
    (folder / "a.csv").write_text("text,number\nthe cat,3\n")
    tok.encode_files(folder / "a.jsonl", folder / "c.bin", split=0.4, progress=False)
    return folder


@pytest.mark.parametrize("name", CASES)
def test_a_misspelt_name_is_answered_with_the_nearest(name: str, tok: bytemill.Tokenizer, folder: Path) -> None:
    meant, call = CASES[name]
    with pytest.raises((bytemill.errors.BytemillError, TypeError, FileNotFoundError)) as caught:
        call(tok, folder)
    message = str(caught.value)
    assert "; did you mean " in message
    assert message.split("; did you mean ")[1].strip("'\"").startswith(meant), message


def test_names_are_known_in_any_case(tok: bytemill.Tokenizer) -> None:
    """And mean the same then: what is checked is what is used."""
    plain = bytemill.train(TEXT, bytemill.BPE(270), progress=False)
    added = surgery.add_tokens(plain, ["<x>"], kind="Special").tokenizer  # type: ignore[arg-type]
    assert added.special_tokens == {"<x>": plain.vocab_size}
    kept = surgery.remove_tokens(tok, ["the"], ids="Keep")  # type: ignore[arg-type]
    assert kept.tokenizer == surgery.remove_tokens(tok, ["the"], ids="keep").tokenizer
    stays = surgery.remove_tokens(tok, ["th"], needed="KEEP") if tok.token_to_id("th") else None  # type: ignore[arg-type]
    assert stays is None or stays.report.kept
    assert Truncation(3, side="LEFT") == Truncation(3, side="left")  # type: ignore[arg-type]
    assert Padding(3, side="Left").side == "left"  # type: ignore[arg-type]
    assert pretokenizers.Split("a", "Isolated") == pretokenizers.Split("a", "isolated")  # type: ignore[arg-type]
    assert bytemill.Code("c", markers=["Comment"]).markers == ("comment",)  # type: ignore[list-item]
