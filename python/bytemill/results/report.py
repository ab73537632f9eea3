"""EncodeReport: what encoding files did."""

from __future__ import annotations

import dataclasses
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class EncodeReport:
    """What `Tokenizer.encode_files` wrote: the file, the numbers of documents, bytes and tokens, and the time."""

    output: Path
    documents: int
    bytes: int
    tokens: int
    dtype: str
    seconds: float

    @property
    def bytes_per_token(self) -> float:
        """Bytes of text for each token."""
        return self.bytes / self.tokens if self.tokens else 0.0

    @property
    def bytes_per_second(self) -> float:
        """Bytes of text per second."""
        return self.bytes / self.seconds if self.seconds else 0.0
