"""Corpora to compare engines on, and everything that is to be the same."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from pydoc_data.topics import topics

import bytemill
from bytemill.engines import Engine

TIES = ("bytemill", "huggingface", "tiktoken", "cs336", "sentencepiece", "rustbpe")
SPECS: dict[str, bytemill.BPE | bytemill.WordPiece | bytemill.SentencePiece | bytemill.Char | bytemill.Word] = {
    **{f"BPE, ties of {ties}": bytemill.BPE(400, ties=ties) for ties in TIES},
    "WordPiece": bytemill.WordPiece(400),
    "Unigram": bytemill.Unigram(300),
    "Word": bytemill.Word(200),
    "Char": bytemill.Char(),
}
#: Small enough that every corpus has several shards.
SHARD_BYTES = 30_000


def written(folder: Path) -> dict[str, Path]:
    """Three corpora: one large file of JSON lines, many text files, and files of several kinds."""
    texts = list(topics.values())[:60]
    rows = "".join(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in texts)
    corpora = {name: folder / name for name in ("lines", "texts", "mixed")}
    for path in corpora.values():
        path.mkdir()
    (corpora["lines"] / "all.jsonl").write_text(rows)
    for number, text in enumerate(texts[:25]):
        (corpora["texts"] / f"{number:02}.txt").write_text(text)
    (corpora["mixed"] / "a.txt").write_text("Ünïcode, 漢字 and 🎉\r\n" * 900)
    (corpora["mixed"] / "b.jsonl.gz").write_bytes(gzip.compress(rows[:90_000].rpartition("\n")[0].encode()))
    (corpora["mixed"] / "c.ndjson").write_text(rows[-80_000:].partition("\n")[2])
    return corpora


def counted(path: Path, saved: Path, engine: Engine | None, order: bool) -> bytes:
    shards = None if engine is None else SHARD_BYTES
    counts = bytemill.count_pieces(path, order=order, progress=False, engine=engine, shard_bytes=shards)
    counts.save(saved)
    return saved.read_bytes()


def trained(path: Path, name: str, engine: Engine | None) -> str:
    shards = None if engine is None else SHARD_BYTES
    return bytemill.train(path, SPECS[name], progress=False, engine=engine, shard_bytes=shards).fingerprint


def everything(corpora: dict[str, Path], folder: Path, engine: Engine | None) -> Iterator[tuple[str, object]]:
    """Counts of all corpora, and a tokenizer of each kind."""
    for name, path in corpora.items():
        for order in (False, True):
            yield f"counts of {name}, order={order}", counted(path, folder / "x.counts", engine, order)
    for number, name in enumerate(SPECS):
        corpus = list(corpora)[number % len(corpora)]
        yield f"{name} of {corpus}", trained(corpora[corpus], name, engine)
