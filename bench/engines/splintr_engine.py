"""splintr: `encode_batch_flat`, two `bytes` of ids and offsets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import splintr

from . import Engine, Ids, Unsupported


class Adapter(Engine):
    name = "splintr"
    distribution = "splintr-rs"
    formats = ("json",)
    strings_through = "`encode_batch_flat` (bytes of ids and offsets)"

    def load(self, path: Path) -> None:
        try:
            self.tokenizer = splintr.from_json(str(path))
        except ValueError as error:
            raise Unsupported(str(error)) from error
        self.encode = self.tokenizer.encode_raw
        # The batch calls add the model's boundary tokens, and only `encode_raw` leaves them off.
        self.template = self.tokenizer.encode("a") != self.tokenizer.encode_raw("a")

    def encode_strings(self, texts: list[str]) -> Any:
        return self.encode_lists(texts) if self.template else self.tokenizer.encode_batch_flat(texts)

    def encode_lists(self, texts: list[str]) -> list[list[int]]:
        if self.template:
            return [self.tokenizer.encode_raw(text) for text in texts]
        return self.tokenizer.encode_batch(texts)

    def flat(self, result: Any) -> Ids:
        return super().flat(result) if self.template else np.frombuffer(result[0], dtype=np.uint32)

    def decode(self, rows: list[list[int]]) -> list[str]:
        return self.tokenizer.decode_batch(rows)
