"""tiktoken: `encode_ordinary_batch`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from . import SPECIAL, Engine, Unsupported

# tiktoken copies what it reads into a cache of its own unless this is empty.
os.environ["TIKTOKEN_CACHE_DIR"] = ""

import tiktoken
import tiktoken_ext.openai_public
from tiktoken.load import load_tiktoken_bpe


class Adapter(Engine):
    name = "tiktoken"
    distribution = "tiktoken"
    formats = ("tiktoken",)
    strings_through = "`encode_ordinary_batch` (lists)"
    #: The class; a stand-in has its own.
    encoding: Any = tiktoken.Encoding

    def load(self, path: Path) -> None:
        # A .tiktoken file holds ranks alone; its pattern and special tokens are known by its name.
        if path.stem not in tiktoken_ext.openai_public.ENCODING_CONSTRUCTORS:
            raise Unsupported(f"a .tiktoken file has no pattern, and none is known for {path.stem}")
        self.tokenizer = self.encoding(**_settings(path))
        # As the others, this looks for special tokens in the text; `encode_ordinary` does not.
        self.encode = self.tokenizer.encode
        self.decode_row = self.tokenizer.decode

    def encode_special(self, text: str) -> list[int]:
        ids: list[int] = self.tokenizer.encode(text, allowed_special=SPECIAL)
        return ids

    def encode_strings(self, texts: list[str]) -> list[list[int]]:
        rows: list[list[int]] = self.tokenizer.encode_ordinary_batch(
            texts, num_threads=self.threads or os.cpu_count() or 1
        )
        return rows

    def decode(self, rows: list[list[int]]) -> list[str]:
        texts: list[str] = self.tokenizer.decode_batch(rows, num_threads=self.threads or os.cpu_count() or 1)
        return texts


def _settings(path: Path) -> dict[str, Any]:
    """What the library's own constructor gives, with the ranks of this file instead of those that it would fetch."""
    ours, theirs = load_tiktoken_bpe, tiktoken_ext.openai_public.load_tiktoken_bpe
    tiktoken_ext.openai_public.load_tiktoken_bpe = lambda *_, **__: ours(str(path))
    try:
        settings: dict[str, Any] = tiktoken_ext.openai_public.ENCODING_CONSTRUCTORS[path.stem]()
    finally:
        tiktoken_ext.openai_public.load_tiktoken_bpe = theirs
    return settings
