"""bpeasy: a BPE trainer; what it trains is encoded by tiktoken."""

from __future__ import annotations

from pathlib import Path

import bpeasy

from . import Engine, TrainSpec, Unsupported
from .byte_level import PATTERN

#: Longer than any token that the other trainers, which have no such limit, make of our corpora.
MAX_TOKEN_BYTES = 1024


class Adapter(Engine):
    name = "bpeasy"
    distribution = "bpeasy"

    def train(self, corpus: Path, texts: list[str], spec: TrainSpec) -> None:
        if spec.family != "bpe":
            raise Unsupported(f"does not train {spec.family}")
        self.vocab = bpeasy.train_bpe(iter(texts), PATTERN, MAX_TOKEN_BYTES, spec.vocab_size)

    def trained(self) -> list[bytes]:
        return sorted(self.vocab, key=self.vocab.__getitem__)
