"""tokie: `encode_batch_flat` and `encode_files`, which give one flat array."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tokie

from . import Engine, Ids, Unsupported


class Adapter(Engine):
    name = "tokie"
    distribution = "tokie"
    formats = ("json",)
    strings_through = "`encode_batch_flat` (flat array and lengths)"

    def load(self, path: Path) -> None:
        try:
            self.tokenizer = tokie.Tokenizer.from_json(str(path))
            self.tokenizer.no_truncation()
            self.tokenizer.no_padding()
        except tokie.TokieError as error:
            raise Unsupported(str(error)) from error

    def encode(self, text: str) -> list[int]:
        return self.tokenizer.encode(text, False).ids

    def encode_strings(self, texts: list[str]) -> tuple[Ids, Any]:
        return self.tokenizer.encode_batch_flat(texts, False)

    def encode_lists(self, texts: list[str]) -> list[list[int]]:
        return [row.ids for row in self.tokenizer.encode_batch(texts, False)]

    def encode_truncated(self, texts: list[str], length: int) -> list[Any]:
        self.tokenizer.enable_truncation(length)
        return self.tokenizer.encode_batch(texts, True)

    def encode_file(self, path: Path) -> tuple[Ids, Any]:
        return self.tokenizer.encode_files([str(path)], b"")

    def flat(self, result: Any) -> Ids:
        return result[0]

    def decode(self, rows: list[list[int]]) -> list[str]:
        return [text or "" for text in self.tokenizer.decode_batch(rows)]
