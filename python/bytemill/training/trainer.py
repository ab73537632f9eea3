"""`train`: from a text, or from counts of its pieces, to a tokenizer."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from .. import _core, code, normalizers, pretokenizers
from .._arguments import checks
from .._arguments.amounts import memory_bytes
from .._arguments.names import nearest
from .._arguments.paths import how_to_read
from .._arguments.stages import resolve
from .._arguments.types import AnyPath, InputFormat
from ..engines.counting import Counting, count_on
from ..engines.job import Engine
from ..errors import SpecError
from ..progress import Progress, watching
from ..tokenizer import Tokenizer
from .counts import PieceCounts
from .sentencepiece import SentencePiece, Unigram
from .sources import Caller, Source, documents, engine_and_files
from .specs import BPE, Char, Word, WordPiece

Spec = Char | Word | BPE | WordPiece | SentencePiece


#: How long to count before a checkpoint is written; longer where writing it takes long.
CHECKPOINT_SECONDS = 30.0


class CorpusTooSmall(UserWarning):
    """Warns that the text is too small for the vocabulary that was asked for."""


def train(
    source: Source | PieceCounts,
    spec: Spec,
    *,
    special_tokens: Mapping[str, int] | Iterable[str] = (),
    normalizer: normalizers.Normalizer | str | None = None,
    pretokenizer: pretokenizers.PreTokenizer | str | None = None,
    continue_from: Tokenizer | None = None,
    log: AnyPath | None = None,
    input_format: InputFormat | None = None,
    field: str = "text",
    separator: str | None = None,
    errors: str = "strict",
    threads: int | None = None,
    memory: int | str | None = None,
    checkpoint: AnyPath | None = None,
    save: AnyPath | Callable[[Tokenizer], object] | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
    engine: Engine | str | None = None,
    shard_bytes: int | str | None = None,
) -> Tokenizer:
    """Trains a tokenizer. The result is the same for any number of threads.

    Args:
        source: A path (a file, or a folder with everything below it), a list of `Path`, or another iterable of `str`,
            each of which is a document. Files are text, `.jsonl` or `.json`, plain or compressed (`.gz`, `.zst`).
            `PieceCounts`, or the path of a `.counts` file, stands for text that was counted before.
        spec: What to train: `BPE`, `WordPiece`, `Unigram`, `SentencePiece`, `Word` or `Char`.
        special_tokens: Further special tokens, or a mapping of names to the ids that they are to have: below
            `vocab_size`, or directly after it without a gap.
        normalizer: Changes the text first; an object or a name. It replaces the normalizer of the spec.
        pretokenizer: Splits the text; an object or a name. It replaces the pretokenizer of the spec. With `Code`, a
            folder stands for its source files.
        continue_from: Only BPE: a tokenizer that is to learn more merges. Its ids stay the same.
        log: A file that tells how the vocabulary came about, a JSON object on each line: merges with their counts,
            words and characters with theirs, or the rounds of Unigram.
        input_format: How to read files, whatever their names: `"text"`, `"lines"`, `"jsonl"`, `"json"`, `"csv"`,
            `"tsv"`, `"parquet"` or `"arrow"`.
        field: The field of a record, or the column of a table, that holds the text.
        separator: What stands between the documents of a text file.
        errors: `"strict"` raises an error for bytes that are not UTF-8 and records without a text, `"replace"` reads
            such bytes as U+FFFD, `"skip"` leaves such documents out.
        threads: The number of threads.
        memory: A limit for the counts, such as `"2GB"`. What outgrows it goes to temporary files.
        checkpoint: A file in which the counts are saved now and then, and when Ctrl-C or an error stops the training.
            The same call continues from there and removes the file at the end.
        save: A file for the tokenizer, or a function that saves it. If that fails, the checkpoint stays.
        progress: True shows a progress bar, False does not; a function receives each `Progress`. By default the bar is
            shown if standard error is a terminal.
        engine: Counts beyond this machine: `"ray"`, `"ray://host:10001"`, `"spark"`, or an object of
            `bytemill.engines`. The source is then files, folders or URLs, and the tokenizer is the same.
        shard_bytes: How much of the files a worker of the engine counts at a time (`"256MB"`). `memory` and `threads`
            are for each worker.

    Examples:
        >>> import bytemill
        >>> tok = bytemill.train(["the cat sat on the mat, the cat ran"], bytemill.BPE(vocab_size=262), progress=False)
        >>> tok.tokenize("the cat")
        ['the', ' cat']
    """
    if not isinstance(spec, (Char, Word, BPE, WordPiece, SentencePiece)):
        names = [kind.__name__ for kind in (Char, Word, BPE, WordPiece, Unigram, SentencePiece)]
        named = [f"bytemill.{name}(…)" for name in names]
        near = nearest(spec, names) if isinstance(spec, str) else None
        meant = f"; did you mean bytemill.{near}(…)?" if near else ""
        raise TypeError(f"spec is {', '.join(named[:-1])} or {named[-1]}, not {type(spec).__name__}{meant}")
    threads = checks.optional_whole_number("threads", threads, least=1)
    if normalizer is not None:
        _refuse_double_normalization(spec)
    if isinstance(spec, SentencePiece) and pretokenizer is not None:
        spec.refuse_what_pieces_settle()
    specials = checks.special_tokens(special_tokens)
    if continue_from is not None:
        _refuse_what_is_settled(
            spec, {"normalizer": normalizer, "pretokenizer": pretokenizer, "special_tokens": specials or None}
        )
    if isinstance(pretokenizer, pretokenizers.Code) or pretokenizer == "code":
        language = pretokenizer.language if isinstance(pretokenizer, pretokenizers.Code) else None
        source, input_format = _source_files(source, input_format, language)
    counts = _counts_of(source)
    if checkpoint is not None and counts is not None:
        raise SpecError("checkpoint=… is for counting, and the source is counted already; leave it out")
    caller = Caller("train", "train on", "trained on")
    keywords: dict[str, Any] = {
        "special_tokens": specials,
        "normalizer": resolve(normalizer, normalizers.Normalizer, normalizers.NAMED),
        "pretokenizer": resolve(pretokenizer, pretokenizers.PreTokenizer, pretokenizers.NAMED),
        "how": how_to_read(input_format, field, errors, separator),
        "threads": threads,
        "memory": memory_bytes(memory),
        "continue_from": continue_from,
        "log": None if log is None else os.fspath(log),
        "checkpoint": None if checkpoint is None else (os.fspath(checkpoint), CHECKPOINT_SECONDS),
        "counted": False,
    }
    definition = json.dumps(spec.definition())
    found = engine_and_files(engine, shard_bytes, source, caller) if counts is None else None
    if found is not None:
        if checkpoint is not None:
            raise SpecError("checkpoint=… is for counting on this machine; with an engine, leave it out")
        counting = Counting(keywords["how"], keywords["memory"], threads, None, (definition, keywords))
        counts = count_on(*found, counting, shard_bytes, progress)
        keywords["counted"] = True
    read = documents(source, caller) if counts is None else counts
    with watching(progress) as watcher:
        handle, notes = _core.train(read, definition, watcher, **keywords)
    for note in notes:
        warnings.warn(note, CorpusTooSmall, stacklevel=2)
    tok = Tokenizer(handle)
    if callable(save):
        save(tok)
    elif save is not None:
        tok.save(save)
    if checkpoint is not None:
        Path(checkpoint).unlink()
    return tok


def _source_files(
    source: Source | PieceCounts, input_format: InputFormat | None, language: str | None
) -> tuple[Source | PieceCounts, InputFormat | None]:
    """The source files of a folder, in which a `.json` is text like any other."""
    if isinstance(source, (str, os.PathLike)) and Path(source).is_dir():
        return code.files(source, language), input_format or "text"
    return source, input_format


def _counts_of(source: Source | PieceCounts) -> _core.Counts | None:
    """The counts that a source is or names, if it does; those of several files are merged."""
    if isinstance(source, PieceCounts):
        return source._core
    paths = [source] if isinstance(source, (str, os.PathLike)) else source if isinstance(source, (list, tuple)) else []
    if isinstance(source, (list, tuple)) and not all(isinstance(path, os.PathLike) for path in paths):
        return None
    named = [Path(path).suffix == ".counts" for path in paths]
    if not any(named):
        return None
    if not all(named):
        raise SpecError(
            f"counts and texts cannot be trained on together: {paths[named.index(False)]} holds no counts; "
            "count the texts and merge all"
        )
    return PieceCounts.merge(map(PieceCounts.load, paths), progress=False)._core


def _refuse_double_normalization(spec: Spec) -> None:
    if isinstance(spec, WordPiece):
        # Its own normalizer is a default, and not what somebody asked for.
        return
    for option in ("lowercase", "strip_accents", "split_cjk"):
        if getattr(spec, option, False):
            raise SpecError(f"{option}=True and normalizer=… both say how to normalize; leave one of them out")


#: What a spec says of more merges; all else is settled by the tokenizer that they are for.
_OF_MERGES = ("vocab_size", "min_frequency", "ties", "max_token_length")


def _refuse_what_is_settled(spec: Spec, stages: dict[str, Any]) -> None:
    if not isinstance(spec, BPE):
        raise SpecError("continue_from=… goes with bytemill.BPE(…)")
    # Whether there is an unknown token by default depends on these two.
    default_unk = BPE(byte_level=spec.byte_level, byte_fallback=spec.byte_fallback).unk_token
    untouched = {f.name: getattr(BPE(), f.name) for f in fields(spec)} | {"unk_token": default_unk}
    changed = [name for name in untouched if name not in _OF_MERGES and getattr(spec, name) != untouched[name]]
    given = [*changed, *(name for name, value in stages.items() if value is not None)]
    if given:
        raise SpecError(f"{given[0]} is settled by continue_from; leave it out")
