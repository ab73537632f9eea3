"""Small tokenizers of every format that is read, as files, and each format's library on what was saved.

A library is a function that gives the ids of a text, or with `special=True` those of a text in which special tokens are
recognised. Formats that hold no names of special tokens (`.tiktoken`) are given them, as their libraries are by users.
"""

from __future__ import annotations

import base64
import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tiktoken
import tokenizers
from tiktoken.load import load_tiktoken_bpe
from tokenizers import decoders, models, pre_tokenizers
from tokenizers.implementations import BertWordPieceTokenizer

import bytemill
from tests.unit.test_tekken import PATTERN as TEKKEN

TEXT = ["low lower lowest new newer newest wide wider widest, 1 und 2 слово " * 9]
#: What the trained tokenizers do not know as tokens, and everything that may go wrong after an edit.
TEXTS = [
    "",
    "low lowest newer",
    "slowly wider, newest lowly lowlands 12",
    "слово newslow é 中文",
    "<x>low<y> <s> <|spare_1|>low<begin>",
    "  new  low\n",
]
RESERVED = ["<|spare_1|>", "<|reserved_1|>", "<|reserved_2|>"]
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"

Encode = Callable[[str], list[int]]
#: What `bytemill.load` must be told, which depends on the tokenizer that was saved.
Options = Callable[[bytemill.Tokenizer], dict[str, Any]]


@dataclass(frozen=True)
class Format:
    """A format of files, with a tokenizer of it.

    Attributes:
        name: The name of the file.
        make: The tokenizer that is saved, read and edited.
        library: The ids that the format's own library gives for texts.
        word: A word that the tokenizer can learn, as its vocabulary writes it.
        known: A token that it has, and that others may be merged from.
        options: What reading a file needs beside it.
        specials: Which special tokens the library recognises.
    """

    name: str
    make: Callable[[], bytemill.Tokenizer]
    library: Callable[[bytemill.Tokenizer, Path], Encode]
    word: str
    known: str
    options: Options = lambda tok: {}
    specials: Any = "all"

    def saved(self, tok: bytemill.Tokenizer, folder: Path) -> tuple[bytemill.Tokenizer, Path]:
        """A tokenizer as it is read from its file, and the path of that."""
        path = folder / self.name
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            tok.save(path)
        return bytemill.load(path, **self.options(tok)), path


def trained(spec: Any, **options: Any) -> bytemill.Tokenizer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bytemill.train(TEXT, spec, progress=False, **options)


def ranks() -> bytemill.Tokenizer:
    """Special tokens of tiktoken come after those of the model."""
    learned = trained(bytemill.BPE(286, ties="tiktoken"), pretokenizer="gpt2").vocab_bytes()
    specials = {token: len(learned) + place for place, token in enumerate(["<s>", *RESERVED])}
    return bytemill.Tokenizer.from_ranks(learned, pattern="gpt2", special_tokens=specials)


def tekken() -> bytemill.Tokenizer:
    learned = trained(bytemill.BPE(286, ties="tiktoken"), pretokenizer="tekken").vocab_bytes()
    tokens = [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
        for token, rank in sorted(learned.items(), key=lambda item: item[1])
    ]
    config = {"pattern": TEKKEN, "num_vocab_tokens": len(tokens), "default_vocab_size": len(tokens) + 22}
    file = {"config": {**config, "default_num_special_tokens": 22, "version": "v3"}, "vocab": tokens}
    return bytemill.loads(json.dumps(file))


def bert() -> bytemill.Tokenizer:
    return trained(bytemill.WordPiece(60), special_tokens=["[unused0]", "[unused1]"])


def pieces(model: Any, fallback: bool = False) -> Callable[[], bytemill.Tokenizer]:
    spec = bytemill.SentencePiece(60 + 256 * fallback, model=model, byte_fallback=fallback)
    return lambda: trained(spec, special_tokens=["<mask>", *RESERVED])


def in_tokenizers(tok: bytemill.Tokenizer, path: Path) -> Encode:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        library = tokenizers.Tokenizer.from_file(str(path))
    return lambda text: list(library.encode(text, add_special_tokens=False).ids)


def in_tiktoken(tok: bytemill.Tokenizer, path: Path) -> Encode:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", "")  # The library keeps files by their paths, and those come again.
        ranks = load_tiktoken_bpe(str(path))
    encoding = tiktoken.Encoding("edited", pat_str=GPT2, mergeable_ranks=ranks, special_tokens=tok.added_tokens)
    return lambda text: encoding.encode(text, allowed_special="all")


def in_tekken(tok: bytemill.Tokenizer, path: Path) -> Encode:
    """As `mistral-common` reads the file: the ids of special tokens are the first ones."""
    file = json.loads(path.read_text())
    config = file["config"]
    moved = config["default_num_special_tokens"]
    tokens = file["vocab"][: config["default_vocab_size"] - moved]
    ranks = {base64.b64decode(token["token_bytes"]): token["rank"] for token in tokens}
    encoding = tiktoken.Encoding("edited", pat_str=config["pattern"], mergeable_ranks=ranks, special_tokens={})
    return lambda text: [id + moved for id in encoding.encode_ordinary(text)]


def in_two_files(tok: bytemill.Tokenizer, path: Path) -> Encode:
    model = models.BPE.from_file(str(path), str(path.with_name("merges.txt")))
    library = tokenizers.Tokenizer(model)
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    library.decoder = decoders.ByteLevel()
    library.add_special_tokens([*tok.added_tokens])
    return lambda text: list(library.encode(text, add_special_tokens=False).ids)


def in_vocab_txt(tok: bytemill.Tokenizer, path: Path) -> Encode:
    library = BertWordPieceTokenizer(str(path))
    library.add_special_tokens([*tok.added_tokens])
    return lambda text: list(library.encode(text, add_special_tokens=False).ids)


def in_sentencepiece(tok: bytemill.Tokenizer, path: Path) -> Encode:
    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return lambda text: list(model.encode(text))


def in_bytemill(tok: bytemill.Tokenizer, path: Path) -> Encode:
    """The format is our own: what is read back must agree with what was saved."""
    return bytemill.load(path).encode


def with_specials(tok: bytemill.Tokenizer) -> dict[str, Any]:
    return {"special_tokens": tok.added_tokens}


def with_pattern(tok: bytemill.Tokenizer) -> dict[str, Any]:
    return {"pattern": "gpt2", "special_tokens": tok.added_tokens}


def merged() -> bytemill.Tokenizer:
    return trained(bytemill.BPE(290), special_tokens=["<s>", *RESERVED], pretokenizer="gpt2")


def of(spec: Any) -> Callable[[], bytemill.Tokenizer]:
    return lambda: trained(spec, special_tokens=["<s>", *RESERVED])


FORMATS = {
    "tokenizer.json, BPE": Format("tokenizer.json", merged, in_tokenizers, " lowlands", " lo"),
    "tokenizer.json, WordPiece": Format("tokenizer.json", of(bytemill.WordPiece(60)), in_tokenizers, "lowlands", "low"),
    "tokenizer.json, Unigram": Format("tokenizer.json", of(bytemill.Unigram(60)), in_tokenizers, "▁lowlands", "▁low"),
    "tokenizer.json, words": Format("tokenizer.json", of(bytemill.Word()), in_tokenizers, "lowlands", "low"),
    ".tiktoken": Format("own.tiktoken", ranks, in_tiktoken, " lowlands", "lo", with_pattern),
    "tekken.json": Format("tekken.json", tekken, in_tekken, " lowlands", " lo", specials="none"),
    "vocab.json": Format("vocab.json", merged, in_two_files, " lowlands", " lo", with_specials),
    "vocab.txt": Format("vocab.txt", bert, in_vocab_txt, "lowlands", "low", with_specials),
    ".model, Unigram": Format("a.model", pieces("unigram"), in_sentencepiece, "▁lowlands", "▁low", specials="none"),
    ".model, BPE": Format("a.model", pieces("bpe"), in_sentencepiece, "▁lowlands", "▁low", specials="none"),
    ".model, bytes": Format("a.model", pieces("bpe", True), in_sentencepiece, "▁lowlands", "▁low", specials="none"),
    ".mill": Format("a.mill", merged, in_bytemill, " lowlands", " lo"),
    ".mill.json": Format("a.mill.json", merged, in_bytemill, " lowlands", " lo"),
}
