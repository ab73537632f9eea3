"""Engines that read a tokenizer.json and give encodings whose `ids` are lists, as fastokens and its descendants do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from . import Engine, Unsupported


class WithEncodings(Engine):
    """A subclass gives the name and the class of the tokenizers."""

    formats = ("json",)
    strings_through = "`encode_batch` (lists)"
    tokenizers: Any

    def load(self, path: Path) -> None:
        try:
            self.tokenizer = self.tokenizers.from_json_str(_with_model_type(path))
        except ValueError as error:
            raise Unsupported(str(error).splitlines()[0]) from error
        encode = self.tokenizer.encode
        self.encode = lambda text: encode(text).ids

    def encode_strings(self, texts: list[str]) -> Any:
        return [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]

    def decode(self, rows: list[list[int]]) -> list[str]:
        texts: list[str] = self.tokenizer.decode_batch(rows)
        return texts

    def decode_row(self, row: list[int]) -> str:
        text: str = self.tokenizer.decode(row)
        return text


def _with_model_type(path: Path) -> str:
    """A tokenizer.json that says which model it has: these engines want it said, and old files do not."""
    file = json.loads(path.read_text(encoding="utf-8"))
    file["model"].setdefault("type", "BPE")
    return json.dumps(file)
