"""One row: its inputs made, its engines run in turn, round after round."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .corpora import NoCorpus, documents, plain_file, records_file, repeated_file
from .models import CannotBuild, model_files
from .processes import run_job
from .results import Line, summarize
from .rows import Row

#: How much of a corpus, of a file's repetitions and of a million calls a check takes.
CHECK_BYTES = 48 << 10
CHECK_REPEAT = 3
CHECK_CALLS = 2000

#: Rounds of those that are so slow that they make one pass in each: the least of some counts, as it does of the others.
SLOW_REPEATS = 3

#: Those that are given a file.
FILE_OPERATIONS = ("encode_file", "write_file")

Answer = dict[str, Any]


@dataclass(frozen=True)
class Options:
    #: For files that are too large to keep.
    folder: Path
    check: bool
    repeats: int | None
    size_mb: int | None


def measure(
    row: Row, threads: int | str, models: dict[str, Any], engines: list[str] | None, options: Options
) -> list[Line]:
    """A line for each engine of the row, or for those of them that are named; the oracle always runs."""
    names = [name for name in row.engines if engines is None or name in engines or name == row.oracle]
    try:
        job = _job(row, threads, models, options)
    except NoCorpus as error:
        answer = {"status": "unsupported", "note": str(error), "version": None}
        return summarize(row, threads, {name: [answer] for name in names}, None)
    except CannotBuild as error:
        return summarize(row, threads, {name: [_without_model(name, error)] for name in names}, None)
    repeats = 1 if options.check else options.repeats or row.repeats
    answers: dict[str, list[Answer]] = {name: [] for name in names}
    expected = None
    for number in range(repeats):
        racing = names if number == 0 else [name for name in names if _runs_again(name, row, answers, expected)]
        for name, answer in zip(racing, _round(racing, job, row.once, options.check), strict=True):
            answers[name].append(answer)
        if number == 0 and row.oracle:
            expected = _expected(row, job, answers[row.oracle][0])
    return summarize(row, threads, answers, expected)


def _without_model(engine: str, error: CannotBuild) -> Answer:
    """The failure belongs to the engine that could not make the model; the others have nothing to load."""
    status = error.status if engine == error.engine else "unsupported"
    return {"status": status, "note": str(error), "version": None}


def _round(engines: list[str], job: dict[str, Any], once: list[str], check: bool) -> list[Answer]:
    """Each engine once, one after the other; side by side in a check, where no time counts."""

    def run(engine: str) -> Answer:
        passes = 1 if engine in once else job["passes"]
        return run_job({**job, "engine": engine, "passes": passes}, pinned=not check)

    with ThreadPoolExecutor(os.cpu_count() if check else 1) as pool:
        return list(pool.map(run, engines))


def _runs_again(engine: str, row: Row, answers: dict[str, list[Answer]], expected: str | None) -> bool:
    """Whether an engine is worth timing again: it worked, gave what the oracle gave, and is not too slow for it."""
    answer = answers[engine][0]
    has_time = engine not in row.once or len(answers[engine]) < SLOW_REPEATS
    return has_time and answer["status"] == "ok" and expected in (None, answer["digest"])


def _expected(row: Row, job: dict[str, Any], oracle_answer: Answer) -> str | None:
    """The digest of the oracle, None if it has none. For a file, it is asked for the ids of the text."""
    if row.operation in FILE_OPERATIONS:
        oracle_answer = run_job({**job, "engine": row.oracle, "operation": "expected"})
    digest: str | None = oracle_answer.get("digest")
    return digest


def _job(row: Row, threads: int | str, models: dict[str, Any], options: Options) -> dict[str, Any]:
    """What every engine of the row is asked."""
    limit = CHECK_BYTES if options.check else None
    most = None if row.most_mb is None else row.most_mb * 1_000_000
    corpus = plain_file(row.corpus, limit or most)
    job: dict[str, Any] = {
        "operation": row.operation,
        "threads": 1 if threads == 1 else None,
        "corpus": str(corpus),
        "documents": row.documents,
        "distinct": row.distinct,
        "passes": 1 if options.check else row.passes,
        "calls": CHECK_CALLS if options.check else row.calls,
        "train": row.train,
        "count": row.count,
        "language": row.language,
    }
    if row.model is not None:
        job["model"] = model_files(models[row.model], limit, run_job)
    if row.train is not None and options.check:
        job["train"] = {**row.train, "vocab_size": min(1000, row.train["vocab_size"])}
    if row.records is not None:
        texts = documents(corpus.read_bytes().decode(), row.documents)
        job |= {"records": True, "file": str(records_file(texts, row.records, options.folder))}
    elif row.operation in FILE_OPERATIONS:
        times = _times(row, corpus, options)
        job |= {"repeat": times, "file": str(repeated_file(corpus, times, options.folder))}
    return job


def _times(row: Row, corpus: Path, options: Options) -> int:
    """How often the corpus stands in the file; a row without a size has it once."""
    if row.size_mb is None:
        return 1
    if options.check:
        return CHECK_REPEAT
    return max(1, round((options.size_mb or row.size_mb) * 1e6 / corpus.stat().st_size))
