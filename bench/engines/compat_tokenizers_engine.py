"""bytemill by the names of tokenizers."""

from __future__ import annotations

from bytemill.compat import tokenizers

from . import tokenizers_engine


class Adapter(tokenizers_engine.Adapter):
    name = "compat_tokenizers"
    distribution = "bytemill"
    kind = tokenizers.Tokenizer
