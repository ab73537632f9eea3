"""Calls for files and columns of texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, overload

from .. import _core
from .._arguments import checks
from .._arguments.outputs import Writing
from .._arguments.paths import how_to_read, path_list
from .._arguments.types import AnyPath, InputFormat, KeptNames, OutputFormat, Specials
from ..data.estimate import Estimate, estimated
from ..data.files import FileWork, Reading
from ..errors import SpecError
from ..progress import Progress, watching
from ..results.ragged import Ragged
from ..results.report import EncodeReport, FileCount

if TYPE_CHECKING:
    from ..engines.job import Engine


class FileCalls(_core.Tokenizer):
    """What a tokenizer does with files and columns."""

    __slots__ = ()

    @overload
    def encode_files(
        self,
        sources: AnyPath | Iterable[AnyPath] | None,
        output: AnyPath,
        *,
        documents: Iterable[str] | None = None,
        input_format: InputFormat | None = None,
        field: str = "text",
        separator: str | None = None,
        errors: Literal["strict", "replace", "skip"] = "strict",
        prepend: str | int | None = None,
        append: str | int | None = None,
        specials: Specials = None,
        format: OutputFormat | None = None,
        dtype: Literal["uint16", "uint32"] | None = None,
        shard_tokens: int | str | None = None,
        split: float | None = None,
        shuffle: bool = False,
        seed: int = 0,
        pack: int | None = None,
        pad: str | int | None = None,
        keep_columns: KeptNames | None = None,
        resume: bool = False,
        checkpoint: float = 30.0,
        verify: bool = False,
        threads: int | None = None,
        progress: bool | Callable[[Progress], object] | None = None,
        engine: Engine | str | None = None,
        shard_bytes: int | str | None = None,
    ) -> EncodeReport: ...
    @overload
    def encode_files(
        self,
        sources: AnyPath | Iterable[AnyPath] | None,
        output: None = None,
        *,
        documents: Iterable[str] | None = None,
        input_format: InputFormat | None = None,
        field: str = "text",
        separator: str | None = None,
        errors: Literal["strict", "replace", "skip"] = "strict",
        prepend: str | int | None = None,
        append: str | int | None = None,
        specials: Specials = None,
        threads: int | None = None,
        progress: bool | Callable[[Progress], object] | None = None,
    ) -> Ragged: ...
    def encode_files(
        self,
        sources: AnyPath | Iterable[AnyPath] | None = None,
        output: AnyPath | None = None,
        *,
        documents: Iterable[str] | None = None,
        input_format: InputFormat | None = None,
        field: str = "text",
        separator: str | None = None,
        errors: Literal["strict", "replace", "skip"] = "strict",
        prepend: str | int | None = None,
        append: str | int | None = None,
        specials: Specials = None,
        format: OutputFormat | None = None,
        dtype: Literal["uint16", "uint32"] | None = None,
        shard_tokens: int | str | None = None,
        split: float | None = None,
        shuffle: bool = False,
        seed: int = 0,
        pack: int | None = None,
        pad: str | int | None = None,
        keep_columns: KeptNames | None = None,
        resume: bool = False,
        checkpoint: float = 30.0,
        verify: bool = False,
        threads: int | None = None,
        progress: bool | Callable[[Progress], object] | None = None,
        engine: Engine | str | None = None,
        shard_bytes: int | str | None = None,
    ) -> EncodeReport | Ragged:
        """Encodes the documents of files and folders into token files, without Python objects in between.

        Memory stays constant, and the bytes written are the same for any number of threads. Files appear when they are
        whole. `bytemill.open_tokens` reads them; a manifest beside them (`train.bin.bytemill.json`) says what they are
        made of.

        Args:
            sources: One or more paths or patterns: text files, `.jsonl`, `.json`, `.csv`, `.tsv`, `.parquet` and
                `.arrow` files, and folders, plain or compressed (`.gz`, `.zst`, `.xz`, `.bz2`). A text file is one
                document; so is each line, record or row of the others.
            output: The token file; its name says the format, unless `format` does. With `{split}` in it, the name of
                each side of a split stands there. Without an output the ids stay in memory, as a `Ragged` with a row
                for each document.
            documents: Documents themselves, in place of `sources`.
            input_format: How to read files, whatever their names.
            field: The field of a record, or the column of a table, that holds the text; `a.b` is the field `b` of the
                object in `a`.
            separator: What stands between the documents of a text file, such as `"<|endoftext|>"`.
            errors: What happens to documents that are none (null, no text, not UTF-8): `"strict"` stops and names file
                and row; `"skip"` leaves them out and counts them; `"replace"` reads bytes that are not UTF-8 as U+FFFD,
                and a value that is no text as an empty document.
            prepend: What to put before every document: a special token, a role such as `"bos"`, or an id.
            append: What to put after every document.
            specials: What happens to added tokens in the text.
            format: `"bin"` (bare ids), `"npy"`, `"megatron"`, `"datatrove"`, `"llmc"`, `"jsonl"`, `"parquet"` or
                `"arrow"`.
            dtype: The type of an id; by default `"uint16"` if there are at most 65,536 of them, otherwise `"uint32"`.
            shard_tokens: A new file begins with the document after that many tokens (`"100M"`).
            split: The part of the documents that goes into files of their own for validation, such as 0.01. A hash of
                the text decides, so that a document is on the same side wherever it stands.
            shuffle: Write the documents in an order drawn at random. This needs the size of the output once more on
                disk while it lasts.
            seed: The random seed for `split` and `shuffle`.
            pack: Make rows of this many ids, one document after another; the last row is filled up with `pad`.
            pad: A special token, a role or an id; by default the tokenizer's own padding, or its end of text.
            keep_columns: Other columns or fields of the sources that `"jsonl"`, `"parquet"` and `"arrow"` outputs have
                beside the ids: a list of names, or `"*"` for all. For a table made of JSON or CSV, a dict can give the
                types: `"bool"`, `"int64"`, `"float64"`, `"string"` or `"json"` (any value, as its text).
            resume: Go on with what an interrupted run of the same work has left. The files are those of an undisturbed
                run. If there is nothing to go on with, the work starts anew.
            checkpoint: How often, in seconds, it is noted how far the work is.
            verify: Read the files back, and compare a sample of the documents with the sources.
            threads: The number of threads.
            progress: True shows a progress bar, False does not; a function receives each `Progress`. By default the bar
                is shown if standard error is a terminal.
            engine: Works beyond this machine: `"ray"`, `"ray://host:10001"`, `"spark"`, or an object of
                `bytemill.engines`. Every shard of the sources becomes a file, and `threads` is for each worker.
            shard_bytes: The size of a shard of the sources, such as `"256MB"`; the files are the same for any engine,
                and without one.
        """
        from ..engines.encoding import Sharding  # It brings processes and URLs, which most programs do not need.

        given = Reading(sources, documents, input_format, field, separator, errors, prepend, append, specials)
        work = FileWork(self, given, checks.optional_whole_number("threads", threads, least=1), progress)
        writing = Writing(
            format, dtype, shard_tokens, split, shuffle, seed, pack, pad, keep_columns, resume, checkpoint
        )
        sharding = Sharding.of(engine, shard_bytes, sources, output)
        if output is not None:
            return (
                sharding.written(work, output, writing, verify) if sharding else work.written(output, writing, verify)
            )
        if sharding is not None:
            raise SpecError("engine, shard_bytes and URLs are for an output: name the file to write")
        if writing != Writing() or verify:
            raise SpecError("format, shard_tokens, resume and their like are for an output: name the file to write")
        return work.in_memory()

    def encode_arrow(self, array: Any, *, specials: Specials = None, threads: int | None = None) -> _core.IdLists:
        """Encodes a column of texts of another library, where it lies in memory.

        Args:
            array: A column of strings with Arrow's PyCapsule interface (`__arrow_c_array__` or `__arrow_c_stream__`),
                as of pyarrow, polars, pandas or DuckDB; or a table with that one column.
            specials: What happens to added tokens in the text.
            threads: The number of threads.

        Returns:
            A list of ids for each text, and null for null. It has `__arrow_c_array__`, too: `pyarrow.array(ids)` and
            `polars.Series(ids)` take it without a copy.
        """
        threads = checks.optional_whole_number("threads", threads, least=1)
        return self._encode_arrow(array, specials, threads)

    def estimate_files(
        self,
        sources: AnyPath | Iterable[AnyPath],
        *,
        input_format: InputFormat | None = None,
        field: str = "text",
        separator: str | None = None,
        errors: Literal["strict", "replace", "skip"] = "strict",
        specials: Specials = None,
    ) -> Estimate:
        """Estimates how many tokens files and folders have, from a sample of their documents."""
        return estimated(self, path_list(sources), how_to_read(input_format, field, errors, separator), specials)

    def count_files(
        self,
        sources: AnyPath | Iterable[AnyPath],
        *,
        input_format: InputFormat | None = None,
        field: str = "text",
        separator: str | None = None,
        errors: Literal["strict", "replace", "skip"] = "strict",
        specials: Specials = None,
        threads: int | None = None,
        progress: bool | Callable[[Progress], object] | None = None,
    ) -> list[FileCount]:
        """Counts the tokens of files and folders; returns a `FileCount` for each file that was read, in order.

        Files are read as in `encode_files`. Binary files in folders are left out.
        """
        threads = checks.optional_whole_number("threads", threads, least=1)
        how = how_to_read(input_format, field, errors, separator)
        with watching(progress) as watcher:
            counted, _ = self._count_files(path_list(sources), watcher, how=how, specials=specials, threads=threads)
        return [FileCount(*row) for row in counted]
