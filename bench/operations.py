"""What is measured: one function an operation, from a job to numbers and a digest of what came out."""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from .corpora import documents
from .engines import CountSpec, Engine, TrainSpec, flat_lists
from .measure import busy_seconds, digest_ids, digest_texts, peak_mb, resident_mb, timed
from .models import made_up_word

#: The start of the corpus and one made-up word in 97: the text whose ids stand for a loaded tokenizer.
SAMPLE_BYTES = 10_000
SAMPLE_WORDS = range(0, 200_000, 97)
#: Calls before the first look at the memory, so that what is made once does not count as growth.
SETTLING_CALLS = 10_000
WORDS_IN_A_DOCUMENT = 1000
#: Ids of an input of `encode_truncated`.
TRUNCATED = 128


@dataclass
class Job:
    engine: str
    operation: str
    #: 1, or None for all cores.
    threads: int | None
    corpus: str = ""
    documents: str = "lines"
    passes: int = 1
    calls: int = 0
    distinct: int | None = None
    #: How many times the corpus stands in the file that `encode_file` and `write_file` are given.
    repeat: int = 1
    file: str = ""
    #: Whether the file holds records, one for each document, and is not the text itself.
    records: bool = False
    model: dict[str, str] = field(default_factory=dict)
    train: dict[str, Any] | None = None
    count: dict[str, Any] | None = None
    output: str = ""
    language: str = ""

    @cached_property
    def data(self) -> bytes:
        return Path(self.corpus).read_bytes()

    @cached_property
    def texts(self) -> list[str]:
        texts = documents(self.data.decode(), self.documents)
        return texts if self.distinct is None else list(dict.fromkeys(texts))[: self.distinct]

    @property
    def text_bytes(self) -> int:
        return sum(len(text.encode()) for text in self.texts)


@dataclass
class Measured:
    """`seconds` has one entry a pass, the cold one first."""

    seconds: list[float]
    digest: str = ""
    bytes: int = 0
    tokens: int = 0
    peak_mb: float = 0.0
    load_ms: float | None = None
    #: For the first load: the time of all threads, and how long it took until a first line had its ids.
    load_cpu_ms: float | None = None
    first_ids_ms: float | None = None
    growth_mb: float | None = None
    #: The CPU time of the cold pass, of all threads and processes.
    cpu_s: float | None = None


def encode_strings(engine: Engine, job: Job) -> Measured:
    size = job.text_bytes
    seconds, rows = timed(lambda: engine.encode_strings(job.texts), job.passes)
    peak = peak_mb()
    ids = engine.flat(rows)
    return Measured(seconds, digest_ids(ids), size, len(ids), peak)


def encode_lists(engine: Engine, job: Job) -> Measured:
    size = job.text_bytes
    seconds, rows = timed(lambda: engine.encode_lists(job.texts), job.passes)
    return _of_lists(seconds, rows, size)


def encode_offsets(engine: Engine, job: Job) -> Measured:
    texts = job.texts  # Made before the clock starts.
    return _of_encodings(job, lambda: engine.encode_offsets(texts))


def encode_truncated(engine: Engine, job: Job) -> Measured:
    texts = job.texts  # Made before the clock starts.
    return _of_encodings(job, lambda: engine.encode_truncated(texts, TRUNCATED))


def _of_encodings(job: Job, call: Callable[[], Sequence[Any]]) -> Measured:
    """Encodings of any engine have `ids`, and `offsets` if these were asked for."""
    seconds, rows = timed(call, job.passes)
    return _of_lists(seconds, [row.ids for row in rows], job.text_bytes)


def small_calls(engine: Engine, job: Job) -> Measured:
    return _calls(job, engine.encode)


def special_calls(engine: Engine, job: Job) -> Measured:
    return _calls(job, engine.encode_special)


def _calls(job: Job, encode: Callable[[str], Any]) -> Measured:
    """Each result is let go before the next call: a hundred thousand kept lists would measure the garbage collector."""
    texts, size = job.texts, job.text_bytes

    def calls() -> None:
        for text in texts:
            encode(text)

    seconds, _ = timed(calls, job.passes)
    return _of_lists(seconds, [encode(text) for text in texts], size)


def _of_lists(seconds: list[float], rows: Sequence[Sequence[int]], size: int) -> Measured:
    peak = peak_mb()
    ids = flat_lists(rows)
    return Measured(seconds, digest_ids(ids), size, len(ids), peak)


def encode_file(engine: Engine, job: Job) -> Measured:
    return _of_file(engine, job, engine.encode_file)


def write_file(engine: Engine, job: Job) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        return _of_file(engine, job, lambda path: engine.write_file(path, Path(folder)))


def _of_file(engine: Engine, job: Job, call: Callable[[Path], Any]) -> Measured:
    path, busy = Path(job.file), []

    def watched() -> Any:
        before = busy_seconds()
        result = call(path)
        busy.append(busy_seconds() - before)
        return result

    seconds, result = timed(watched, job.passes)
    peak = peak_mb()
    ids = engine.flat(result)
    size = job.text_bytes if job.records else path.stat().st_size
    return Measured(seconds, digest_ids(ids), size, len(ids), peak, cpu_s=busy[0])


def expected(engine: Engine, job: Job) -> Measured:
    """The digest that a file's ids must have: the corpus encoded once, its ids repeated as its text is."""
    ids = engine.flat(engine.encode_strings(job.texts))
    return Measured([], digest_ids(ids, job.repeat), tokens=len(ids) * job.repeat)


def decode(engine: Engine, job: Job) -> Measured:
    return _decoded(engine, job, engine.decode)


def decode_calls(engine: Engine, job: Job) -> Measured:
    return _decoded(engine, job, lambda rows: [engine.decode_row(row) for row in rows])


def _decoded(engine: Engine, job: Job, call: Callable[[list[list[int]]], Sequence[str | bytes]]) -> Measured:
    rows = engine.encode_lists(job.texts)
    seconds, texts = timed(lambda: call(rows), job.passes)
    peak = peak_mb()
    size = sum(len(text.encode() if isinstance(text, str) else text) for text in texts)
    return Measured(seconds, digest_texts(texts), size, sum(map(len, rows)), peak)


def train(engine: Engine, job: Job) -> Measured:
    assert job.train is not None
    spec, texts = TrainSpec(**job.train), job.texts
    with tempfile.TemporaryDirectory() as folder:
        # Lines of white space alone are no documents, and an engine that reads files must not see them either.
        corpus = Path(folder, "documents.txt")
        corpus.write_text("\n".join(texts), encoding="utf-8", newline="")
        seconds, _ = timed(lambda: engine.train(corpus, texts, spec), job.passes)
    peak = peak_mb()
    tokens = engine.trained()
    # Where the 256 single bytes stand is a matter of format; training chose the order of the rest.
    learned = [token for token in tokens if len(token) > 1] if spec.family == "bpe" else tokens
    return Measured(seconds, digest_texts(learned), len(job.data), len(tokens), peak)


def count_pieces(engine: Engine, job: Job) -> Measured:
    assert job.count is not None
    spec = CountSpec(**job.count)
    seconds, counts = timed(lambda: engine.count_pieces(Path(job.corpus), spec), job.passes)
    peak = peak_mb()
    pieces = sorted(engine.counted(counts))
    total = sum(count for _, count in pieces)
    return Measured(seconds, digest_texts(f"{count} {piece}" for piece, count in pieces), len(job.data), total, peak)


def count_words(engine: Engine, job: Job) -> Measured:
    """Not timed: making the words takes longer than counting them. `tokens` is how many different ones were found."""
    assert job.count is not None
    numbers = range(0, job.calls, WORDS_IN_A_DOCUMENT)
    words = (map(made_up_word, range(start, start + WORDS_IN_A_DOCUMENT)) for start in numbers)
    counts = engine.count_documents((" ".join(document) for document in words), CountSpec(**job.count))
    peak = peak_mb()
    return Measured([], tokens=sum(1 for _ in engine.counted(counts)), peak_mb=peak)


def code_pieces(engine: Engine, job: Job) -> Measured:
    source = job.data
    seconds, pieces = timed(lambda: engine.code_pieces(source, job.language), job.passes)
    peak = peak_mb()
    found = (f"{p.kind} {p.start} {p.end} {p.line} {p.column} {p.node} {p.depth}" for p in pieces)
    return Measured(seconds, digest_texts(found), len(source), len(pieces), peak)


def load(engine: Engine, job: Job) -> Measured:
    """The first load is also measured in CPU time, and until a line is encoded: some engines build parts later."""
    path = engine.supports(job.model)
    sample = job.data[:SAMPLE_BYTES].decode(errors="ignore")
    line = next(line for line in sample.splitlines() if line.strip())
    gc.collect()
    start, busy = time.perf_counter(), time.process_time()
    engine.load(path)
    first, busy = time.perf_counter() - start, time.process_time() - busy
    engine.encode(line)
    first_ids = time.perf_counter() - start
    others, _ = timed(lambda: engine.load(path), job.passes - 1)
    peak = peak_mb()
    words = " ".join(made_up_word(number) for number in SAMPLE_WORDS)
    ids = engine.flat(engine.encode_strings([sample, words]))
    measured = Measured([first, *others], digest_ids(ids), tokens=len(ids), peak_mb=peak, load_ms=first * 1e3)
    measured.load_cpu_ms, measured.first_ids_ms = busy * 1e3, first_ids * 1e3
    return measured


def memory(engine: Engine, job: Job) -> Measured:
    """Not timed: making the words takes as long as encoding them."""
    encode, tokens = engine.encode, 0
    for number in range(min(SETTLING_CALLS, job.calls)):
        encode(made_up_word(number))
    before = resident_mb()
    for number in range(job.calls):
        tokens += len(encode(made_up_word(SETTLING_CALLS + number)))
    growth = resident_mb() - before
    result = _of_lists([], [encode(made_up_word(number)) for number in range(1000)], 0)
    result.tokens, result.growth_mb = tokens, growth
    return result


def scan(engine: Engine, job: Job) -> Measured:
    seconds = [len(job.data) / engine.scan_rate(job.data) for _ in range(job.passes)]
    return Measured(seconds, bytes=len(job.data), peak_mb=peak_mb())


def build(engine: Engine, job: Job) -> Measured:
    """Makes a model file: trained, or converted from the model that was loaded."""
    if job.train is not None:
        engine.train(Path(job.corpus), job.texts, TrainSpec(**job.train))
    engine.save(Path(job.output))
    return Measured([])


ALL: dict[str, Callable[[Engine, Job], Measured]] = {
    operation.__name__: operation
    for operation in (
        encode_strings,
        encode_lists,
        encode_offsets,
        encode_truncated,
        small_calls,
        special_calls,
        encode_file,
        write_file,
        expected,
        decode,
        decode_calls,
        train,
        load,
        memory,
        count_pieces,
        count_words,
        code_pieces,
        scan,
        build,
    )
}
