"""Counts of pieces: what training needs of a text, kept so that the text is read once."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from .. import _core, normalizers, pretokenizers
from .._arguments import checks
from .._arguments.amounts import memory_bytes
from .._arguments.paths import how_to_read
from .._arguments.stages import resolve
from .._arguments.types import InputFormat
from ..errors import SpecError
from ..progress import Progress, watching
from .sentencepiece import SentencePiece
from .sources import Caller, Source, documents


class PieceCounts:
    """How often each piece of a text occurs: what `bytemill.train` needs of it.

    Made by `bytemill.count_pieces`, or read by `PieceCounts.load`. Pieces are in the order of their UTF-8 bytes.

    >>> import bytemill
    >>> counts = bytemill.count_pieces(["the cat and the dog"], pretokenizer="bert", progress=False)
    >>> counts
    PieceCounts(4 different pieces, 5 in all, of 19 bytes in 1 document)
    >>> counts["the"], counts["mouse"], list(counts)
    (2, 0, ['and', 'cat', 'dog', 'the'])
    >>> (counts + counts).most_common(1)
    [('the', 4)]
    """

    def __init__(self, core: _core.Counts) -> None:
        self._core = core

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> PieceCounts:
        """Reads what `save` wrote. The pieces stay in the file, which is not to be changed meanwhile."""
        return cls(_core.Counts.load(path))

    @classmethod
    def from_dict(
        cls,
        counts: Mapping[str, int] | Iterable[tuple[str, int]],
        *,
        pretokenizer: pretokenizers.PreTokenizer | str | None = None,
        normalizer: normalizers.Normalizer | str | None = None,
        special_tokens: Iterable[str] = (),
    ) -> PieceCounts:
        """Counts that were made elsewhere, as a mapping or as pairs; those of equal pieces are added up.

        Where nothing is said of the stages that made the pieces, `train` is told them.

        >>> PieceCounts.from_dict({"low": 5, "lower": 2}).total
        7
        """
        pairs = counts.items() if isinstance(counts, Mapping) else counts
        checked = [(_piece(piece), checks.whole_number("a count", count, least=0)) for piece, count in pairs]
        specials = checks.special_names(special_tokens)
        told = pretokenizer is not None or normalizer is not None or bool(specials)
        made_by = _made_by(pretokenizer, normalizer, specials) if told else None
        return cls(_core.Counts.from_pairs(checked, made_by))

    @classmethod
    def merge(
        cls,
        parts: Iterable[PieceCounts],
        *,
        memory: int | str | None = None,
        threads: int | None = None,
        progress: bool | Callable[[Progress], object] | None = None,
    ) -> PieceCounts:
        """The counts of several texts together, as if they had been counted one after the other.

        All must come from the same stages. With `memory`, a result that is larger goes to a temporary file.
        """
        listed = list(parts)
        for part in listed:
            if not isinstance(part, PieceCounts):
                raise TypeError(f"merge takes PieceCounts, not {type(part).__name__}")
        threads = checks.optional_whole_number("threads", threads, least=1)
        with watching(progress) as watcher:
            cores = [part._core for part in listed]
            return cls(_core.Counts.merge(cores, threads, memory_bytes(memory), watcher))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the counts to a file, whole or not at all."""
        self._core.save(path)

    @property
    def total(self) -> int:
        """How many pieces the text has; `len` is how many different ones."""
        return self._core.total

    @property
    def documents(self) -> int:
        """How many documents were counted."""
        return self._core.documents

    @property
    def bytes(self) -> int:
        """Of the text, in UTF-8."""
        return self._core.bytes

    @property
    def ordered(self) -> bool:
        """Whether the order of appearance was kept."""
        return self._core.ordered

    @property
    def made_by(self) -> dict[str, Any] | None:
        """The `normalizer`, `pretokenizer` and `special_tokens` that made the pieces; None where nobody said."""
        found = self._core.made_by
        return None if found is None else json.loads(found)

    def most_common(self, n: int | None = None) -> list[tuple[str, int]]:
        """The `n` most frequent pieces, or all: by count, and by their bytes among equals."""
        return self._core.most_common(checks.optional_whole_number("n", n, least=0))

    def in_order_of_appearance(self) -> list[tuple[str, int]]:
        """All pieces in the order of their first occurrence; for counts that were made with `order=True`."""
        return self._core.in_order_of_appearance()

    def items(self) -> Iterator[tuple[str, int]]:
        """Pieces with their counts; not all of them are in memory for that."""
        number = 0
        while (part := self._core.part(number)) is not None:
            yield from part
            number += 1

    def __iter__(self) -> Iterator[str]:
        return (piece for piece, _ in self.items())

    def __getitem__(self, piece: str) -> int:
        return self._core.count(_piece(piece))

    def __contains__(self, piece: object) -> bool:
        return isinstance(piece, str) and self[piece] > 0

    def __len__(self) -> int:
        return len(self._core)

    def __add__(self, other: object) -> PieceCounts:
        if not isinstance(other, PieceCounts):
            return NotImplemented
        return PieceCounts.merge([self, other], progress=False)

    def __repr__(self) -> str:
        documents = "1 document" if self.documents == 1 else f"{self.documents:,} documents"
        source = f", of {self.bytes:,} bytes in {documents}" if self.documents else ""
        return f"PieceCounts({len(self):,} different pieces, {self.total:,} in all{source})"


def count_pieces(
    source: Source,
    *,
    pretokenizer: pretokenizers.PreTokenizer | str | None = "o200k",
    normalizer: normalizers.Normalizer | str | None = None,
    special_tokens: Iterable[str] = (),
    spec: SentencePiece | None = None,
    input_format: InputFormat | None = None,
    field: str = "text",
    errors: str = "strict",
    order: bool = False,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
) -> PieceCounts:
    """Counts the pieces of a text; the result is the same for any number of threads and any memory.

    `source` is as in `bytemill.train`. Special tokens separate what is on both sides, and are not counted. With `spec`,
    a `SentencePiece` or `Unigram`, pieces are the words that its training counts, by what its options say. With
    `memory` (bytes, or a text such as "2GB"), counts that outgrow it go to temporary files and are merged from there.
    `order=True` also keeps which piece appeared first.
    """
    checks.flag("order", order)
    threads = checks.optional_whole_number("threads", threads, least=1)
    specials = checks.special_names(special_tokens)
    made_by = _made_by(pretokenizer, normalizer, specials)
    if spec is not None:
        made_by = _made_for(spec, made_by)
    how = how_to_read(input_format, field, errors)
    read = documents(source, Caller("count_pieces", "count", "counted"))
    with watching(progress) as watcher:
        memory = memory_bytes(memory)
        return PieceCounts(_core.count_pieces(read, made_by, how, threads, memory, order, watcher))


def _made_by(
    pretokenizer: pretokenizers.PreTokenizer | str | None,
    normalizer: normalizers.Normalizer | str | None,
    special_tokens: list[str],
) -> str:
    stages = {
        "normalizer": resolve(normalizer, normalizers.Normalizer, normalizers.NAMED),
        "pretokenizer": resolve(pretokenizer, pretokenizers.PreTokenizer, pretokenizers.NAMED),
    }
    parsed = {name: None if stage is None else json.loads(stage) for name, stage in stages.items()}
    return json.dumps({**parsed, "special_tokens": list(dict.fromkeys(special_tokens))}, ensure_ascii=False)


def _made_for(spec: SentencePiece, asked: str) -> str:
    if not isinstance(spec, SentencePiece):
        raise TypeError(f"spec is bytemill.SentencePiece(…) or bytemill.Unigram(…), not {type(spec).__name__}")
    if asked != _made_by("o200k", None, []):
        raise SpecError("spec=… says how a text becomes pieces; leave out pretokenizer, normalizer and special_tokens")
    return _core.made_by(json.dumps(spec.definition()), [])


def _piece(piece: object) -> str:
    if not isinstance(piece, str):
        raise TypeError(f"a piece is a str, not {piece!r}")
    checks.unicode_text("a piece", piece)
    return piece
