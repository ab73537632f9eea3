"""EncodeReport and FileCount: what encoding or counting files found."""

from __future__ import annotations

import dataclasses
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class TokenFile:
    """A file that `Tokenizer.encode_files` wrote: its side of a split, and what it holds. A URL is a `str`."""

    path: Path | str
    split: str | None
    documents: int
    tokens: int


@dataclasses.dataclass(frozen=True)
class EncodeReport:
    """What `Tokenizer.encode_files` wrote.

    Attributes:
        output: The output, as it was named.
        documents: The number of documents.
        bytes: The size of the text in UTF-8.
        tokens: The number of ids.
        dtype: The type of the ids, `"uint16"` or `"uint32"`.
        seconds: The time it took.
        skipped: Files in the given folders that were left out: binary files, and links that lead nowhere.
        files: The files with the ids, in order.
        manifest: The file that says what these are made of.
        skipped_rows: The number of documents that were left out because they are none.
        skipped_because: File, row and reason of the first of them.
        verified: The number of documents that were read back and compared; None if that was not asked for.
    """

    output: Path | str
    documents: int
    bytes: int
    tokens: int
    dtype: str
    seconds: float
    skipped: tuple[Path, ...] = ()
    files: tuple[TokenFile, ...] = ()
    manifest: Path | str = Path()
    skipped_rows: int = 0
    skipped_because: tuple[str, ...] = ()
    verified: int | None = None

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
    """The number of documents, bytes of text and tokens in a file, and of rows that were skipped: they hold no text."""

    path: Path
    documents: int
    bytes: int
    tokens: int
    skipped_rows: int = 0

    @property
    def bytes_per_token(self) -> float:
        """Bytes of text for each token."""
        return self.bytes / self.tokens if self.tokens else 0.0
