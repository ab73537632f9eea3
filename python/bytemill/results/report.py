"""EncodeReport and FileCount: what encoding or counting files found."""

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
    #: Files in the given folders that were left out: binary files, and links that lead nowhere.
    skipped: tuple[Path, ...] = ()

    @property
    def bytes_per_token(self) -> float:
        return self.bytes / self.tokens if self.tokens else 0.0

    @property
    def bytes_per_second(self) -> float:
        return self.bytes / self.seconds if self.seconds else 0.0


@dataclasses.dataclass(frozen=True)
class FileCount:
    """How many documents, bytes of text and tokens a file has."""

    path: Path
    documents: int
    bytes: int
    tokens: int

    @property
    def bytes_per_token(self) -> float:
        return self.bytes / self.tokens if self.tokens else 0.0
