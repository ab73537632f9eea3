"""basetenkenizer: `encode` and `encode_batch`, which give encodings whose `ids` are lists."""

from __future__ import annotations

from pathlib import Path

import basetenkenizer

from . import Engine, Unsupported, with_model_type


class Adapter(Engine):
    name = "basetenkenizer"
    distribution = "basetenkenizer"
    formats = ("json",)
    strings_through = "`encode_batch` (lists)"

    def load(self, path: Path) -> None:
        try:
            self.tokenizer = basetenkenizer.Tokenizer.from_json_str(with_model_type(path))
        except ValueError as error:
            raise Unsupported(str(error).splitlines()[0]) from error
        encode = self.tokenizer.encode
        self.encode = lambda text: encode(text).ids

    def encode_strings(self, texts: list[str]) -> list[list[int]]:
        return [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]

    def decode(self, rows: list[list[int]]) -> list[str]:
        texts: list[str] = self.tokenizer.decode_batch(rows)
        return texts

    def decode_row(self, row: list[int]) -> str:
        text: str = self.tokenizer.decode(row)
        return text
