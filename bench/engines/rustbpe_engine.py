"""rustbpe: a BPE trainer; what it trains is encoded by tiktoken."""

from __future__ import annotations

from pathlib import Path

import rustbpe

from . import Engine, TrainSpec, Unsupported
from .byte_level import PATTERN


class Adapter(Engine):
    name = "rustbpe"
    distribution = "rustbpe"

    def train(self, corpus: Path, texts: list[str], spec: TrainSpec) -> None:
        if spec.family != "bpe":
            raise Unsupported(f"does not train {spec.family}")
        self.tokenizer = rustbpe.Tokenizer()
        self.tokenizer.train_from_iterator(iter(texts), spec.vocab_size, pattern=PATTERN)

    def trained(self) -> list[bytes]:
        ranks = sorted(self.tokenizer.get_mergeable_ranks(), key=lambda token: token[1])
        return [bytes(token) for token, _ in ranks]
