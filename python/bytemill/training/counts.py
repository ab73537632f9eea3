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
from ..engines.counting import Counting, count_on, count_parts_on
from ..engines.job import Engine
from ..errors import SpecError
from ..progress import Progress, watching
from .sentencepiece import SentencePiece
from .sources import Caller, Source, documents, engine_and_files


class PieceCounts:
    """How often each piece of a text occurs: all that `bytemill.train` needs to know about the text.

    Made by `bytemill.count_pieces`, or read by `PieceCounts.load`. Pieces are ordered by their UTF-8 bytes.

    Examples:
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
        """Reads a `.counts` file. The pieces stay in the file, so it must not be changed meanwhile."""
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
        """Takes counts that were made elsewhere, as a mapping or as pairs. Counts of equal pieces are added up.

        If you do not name the stages that made the pieces, `train` uses its own.

        Examples:
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
        """Merges counts, as if all texts had been counted together.

        All must have been made by the same stages. A result that is larger than `memory` goes to a temporary file.
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
        """Writes the counts to a file, which appears when it is complete."""
        self._core.save(path)

    @property
    def total(self) -> int:
        """The number of pieces in the text; `len` is the number of different ones."""
        return self._core.total

    @property
    def documents(self) -> int:
        """The number of documents."""
        return self._core.documents

    @property
    def bytes(self) -> int:
        """The size of the text in UTF-8."""
        return self._core.bytes

    @property
    def ordered(self) -> bool:
        """Whether the order of appearance was kept."""
        return self._core.ordered

    @property
    def made_by(self) -> dict[str, Any] | None:
        """The `normalizer`, `pretokenizer` and `special_tokens` that made the pieces; None if unknown."""
        found = self._core.made_by
        return None if found is None else json.loads(found)

    def most_common(self, n: int | None = None) -> list[tuple[str, int]]:
        """Returns the `n` most frequent pieces, or all, ordered by count and then by their bytes."""
        return self._core.most_common(checks.optional_whole_number("n", n, least=0))

    def in_order_of_appearance(self) -> list[tuple[str, int]]:
        """Returns all pieces in the order of their first occurrence; needs counts made with `order=True`."""
        return self._core.in_order_of_appearance()

    def items(self) -> Iterator[tuple[str, int]]:
        """Yields the pieces with their counts, without holding all of them in memory."""
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
    separator: str | None = None,
    errors: str = "strict",
    order: bool = False,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
    engine: Engine | str | None = None,
    shard_bytes: int | str | None = None,
) -> PieceCounts:
    """Counts the pieces of a text. The result is the same for any number of threads and any memory.

    Args:
        source: As in `bytemill.train`.
        pretokenizer: How text is split into pieces; an object or a name.
        normalizer: How text is changed first; an object or a name.
        special_tokens: Tokens that separate the text before them from the text after them, and are not counted.
        spec: A `SentencePiece` or `Unigram`: count the words that its training counts, instead of the stages above.
        input_format: How to read files, whatever their names: `"text"`, `"lines"`, `"jsonl"` or `"json"`.
        field: The field of a `.jsonl` line or a `.json` record that holds the text.
        separator: What stands between the documents of a text file.
        errors: `"strict"` raises an error for bytes that are not UTF-8 and records without a text, `"replace"` reads
            such bytes as U+FFFD, `"skip"` leaves such documents out.
        order: Also keep the order in which pieces appeared.
        threads: The number of threads.
        memory: A limit such as `"2GB"`. Counts that outgrow it go to temporary files.
        progress: As in `bytemill.train`.
        engine: As in `bytemill.train`. The counts are the same.
        shard_bytes: As in `bytemill.train`.
    """
    counting = _counting(
        pretokenizer=pretokenizer,
        normalizer=normalizer,
        special_tokens=special_tokens,
        spec=spec,
        input_format=input_format,
        field=field,
        separator=separator,
        errors=errors,
        order=order,
        threads=threads,
        memory=memory,
    )
    caller = Caller("count_pieces", "count", "counted")
    found = engine_and_files(engine, shard_bytes, source, caller)
    if found is not None:
        return PieceCounts(count_on(*found, counting, shard_bytes, progress))
    read = documents(source, caller)
    with watching(progress) as watcher:
        return PieceCounts(counting.counted(read, watcher))


def count_parts(
    source: Source,
    folder: str | os.PathLike[str],
    *,
    engine: Engine | str = "local",
    shard_bytes: int | str | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
    **how: Any,
) -> list[str]:
    """Counts the pieces of files into several files, each with some of the pieces, which workers of an engine write.

    No machine has all counts at a time, so there may be more than one machine holds. `PieceCounts.merge` and
    `bytemill merge-counts` join them. The parts are the same for every engine and any number of workers.

    Args:
        source: Files, folders or URLs, as in `bytemill.train`.
        folder: The folder for the parts, or its URL; every worker must reach it.
        engine: As in `bytemill.train`.
        shard_bytes: As in `bytemill.train`.
        progress: As in `bytemill.train`.
        **how: The other arguments of `bytemill.count_pieces`.

    Returns:
        Where the parts are.
    """
    counting = _counting(**how)
    found = engine_and_files(engine, shard_bytes, source, Caller("count_parts", "count", "counted"))
    assert found is not None
    return count_parts_on(*found, counting, shard_bytes, progress, os.fspath(folder))


def _counting(
    *,
    pretokenizer: pretokenizers.PreTokenizer | str | None = "o200k",
    normalizer: normalizers.Normalizer | str | None = None,
    special_tokens: Iterable[str] = (),
    spec: SentencePiece | None = None,
    order: bool = False,
    threads: int | None = None,
    memory: int | str | None = None,
    **read: Any,
) -> Counting:
    """The arguments of `count_pieces`, checked."""
    checks.flag("order", order)
    threads = checks.optional_whole_number("threads", threads, least=1)
    made_by = _made_by(pretokenizer, normalizer, checks.special_names(special_tokens))
    if spec is not None:
        made_by = _made_for(spec, made_by)
    return Counting(how_to_read(**read), memory_bytes(memory), threads, (made_by, order))


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
