"""The one face that every engine shows to the benchmarks, ours and each peer.

An adapter uses the fastest public way its engine has, and says which. What an engine cannot do raises
`Unsupported` with the reason, which a table shows as `–`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.uint32]


#: Special tokens that `encode_special` finds.
SPECIAL = frozenset({"<|endoftext|>"})


class Unsupported(Exception):
    """This engine cannot do that; the message is the reason."""


@dataclass(frozen=True)
class TrainSpec:
    """What to train.

    `word`; `bpe` on bytes with the splitting of GPT-2; `wordpiece` with the stages of BERT; or `unigram` as
    SentencePiece does it.

    The pretokenizer of `word` has the name that `tokenizers` gives it.
    """

    family: str
    vocab_size: int
    pretokenizer: str = "Whitespace"


@dataclass(frozen=True)
class CountSpec:
    """How a text becomes the pieces to count: our name for it, and as a pattern whose matches they are."""

    pretokenizer: str
    pattern: str
    #: For the counts, as in "100MB".
    memory: str | None = None


class Engine:
    """An engine with at most one tokenizer loaded. `threads` is None for all cores."""

    name: str
    distribution: str
    #: The model formats that `load` reads, the one it reads best first.
    formats: tuple[str, ...] = ()
    #: What `encode_strings` calls, in words for the report.
    strings_through: str = "–"
    #: One text to ids, the call of `small_calls` and `memory`; set by `load`.
    encode: Callable[[str], Any]

    def __init__(self, threads: int | None) -> None:
        self.threads = threads

    def version(self) -> str:
        return metadata.version(self.distribution)

    def supports(self, model: Mapping[str, str]) -> Path:
        """The file of a model (a path for each format, and maybe the format to be taken first) that `load` takes."""
        for format in sorted(self.formats, key=lambda format: format != model.get("first")):
            if format in model:
                return Path(model[format])
        given = [format for format in model if format != "first"]
        raise Unsupported(f"reads {' and '.join(self.formats) or 'no files'}, not {' or '.join(given)}")

    def load(self, path: Path) -> None:
        raise Unsupported("loads no tokenizers")

    def save(self, path: Path) -> None:
        raise Unsupported("saves no tokenizers")

    def encode_strings(self, texts: list[str]) -> Any:
        """The ids of each text, in whatever the engine hands over fastest; `flat` reads it."""
        raise Unsupported("does not encode")

    def encode_special(self, text: str) -> list[int]:
        """The same with `SPECIAL`, a set of which every call is told."""
        raise Unsupported("takes no set of special tokens")

    def encode_lists(self, texts: list[str]) -> list[list[int]]:
        """The ids of each text as Python lists."""
        rows: list[list[int]] = self.encode_strings(texts)
        return rows

    def encode_offsets(self, texts: list[str]) -> Sequence[Any]:
        """An encoding of each text in its template, with ids and offsets."""
        raise Unsupported("gives no offsets")

    def encode_truncated(self, texts: list[str], length: int) -> Sequence[Any]:
        """An encoding of each text in its template, of at most `length` ids."""
        raise Unsupported("does not truncate")

    def encode_file(self, path: Path) -> Any:
        """The ids of a file as one document, read by the engine itself."""
        raise Unsupported("does not encode files")

    def write_file(self, path: Path, folder: Path) -> Any:
        """The same, written to a file in `folder`."""
        raise Unsupported("writes no files of ids")

    def flat(self, result: Any) -> Ids:
        """What `encode_strings`, `encode_file` or `write_file` gave, as one array; not timed."""
        return flat_lists(result)

    def decode(self, rows: list[list[int]]) -> Sequence[str | bytes]:
        raise Unsupported("does not decode")

    def decode_row(self, row: list[int]) -> str | bytes:
        """One list of ids to text, the call of `decode_calls`."""
        raise Unsupported("does not decode")

    def train(self, corpus: Path, texts: list[str], spec: TrainSpec) -> None:
        """Trains on a file or on its lines as strings, whichever the engine takes faster."""
        raise Unsupported("does not train")

    def trained(self) -> list[bytes]:
        """The vocabulary of `train` in the order of its ids."""
        raise Unsupported("does not train")

    def count_pieces(self, corpus: Path, spec: CountSpec) -> Any:
        """How often each piece of a file occurs; `counted` reads it."""
        raise Unsupported("does not count pieces")

    def count_documents(self, documents: Iterable[str], spec: CountSpec) -> Any:
        """The same of documents that come one by one."""
        raise Unsupported("does not count pieces")

    def counted(self, counts: Any) -> Iterable[tuple[str, int]]:
        """What `count_pieces` gave, piece by piece; not timed."""
        pairs: Iterable[tuple[str, int]] = counts.items()
        return pairs

    def code_pieces(self, source: bytes, language: str) -> Sequence[Any]:
        """A source file to its pieces, each with what it is of the syntax."""
        raise Unsupported("knows nothing of source code")

    def scan_rate(self, data: bytes) -> float:
        """Bytes per second of finding the piece boundaries alone."""
        raise Unsupported("has no boundary scan that Python can call")


def flat_lists(rows: Iterable[Iterable[int]]) -> Ids:
    return np.fromiter((id for row in rows for id in row), dtype=np.uint32)


def make(name: str, threads: int | None) -> Engine:
    """The adapter of an engine; ImportError if the engine is not installed.

    It is in `{name}_engine.py`, a name that cannot stand in front of the package itself.
    """
    engine: Engine = importlib.import_module(f".{name}_engine", __name__).Adapter(threads)
    return engine
