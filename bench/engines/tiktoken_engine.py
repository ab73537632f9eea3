"""tiktoken: `encode_ordinary_batch`."""

from __future__ import annotations

import os
from pathlib import Path

from . import Engine, Unsupported
from .byte_level import PATTERN

# tiktoken copies what it reads into a cache of its own unless this is empty.
os.environ["TIKTOKEN_CACHE_DIR"] = ""

import tiktoken
from tiktoken.load import load_tiktoken_bpe

#: A .tiktoken file holds ranks alone; its pattern and special tokens are known by its name.
PATTERNS = {"r50k_base": (PATTERN, {"<|endoftext|>": 50256})}


class Adapter(Engine):
    name = "tiktoken"
    distribution = "tiktoken"
    formats = ("tiktoken",)
    strings_through = "`encode_ordinary_batch` (lists)"

    def load(self, path: Path) -> None:
        if path.stem not in PATTERNS:
            raise Unsupported(f"a .tiktoken file has no pattern, and none is known for {path.stem}")
        pattern, specials = PATTERNS[path.stem]
        self.tokenizer = tiktoken.Encoding(
            path.stem,
            pat_str=pattern,
            mergeable_ranks=load_tiktoken_bpe(str(path)),
            special_tokens=specials,
        )
        self.encode = self.tokenizer.encode_ordinary

    def encode_strings(self, texts: list[str]) -> list[list[int]]:
        return self.tokenizer.encode_ordinary_batch(texts, num_threads=self.threads or os.cpu_count() or 1)

    def decode(self, rows: list[list[int]]) -> list[str]:
        return self.tokenizer.decode_batch(rows, num_threads=self.threads or os.cpu_count() or 1)
