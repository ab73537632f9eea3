"""gigatoken: `encode_batch` (an awkward array) and `encode_files`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import awkward
import gigatoken
import numpy as np
from numpy.typing import NDArray

from . import Engine, Ids, TrainSpec, Unsupported


class Adapter(Engine):
    name = "gigatoken"
    distribution = "gigatoken"
    formats = ("json", "tiktoken", "spm")
    strings_through = "`encode_batch` (awkward array)"

    def load(self, path: Path) -> None:
        try:
            if path.suffix == ".json":
                self.tokenizer = gigatoken.Tokenizer.from_json(path.read_bytes())
            elif path.suffix == ".tiktoken":
                self.tokenizer = gigatoken.Tokenizer.from_tiktoken(path)
            else:
                self.tokenizer = gigatoken.Tokenizer.from_sentencepiece(path)
        except (RuntimeError, ValueError) as error:
            raise Unsupported(str(error).splitlines()[0]) from error
        self.encode = self.tokenizer.encode

    @property
    def parallel(self) -> bool:
        return self.threads != 1

    def encode_strings(self, texts: list[str]) -> awkward.Array:
        return self.tokenizer.encode_batch(texts, parallel=self.parallel)

    def encode_lists(self, texts: list[str]) -> list[list[int]]:
        return self.tokenizer.encode_batch_list(texts, parallel=self.parallel)

    def encode_file(self, path: Path) -> awkward.Array:
        return self.tokenizer.encode_files(gigatoken.TextFileSource([path]), parallel=self.parallel)

    def write_file(self, path: Path, folder: Path) -> NDArray[np.uint16]:
        """It writes no files: what it gives, written by numpy."""
        source: gigatoken.FileSource = gigatoken.TextFileSource([path])
        if path.suffix == ".parquet":
            source = gigatoken.ParquetFileSource([path])
        elif ".jsonl" in path.suffixes:
            source = gigatoken.JsonlFileSource([path])
        ids = self.flat(self.tokenizer.encode_files(source, parallel=self.parallel))
        kind = np.uint16 if not len(ids) or int(ids.max()) < 1 << 16 else np.uint32
        output = folder / "ids.bin"
        ids.astype(kind).tofile(output)
        return np.memmap(output, kind, mode="r")

    def flat(self, result: Any) -> Ids:
        if isinstance(result, np.ndarray):
            return result.astype(np.uint32, copy=False)
        return awkward.to_numpy(awkward.flatten(result)).astype(np.uint32, copy=False)

    def decode(self, rows: list[list[int]]) -> list[bytes]:
        return [self.tokenizer.decode(row) for row in rows]

    def decode_row(self, row: list[int]) -> bytes:
        return self.tokenizer.decode(row)

    def train(self, corpus: Path, texts: list[str], spec: TrainSpec) -> None:
        if spec.family != "bpe":
            raise Unsupported(f"does not train {spec.family}")
        lines = gigatoken.TextFileSource([corpus], separator=b"\n")
        self.vocab, _ = gigatoken.train_bpe(lines, spec.vocab_size, [])

    def trained(self) -> list[bytes]:
        return [self.vocab[id] for id in sorted(self.vocab)]
