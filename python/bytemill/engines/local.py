"""The engine without an engine: one shard after the other, in this process. What the others do is compared with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .job import Shuffle, Told, Work, attempted
from .shards import Shard

#: Results of a part that are merged at a time, so that never all of them are in memory.
MERGED_AT_ONCE = 64


class Local:
    """Works on shards one by one in this process, each with all threads that the call allows."""

    def __repr__(self) -> str:
        return "bytemill.engines.Local()"

    def map(self, work: Work, shards: Sequence[Shard], told: Told) -> list[Any]:
        results = []
        for shard in shards:
            outcome = attempted(work, shard)
            told(outcome)
            results.append(outcome.result)
        return results

    def shuffle(self, shuffle: Shuffle, shards: Sequence[Shard], told: Told) -> list[Any]:
        waiting: list[list[bytes]] = [[] for _ in range(shuffle.parts)]
        for shard in shards:
            outcome = attempted(shuffle.work, shard)
            told(outcome)
            for part, found in zip(waiting, outcome.result, strict=True):
                part.append(found)
                if len(part) == MERGED_AT_ONCE:
                    part[:] = [shuffle.reduction.merge(part)]
        return [shuffle.reduction.finished(number, part) for number, part in enumerate(waiting)]
