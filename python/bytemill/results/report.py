"""EncodeReport: what encoding files did."""

from __future__ import annotations

import dataclasses
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class EncodeReport:
    """What `encode_files` did."""

    output: Path
    documents: int
    bytes: int
    tokens: int
    dtype: str
    seconds: float

    @property
    def bytes_per_token(self) -> float:
        return self.bytes / self.tokens if self.tokens else 0.0

    @property
    def bytes_per_second(self) -> float:
        return self.bytes / self.seconds if self.seconds else 0.0
