"""fastokens: `encode` and `encode_batch`, which give encodings whose `ids` are lists; `encode_batch_flat` for arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fastokens
import numpy as np

from . import Engine, Ids, Unsupported, with_model_type


class Adapter(Engine):
    name = "fastokens"
    distribution = "fastokens"
    formats = ("json",)
    strings_through = "`encode_batch_flat` (bytes of arrays)"

    def load(self, path: Path) -> None:
        try:
            self.tokenizer = fastokens.Tokenizer.from_json_str(with_model_type(path))
        except ValueError as error:
            raise Unsupported(str(error).splitlines()[0]) from error
        encode = self.tokenizer.encode
        self.encode = lambda text: encode(text).ids

    def encode_strings(self, texts: list[str]) -> tuple[bytes, bytes]:
        flat: tuple[bytes, bytes] = self.tokenizer.encode_batch_flat(texts)
        return flat

    def encode_lists(self, texts: list[str]) -> list[list[int]]:
        return [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]

    def flat(self, result: Any) -> Ids:
        return np.frombuffer(result[0], dtype="<u4")

    def decode(self, rows: list[list[int]]) -> list[str]:
        texts: list[str] = self.tokenizer.decode_batch(rows)
        return texts

    def decode_row(self, row: list[int]) -> str:
        text: str = self.tokenizer.decode(row)
        return text
