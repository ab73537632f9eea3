"""bytemill: `encode_batch`, which gives one flat array and row offsets."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

import bytemill
from bytemill import _core, code, pretokenizers
from bytemill.training import CorpusTooSmall

from . import SPECIAL, CountSpec, Engine, Ids, TrainSpec, Unsupported

#: Our names of the pretokenizers of `tokenizers`.
PRETOKENIZERS = {"Whitespace": pretokenizers.Whitespace(), "BertPreTokenizer": pretokenizers.Bert()}


class Adapter(Engine):
    name = "bytemill"
    distribution = "bytemill"
    formats = ("mill", "json", "tiktoken", "spm")
    strings_through = "`encode_batch` (flat array and offsets)"

    def version(self) -> str:
        return bytemill.__version__

    def load(self, path: Path) -> None:
        try:
            self._use(bytemill.load(path))
        except bytemill.errors.FormatError as error:
            raise Unsupported(str(error)) from error

    def _use(self, tokenizer: bytemill.Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.encode = tokenizer.encode

    def save(self, path: Path) -> None:
        self.tokenizer.save(path)

    def encode_strings(self, texts: list[str]) -> bytemill.Ragged:
        return self.tokenizer.encode_batch(texts, threads=self.threads)

    def encode_special(self, text: str) -> list[int]:
        return self.tokenizer.encode(text, specials=SPECIAL)

    def encode_lists(self, texts: list[str]) -> list[list[int]]:
        return self.encode_strings(texts).to_list()

    def encode_offsets(self, texts: list[str]) -> list[bytemill.Encoding]:
        return self.tokenizer.inputs(texts, offsets=True, truncation=False, padding=False, threads=self.threads)

    def encode_truncated(self, texts: list[str], length: int) -> list[bytemill.Encoding]:
        return self.tokenizer.inputs(texts, truncation=length, padding=False, threads=self.threads)

    def encode_file(self, path: Path) -> bytemill.Ragged:
        return self.tokenizer.encode_files(path, threads=self.threads, progress=False)

    def write_file(self, path: Path, folder: Path) -> Ids:
        output = folder / "ids.bin"
        report = self.tokenizer.encode_files(path, output, threads=self.threads, progress=False)
        return np.memmap(output, dtype=report.dtype, mode="r") if report.tokens else np.empty(0, np.uint32)

    def flat(self, result: Any) -> Ids:
        return result.ids if isinstance(result, bytemill.Ragged) else result

    def decode(self, rows: list[list[int]]) -> list[str]:
        return self.tokenizer.decode_batch(rows)

    def decode_row(self, row: list[int]) -> str:
        return self.tokenizer.decode(row)

    def train(self, corpus: Path, texts: list[str], spec: TrainSpec) -> None:
        if spec.family == "bpe":
            # Lines are documents: what ends them is special, and takes one id.
            options: bytemill.BPE | bytemill.Word | bytemill.WordPiece | bytemill.Unigram = bytemill.BPE(
                vocab_size=spec.vocab_size + 1, ties="huggingface", min_frequency=1
            )
            setup: dict[str, Any] = {"pretokenizer": "gpt2", "special_tokens": ["\n"]}
        elif spec.family == "wordpiece":
            options, setup = bytemill.WordPiece(vocab_size=spec.vocab_size), {}
        elif spec.family == "unigram":
            options, setup = bytemill.Unigram(spec.vocab_size), {}
        else:
            options = bytemill.Word(vocab_size=spec.vocab_size)
            setup = {"pretokenizer": PRETOKENIZERS[spec.pretokenizer]}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CorpusTooSmall)
            self._use(bytemill.train(corpus, options, threads=self.threads, progress=False, **setup))

    def trained(self) -> list[bytes]:
        ended = self.tokenizer.special_tokens.get("\n")
        tokens = (self.tokenizer.id_to_bytes(id) for id in range(self.tokenizer.vocab_size) if id != ended)
        return [token for token in tokens if token is not None]

    def count_pieces(self, corpus: Path, spec: CountSpec) -> bytemill.PieceCounts:
        return self._count(corpus, spec)

    def count_documents(self, documents: Iterable[str], spec: CountSpec) -> bytemill.PieceCounts:
        return self._count(documents, spec)

    def _count(self, source: Path | Iterable[str], spec: CountSpec) -> bytemill.PieceCounts:
        return bytemill.count_pieces(
            source, pretokenizer=spec.pretokenizer, memory=spec.memory, threads=self.threads, progress=False
        )

    def code_pieces(self, source: bytes, language: str) -> code.CodePieces:
        return code.code_pieces(source, language)

    def scan_rate(self, data: bytes) -> float:
        if not hasattr(_core, "_scan_rate"):
            raise Unsupported("this build has no _scan_rate")
        gigabytes_per_second: float = _core._scan_rate(data)
        return gigabytes_per_second * 1e9
