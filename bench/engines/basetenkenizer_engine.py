"""basetenkenizer: `encode` and `encode_batch`, which give lists."""

from __future__ import annotations

import basetenkenizer

from .with_encodings import WithEncodings


class Adapter(WithEncodings):
    name = "basetenkenizer"
    distribution = "basetenkenizer"
    tokenizers = basetenkenizer.Tokenizer
