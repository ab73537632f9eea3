"""sentencepiece: `encode` of a list with `out_type=int`."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import sentencepiece

from . import Engine, TrainSpec, Unsupported


class Adapter(Engine):
    name = "sentencepiece"
    distribution = "sentencepiece"
    formats = ("spm",)
    strings_through = "`encode(texts, out_type=int)` (lists)"
    #: The class; a stand-in has its own.
    processor: Any = sentencepiece.SentencePieceProcessor

    def load(self, path: Path) -> None:
        self.tokenizer = self.processor(model_file=str(path))
        self.encode = self.tokenizer.EncodeAsIds
        self.decode_row = self.tokenizer.DecodeIds

    def encode_strings(self, texts: list[str]) -> list[list[int]]:
        rows: list[list[int]] = self.tokenizer.encode(texts, out_type=int, num_threads=self.threads or -1)
        return rows

    def decode(self, rows: list[list[int]]) -> list[str]:
        texts: list[str] = self.tokenizer.decode(rows, num_threads=self.threads or -1)
        return texts

    def train(self, corpus: Path, texts: list[str], spec: TrainSpec) -> None:
        if spec.family == "unigram":
            written = io.BytesIO()
            sentencepiece.SentencePieceTrainer.train(
                input=str(corpus),
                model_writer=written,
                vocab_size=spec.vocab_size,
                # It leaves out longer lines by default.
                max_sentence_length=1 << 30,
                hard_vocab_limit=False,
                num_threads=self.threads or os.cpu_count() or 1,
                minloglevel=2,
            )
            self.tokenizer = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
            return
        if spec.family == "word":
            raise Unsupported("its word model splits at white space alone, not at punctuation")
        raise Unsupported("its BPE is over characters with ▁ for a space, not over bytes with GPT-2's splitting")

    def trained(self) -> list[bytes]:
        return [self.tokenizer.id_to_piece(id).encode() for id in range(self.tokenizer.get_piece_size())]
