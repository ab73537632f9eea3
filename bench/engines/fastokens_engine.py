"""fastokens: `encode` and `encode_batch`, which give lists; `encode_batch_flat` for arrays."""

from __future__ import annotations

from typing import Any

import fastokens
import numpy as np

from . import Ids
from .with_encodings import WithEncodings


class Adapter(WithEncodings):
    name = "fastokens"
    distribution = "fastokens"
    tokenizers = fastokens.Tokenizer
    strings_through = "`encode_batch_flat` (bytes of arrays)"

    def encode_strings(self, texts: list[str]) -> Any:
        return self.tokenizer.encode_batch_flat(texts)

    def encode_lists(self, texts: list[str]) -> list[list[int]]:
        rows: list[list[int]] = super().encode_strings(texts)
        return rows

    def flat(self, result: Any) -> Ids:
        return np.frombuffer(result[0], dtype="<u4")
