"""Megatron-LM's way: processes that parse and encode a line each with `tokenizers`, and one that writes."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from . import Engine, Ids, Unsupported

#: Lines that a process is given at a time.
CHUNK = 32

#: That of a process of the pool.
_tokenizer: Tokenizer


def _start(path: Path) -> None:
    global _tokenizer
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    _tokenizer = Tokenizer.from_file(str(path))


def _encode(line: bytes) -> list[int]:
    ids: list[int] = _tokenizer.encode(json.loads(line)["text"], add_special_tokens=False).ids
    return ids


class Adapter(Engine):
    name = "megatron"
    distribution = "tokenizers"
    formats = ("json",)

    def load(self, path: Path) -> None:
        self.path = path

    def write_file(self, path: Path, folder: Path) -> Ids:
        output = folder / "ids.bin"
        workers = self.threads or os.cpu_count() or 1
        with (
            multiprocessing.get_context("spawn").Pool(workers, _start, (self.path,)) as pool,
            output.open("wb") as file,
        ):
            for ids in pool.imap(_encode, self._lines(path), CHUNK):
                file.write(np.array(ids, np.uint16).tobytes())
        return np.memmap(output, np.uint16, mode="r")

    def _lines(self, path: Path) -> Iterator[bytes]:
        if path.suffixes[-2:] != [".jsonl", ".zst"]:
            raise Unsupported("reads JSON lines")
        import pyarrow

        with pyarrow.input_stream(path, compression="zstd", buffer_size=1 << 20) as stream:
            rest = b""
            while block := stream.read(1 << 20):
                *lines, rest = (rest + block).split(b"\n")
                yield from lines
            if rest:
                yield rest

    def flat(self, result: NDArray[np.uint16]) -> Ids:
        return result.astype(np.uint32)
