"""bytemill by the names of sentencepiece."""

from __future__ import annotations

from bytemill.compat import sentencepiece

from . import sentencepiece_engine


class Adapter(sentencepiece_engine.Adapter):
    name = "compat_sentencepiece"
    distribution = "bytemill"
    processor = sentencepiece.SentencePieceProcessor
