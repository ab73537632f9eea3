"""EncodeReport and FileCount: what encoding or counting files found."""

from __future__ import annotations

import dataclasses
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class EncodeReport:
    """What `Tokenizer.encode_files` wrote.

    Attributes:
        output: The token file.
        documents: The number of documents.
        bytes: The size of the text in UTF-8.
        tokens: The number of ids.
        dtype: The type of the ids, `"uint16"` or `"uint32"`.
        seconds: The time it took.
        skipped: Files in the given folders that were left out: binary files, and links that lead nowhere.
    """

    output: Path
    documents: int
    bytes: int
    tokens: int
    dtype: str
    seconds: float
    skipped: tuple[Path, ...] = ()

    @property
    def bytes_per_token(self) -> float:
        """Bytes of text for each token."""
        return self.bytes / self.tokens if self.tokens else 0.0

    @property
    def bytes_per_second(self) -> float:
        """Bytes of text per second."""
        return self.bytes / self.seconds if self.seconds else 0.0


@dataclasses.dataclass(frozen=True)
class FileCount:
    """The number of documents, bytes of text and tokens in a file."""

    path: Path
    documents: int
    bytes: int
    tokens: int

    @property
    def bytes_per_token(self) -> float:
        """Bytes of text for each token."""
        return self.bytes / self.tokens if self.tokens else 0.0
