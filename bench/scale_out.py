"""What engines cost: seconds for each shard, the same work here and on them, and the bytes between their workers.

    python -m bench.scale_out [--megabytes 64] [--engine ray] [--engine spark]

Two cores cannot show a speed-up. What they show is what an engine adds to the work, from which `docs/scale-out.md`
reckons what a cluster would take.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import operator
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bytemill
from bytemill.engines import Local, Ray, Spark, engine_of
from bytemill.engines.counting import Counting, CountShard
from bytemill.engines.job import Shuffle
from bytemill.engines.shards import Part, Shard, planned
from bytemill.engines.storage import listed

HOW = (None, "text", "strict", None)
SHARD_BYTES = 8_000_000
#: Work that takes no time, and that every worker can import.
NOTHING = operator.attrgetter("number")


def corpus(path: Path, megabytes: int) -> None:
    """Lines of words, the more frequent the shorter, with new ones all along."""
    draw = random.Random(7)
    letters = "etaoinshrdlcumwfgypbvk"
    known = ["".join(draw.choices(letters, k=1 + number.bit_length() // 2)) for number in range(1, 400_000)]
    with path.open("w") as file:
        while file.tell() < megabytes * 1_000_000:
            words = [known[int(draw.paretovariate(0.35)) % len(known)] for _ in range(40_000)]
            file.writelines(
                '{"text": "' + " ".join(words[start : start + 400]) + '"}\n' for start in range(0, 40_000, 400)
            )


def seconds(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


@contextlib.contextmanager
def started(name: str) -> Iterator[None]:
    engine = engine_of(name)
    if not isinstance(engine, (Ray, Spark)):
        yield
        return
    since = time.perf_counter()
    with engine.started():
        shown(f"{name}: starting", f"{time.perf_counter() - since:.1f} s")
        yield


def shown(name: str, value: str) -> None:
    print(f"| {name} | {value} |", flush=True)


def empty_shards(count: int) -> tuple[Shard, ...]:
    part = Part("x", "/x", 1, "1", 0, 1, "file", 1)
    return tuple(Shard(number, count, (part,)) for number in range(count))


def overhead(name: str, shards: int) -> None:
    """The overhead of shards without work, when the engine has started."""
    engine = engine_of(name)
    assert engine is not None
    engine.map(NOTHING, empty_shards(2), lambda outcome: None)
    took = seconds(lambda: engine.map(NOTHING, empty_shards(shards), lambda outcome: None))
    shown(f"{name}: a shard without work, of {shards:,}", f"{1000 * took / shards:.2f} ms")


def counting(name: str, path: Path) -> None:
    size = path.stat().st_size
    how = {"engine": engine_of(name), "shard_bytes": SHARD_BYTES, "threads": 1, "progress": False}
    took = seconds(lambda: bytemill.count_pieces(path, **how))
    shown(f"{name}: counting, one thread for each shard", f"{took:.2f} s, {size / took / 1e6:.0f} MB/s")


@dataclasses.dataclass
class Measured(Local):
    """The engine without an engine, which adds up what goes from shards to merges."""

    moved: int = 0

    def shuffle(self, shuffle: Shuffle, shards: Any, told: Any) -> list[Any]:
        def work(shard: Shard) -> list[bytes]:
            parts: list[bytes] = shuffle.work(shard)
            self.moved += sum(map(len, parts))
            return parts

        return super().shuffle(dataclasses.replace(shuffle, work=work), shards, told)


def shuffled(path: Path) -> None:
    for size in (SHARD_BYTES, 8 * SHARD_BYTES):
        engine = Measured()
        bytemill.count_pieces(path, engine=engine, shard_bytes=size, threads=1, progress=False)
        share = engine.moved / path.stat().st_size
        shown(f"bytes between workers for each byte of text, shards of {size // 1_000_000} MB", f"{share:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=64)
    parser.add_argument("--shards", type=int, default=400)
    parser.add_argument("--engine", action="append", default=[])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "corpus.jsonl")
        corpus(path, given.megabytes)
        shown("what", "measured")
        shown("---", "---")
        for threads in (1, 2):
            took = seconds(lambda threads=threads: bytemill.count_pieces(path, threads=threads, progress=False))
            rate = path.stat().st_size / took / 1e6
            shown(f"no shards: counting, {threads} threads", f"{took:.2f} s, {rate:.0f} MB/s")
        shards = planned(listed([str(path)], None), HOW, SHARD_BYTES)
        shown(
            f"planning {len(shards)} shards",
            f"{1000 * seconds(lambda: planned(listed([str(path)], None), HOW, SHARD_BYTES)):.2f} ms",
        )
        one = CountShard(
            Counting(HOW, None, 1, ('{"normalizer": null, "pretokenizer": null, "special_tokens": []}', False)), 8
        )
        shown("one shard, counted without stages and in 8 parts", f"{seconds(lambda: one(shards[0])):.3f} s")
        for name in ("local", *given.engine):
            with started(name):
                overhead(name, given.shards)
                counting(name, path)
        shuffled(path)


if __name__ == "__main__":
    main()
