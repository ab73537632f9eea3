"""Very many different pieces: shards of text in which every word is new, counted and merged as workers of an engine do.

    python -m bench.many_pieces [--millions 1000] [--memory 300MB] [--folder DIR]

Each shard is counted by a process of its own, and so is each part merged, so that the memory of a worker can be seen.
What the workers of a cluster send each other goes through files here, about 12 bytes for each piece.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bytemill import _core
from bytemill._arguments.amounts import memory_bytes
from bytemill.engines.counting import Counting, CountShard, MergeParts
from bytemill.engines.shards import planned
from bytemill.engines.storage import listed

HOW = ("lines", "text", "strict", None)
PARTS = 256
PIECES_OF_A_SHARD = 5_000_000
LETTERS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyzABCDEF", dtype=np.uint8)
STAGES = '{"normalizer": null, "pretokenizer": {"type": "whitespace"}, "special_tokens": []}'


def write_shard(path: Path, number: int) -> None:
    """Words of seven letters, each the digits of a number that no other shard has, in no order."""
    first = number * PIECES_OF_A_SHARD
    values = np.arange(first, first + PIECES_OF_A_SHARD, dtype=np.uint64)
    # Odd factors make another order of all numbers below a power of two.
    mixed = values * np.uint64(0x9E3779B1) % np.uint64(1 << 35)
    text = np.empty((PIECES_OF_A_SHARD, 8), dtype=np.uint8)
    for place in range(7):
        text[:, place] = LETTERS[(mixed >> np.uint64(5 * place)) & np.uint64(31)]
    text[:, 7] = ord(" ")
    text[999::1000, 7] = ord("\n")
    path.write_bytes(text.tobytes())


def count(folder: Path, number: int, memory: int) -> int:
    counting = Counting(HOW, memory, 1, (STAGES, False))
    (shard,) = planned(listed([str(folder / "text")], "lines"), HOW, 1 << 40)
    for part, data in enumerate(CountShard(counting, PARTS)(shard)):
        (folder / f"{part}-{number}").write_bytes(data)
    return PIECES_OF_A_SHARD


def merge(folder: Path, part: int, memory: int) -> int:
    sources = sorted(folder.glob(f"{part}-*"))
    merged = MergeParts(memory)([path.read_bytes() for path in sources])
    for path in sources:
        path.unlink()
    (folder / "merged").write_bytes(merged)
    return len(_core.Counts.load(folder / "merged"))


def measured(work: Callable[..., int], *given: Any) -> tuple[int, float, int]:
    """What a process of its own gives, its CPU time and its memory."""

    def run(pipe: Any) -> None:
        result = work(*given)
        used = resource.getrusage(resource.RUSAGE_SELF)
        pipe.send((result, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024))

    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=run, args=(sender,))
    process.start()
    sender.close()
    found: tuple[int, float, int] = receiver.recv()
    process.join()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--millions", type=int, default=1000)
    parser.add_argument("--memory", default="300MB")
    parser.add_argument("--folder", default=os.environ.get("TMPDIR"))
    given = parser.parse_args()
    memory = memory_bytes(given.memory)
    assert memory is not None
    shards = given.millions * 1_000_000 // PIECES_OF_A_SHARD
    since = time.perf_counter()
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder = Path(name)
        counted = []
        for number in range(shards):
            measured(lambda number=number: write_shard(folder / "text", number) or 0)
            counted.append(measured(count, folder, number, memory))
        (folder / "text").unlink()
        sent = sum(path.stat().st_size for path in folder.iterdir())
        merged = [measured(merge, folder, part, memory) for part in range(PARTS)]
    print("| what | measured |\n|---|---|")
    print(f"| different pieces, in {shards} shards | {sum(pieces for pieces, _, _ in merged):,} |")
    print(f"| between workers | {sent / 1e9:.1f} GB, {sent / sum(row[0] for row in counted):.1f} bytes for each |")
    for what, rows in (("counting a shard", counted), ("merging a part", merged)):
        seconds, most = sum(row[1] for row in rows) / len(rows), max(row[2] for row in rows)
        print(f"| {what}, of {len(rows)} | {seconds:.1f} s of CPU time, at most {most / 1e6:.0f} MB |")
    print(f"| all of it, one process at a time | {time.perf_counter() - since:.0f} s |")


if __name__ == "__main__":
    main()
