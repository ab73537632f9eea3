"""Every shared model beside the library that defines its format: what one text must give on both sides."""

from __future__ import annotations

import base64
import gzip
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol
from unittest import mock

import tiktoken
import tiktoken_ext.openai_public as openai_public
import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers
from tokenizers.implementations import BertWordPieceTokenizer

import bytemill

#: What a file says of lengths is compared in test_lengths.py.
UNCUT: dict[str, Any] = {"truncation": False, "padding": False}


class Case(Protocol):
    """A model on both sides."""

    ours: bytemill.Tokenizer
    #: How many ids were.
    compared: int

    def differences(self, text: str) -> list[str]:
        """What of the two sides is not equal for a text."""

    def id_differences(self, text: str) -> list[str]:
        """The same of the ids and the decoded text alone, for long texts."""

    def pair_differences(self, first: str, second: str) -> list[str]:
        """The same for two texts that are one input, where the library knows such."""


class Library:
    """Beside `tokenizers`; one that has no decoder, so that it joins tokens by spaces, is not asked to decode."""

    def __init__(self, theirs: tokenizers.Tokenizer, ours: bytemill.Tokenizer) -> None:
        self.theirs, self.ours = theirs, ours
        theirs.no_truncation()
        theirs.no_padding()
        self.again = pickle.loads(pickle.dumps(ours))
        self.decodes = theirs.decoder is not None
        self.compared = 0

    def differences(self, text: str) -> list[str]:
        expected, found = self.theirs.encode(text), self.ours(text, offsets=True, **UNCUT)
        self.compared += len(expected.ids)
        inner = [id for id, added in zip(expected.ids, expected.special_tokens_mask, strict=True) if not added]
        checks = {
            **of_encodings(expected, found),
            "ids": inner == self.ours.encode(text) == self.again.encode(text),
        }
        if self.decodes:
            ids = expected.ids
            for name, skip in (("decoded", False), ("decoded without special tokens", True)):
                decoded = self.ours.decode(ids, skip_special_tokens=skip)
                checks[name] = decoded == self.theirs.decode(ids, skip_special_tokens=skip)
        return [name for name, equal in checks.items() if not equal]

    def id_differences(self, text: str) -> list[str]:
        ids = self.theirs.encode(text, add_special_tokens=False).ids
        self.compared += len(ids)
        checks = {"ids": ids == self.ours.encode(text)}
        if self.decodes:
            checks["decoded"] = self.ours.decode(ids) == self.theirs.decode(ids, skip_special_tokens=False)
        return [name for name, equal in checks.items() if not equal]

    def pair_differences(self, first: str, second: str) -> list[str]:
        expected = self.theirs.encode(first, second)
        self.compared += len(expected.ids)
        checks = of_encodings(expected, self.ours(first, second, offsets=True, **UNCUT))
        return [f"{name} of a pair" for name, equal in checks.items() if not equal]

    def vocabulary_differences(self) -> list[int]:
        """Ids whose token is another one. Ours are the bytes that a token stands for."""
        added = self.theirs.get_added_tokens_decoder()
        tokens = {id: token for token, id in self.theirs.get_vocab().items()}
        is_byte_level = "ByteLevel" in json.dumps(json.loads(self.theirs.to_str())["pre_tokenizer"])
        expected: dict[int, bytes] = {
            id: bytes(ALPHABET[c] for c in token) if is_byte_level and id not in added else token.encode()
            for id, token in tokens.items()
        }
        return [id for id in range(max(tokens) + 2) if self.ours.id_to_bytes(id) != expected.get(id)]


def of_encodings(expected: tokenizers.Encoding, found: Any) -> dict[str, bool]:
    names = ("ids", "offsets", "word_ids", "type_ids", "sequence_ids", "special_tokens_mask", "attention_mask")
    return {
        f"{name} with template" if name == "ids" else name: getattr(expected, name) == getattr(found, name)
        for name in names
    }


class Tiktoken:
    """Beside `tiktoken`; `moved` is what a format adds to every id."""

    def __init__(self, theirs: tiktoken.Encoding, ours: bytemill.Tokenizer, moved: int = 0) -> None:
        self.theirs, self.ours, self.moved = theirs, ours, moved
        self.again = pickle.loads(pickle.dumps(ours))
        self.specials = theirs.special_tokens_set
        self.compared = 0

    def differences(self, text: str) -> list[str]:
        ids = self.theirs.encode(text, disallowed_special=())
        self.compared += len(ids)
        moved = [id + self.moved for id in ids] if self.moved else ids
        found = self.ours(text, offsets=True, specials="none")
        decoded, starts = self.theirs.decode_with_offsets(ids)
        checks = {
            "ids": moved == self.ours.encode(text, specials="none") == self.again.encode(text, specials="none"),
            "offsets": starts == [start for start, _ in found.offsets],
            "decoded": decoded == self.ours.decode(moved),
            "bytes": self.theirs.decode_bytes(ids) == self.ours.decode_bytes(moved),
        }
        if any(special in text for special in self.specials):
            allowed = self.theirs.encode(text, allowed_special="all")
            checks["ids with special tokens"] = self.ours.encode(text, specials=self.specials) == allowed
        return [name for name, equal in checks.items() if not equal]

    def id_differences(self, text: str) -> list[str]:
        ids = self.theirs.encode(text, disallowed_special=())
        self.compared += len(ids)
        moved = [id + self.moved for id in ids]
        checks = {
            "ids": moved == self.ours.encode(text, specials="none"),
            "bytes": self.theirs.decode_bytes(ids) == self.ours.decode_bytes(moved),
        }
        return [name for name, equal in checks.items() if not equal]

    def pair_differences(self, first: str, second: str) -> list[str]:
        """It knows no pairs; two texts in a row are given to it as a batch."""
        expected = self.theirs.encode_batch([first, second], num_threads=1, disallowed_special=())
        self.compared += sum(map(len, expected))
        found = self.ours.encode_batch([first, second], specials="none", threads=1)
        moved = [[id + self.moved for id in row] for row in expected]
        return [] if [list(row) for row in found] == moved else ["ids of a batch"]


def read_bytes(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def alphabet() -> dict[str, int]:
    """The characters that byte-level files write bytes as."""
    shown = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {chr(byte): byte for byte in shown} | {chr(256 + i): byte for i, byte in enumerate(hidden)}


ALPHABET = alphabet()


def tokenizer_json(path: Path) -> Library:
    return Library(tokenizers.Tokenizer.from_str(read_bytes(path).decode()), bytemill.load(path))


def ranks(path: Path) -> dict[bytes, int]:
    lines = (line.split() for line in read_bytes(path).splitlines())
    return {base64.b64decode(token): int(rank) for token, rank in lines}


def encoding(name: str, path: Path) -> tiktoken.Encoding:
    """The encoding as `tiktoken` itself sets it up, with the ranks of a file."""
    with mock.patch.object(openai_public, "load_tiktoken_bpe", lambda *_, **__: ranks(path)):
        return tiktoken.Encoding(**openai_public.ENCODING_CONSTRUCTORS[name]())


def tiktoken_file(name: str, path: Path, folder: Path) -> Tiktoken:
    """Our side knows an encoding by the name of its file."""
    named = folder / f"{name}.tiktoken"
    named.write_bytes(read_bytes(path))
    return Tiktoken(encoding(name, path), bytemill.load(named))


def tekken(path: Path) -> Tiktoken:
    """The encoding that `mistral-common` builds from the file, which moves ids after those of special tokens."""
    data = json.loads(read_bytes(path))
    config = data["config"]
    moved = config["default_num_special_tokens"]
    tokens = data["vocab"][: config["default_vocab_size"] - moved]
    of_bytes = {base64.b64decode(token["token_bytes"]): token["rank"] for token in tokens}
    theirs = tiktoken.Encoding("tekken", pat_str=config["pattern"], mergeable_ranks=of_bytes, special_tokens={})
    return Tiktoken(theirs, bytemill.load(path), moved)


def from_vocab_and_merges(folder: Path, **options: Any) -> tokenizers.Tokenizer:
    return tokenizers.Tokenizer(models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt"), **options))


def byte_level(folder: Path) -> Library:
    theirs = from_vocab_and_merges(folder)
    theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    theirs.decoder = decoders.ByteLevel()
    return Library(theirs, bytemill.load(folder / "vocab.json"))


def gpt1(folder: Path) -> Library:
    theirs = from_vocab_and_merges(folder, unk_token="<unk>", end_of_word_suffix="</w>")
    theirs.normalizer = normalizers.BertNormalizer(lowercase=True)
    theirs.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    theirs.decoder = decoders.BPEDecoder(suffix="</w>")
    return Library(theirs, bytemill.load(folder, pattern="bert", normalizer="bert"))


def clip(folder: Path) -> Library:
    theirs = from_vocab_and_merges(folder, unk_token="<|endoftext|>", end_of_word_suffix="</w>")
    in_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    theirs.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.BertPreTokenizer(), in_bytes])
    return Library(theirs, bytemill.load(folder / "vocab.json", pattern="bert", unk_token="<|endoftext|>"))


def vocab_txt(path: Path) -> Library:
    return Library(BertWordPieceTokenizer(str(path))._tokenizer, bytemill.load(path))


TOKENIZER_JSON = [
    "barthez/tokenizer.json.gz",
    "bert-base-uncased/tokenizer.json",
    "claude-legacy/tokenizer.json.gz",
    "clip/tokenizer.json.gz",
    "codegen-phi2/tokenizer.json.gz",
    "deepseek-v4/tokenizer.json.gz",
    "gpt-neox/tokenizer.json.gz",
    "mistral-spm/tokenizer_v1.json.gz",
    "mistral-spm/tokenizer_v3.json.gz",
    "mistral-tekken/tokenizer.json.gz",
    "openai-cl100k/tokenizer.json.gz",
    "openai-gpt2/tokenizer.json",
    "openai-o200k/tokenizer.json.gz",
    "qwen3/tokenizer.json.gz",
    "roberta-base/tokenizer.json.gz",
    "t5-base/tokenizer.json",
    "whisper/tokenizer.json.gz",
    "xlnet-base-cased/tokenizer.json.gz",
]

TIKTOKEN = {
    "r50k_base": "openai-gpt2/r50k_base.tiktoken",
    "p50k_base": "openai-p50k/p50k_base.tiktoken",
    "p50k_edit": "openai-p50k/p50k_base.tiktoken",
    "cl100k_base": "openai-cl100k/cl100k_base.tiktoken",
    "o200k_base": "openai-o200k/o200k_base.tiktoken.gz",
    "o200k_harmony": "openai-o200k/o200k_base.tiktoken.gz",
}

OTHER_FILES: dict[str, Callable[[Path], Case]] = {
    "codet5": byte_level,
    "openai-gpt2": byte_level,
    "roberta-base": byte_level,
    "openai-gpt1": gpt1,
    "clip": clip,
    "bert-base-uncased/vocab.txt": vocab_txt,
    "mistral-tekken/tekken_240718.json.gz": tekken,
}
