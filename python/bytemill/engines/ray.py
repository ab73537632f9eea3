"""Ray: shards are tasks of Ray Core."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Iterator, Sequence
from typing import Any

from .._arguments import checks
from .job import Merge, Outcome, Reduction, Shuffle, Told, Work, WorkerLost, attempted, reason
from .local import MERGED_AT_ONCE
from .shards import Shard
from .versions import library

#: The oldest version that has what is used here.
LEAST = (2, 10)
#: Tasks that Ray has at a time for each of its processors: enough to begin the next at once, few enough to hold.
WAITING = 2
#: Seconds between two looks at what has ended, in which Ctrl-C is heard.
PATIENCE = 0.5


class Ray:
    """Runs shards as tasks of Ray.

    Without an address, the Ray that this process is connected to is used, or one that RAY_ADDRESS names; if there is
    none, one is started on this machine and ended with the call.

    Args:
        address: The address of a cluster: `"ray://host:10001"`, `"host:6379"` or `"auto"`.
        cpus: Processors for each task; give the call `threads=` of the same number.
        retries: How often a task is begun anew whose worker or node has died.
    """

    def __init__(self, address: str | None = None, *, cpus: float = 1, retries: int = 3) -> None:
        self.address = address
        self.cpus = checks.number("cpus", cpus)
        self.retries = checks.whole_number("retries", retries, least=0)

    def __repr__(self) -> str:
        return f"bytemill.engines.Ray({self.address!r})"

    def map(self, work: Work, shards: Sequence[Shard], told: Told) -> list[Any]:
        with self.started() as ray:
            run = self._task(ray, attempted)
            given = ray.put(work)
            submitted = ((shard.number, [run.remote(given, shard)]) for shard in shards)
            results: dict[int, Any] = {}
            for outcome in self._ended(ray, submitted, told):
                results[outcome.shard] = outcome.result
            return [results[shard.number] for shard in shards]

    def shuffle(self, shuffle: Shuffle, shards: Sequence[Shard], told: Told) -> list[Any]:
        with self.started() as ray:
            run = self._task(ray, _in_parts).options(num_returns=shuffle.parts + 1)
            given = ray.put((shuffle.work, shuffle.parts))
            found: dict[int, list[Any]] = {}

            def submitted() -> Iterator[tuple[int, list[Any]]]:
                for shard in shards:
                    references = run.remote(given, shard)
                    # The results stay where they are: only the outcome comes here.
                    found[shard.number] = references[1:]
                    yield shard.number, references[:1]

            for _ in self._ended(ray, submitted(), told):
                pass
            rows = [found.pop(shard.number) for shard in shards]
            finished = [
                self._reducing(ray, shuffle.reduction, number, list(part))
                for number, part in enumerate(zip(*rows, strict=True))
            ]
            del rows
            return _got(ray, finished)

    def _reducing(self, ray: Any, reduction: Reduction, part: int, results: list[Any]) -> Any:
        """A reference to a finished part, merged by as many tasks as it takes."""
        merge, finish = self._task(ray, _merged), self._task(ray, _finished)
        while len(results) > MERGED_AT_ONCE:
            groups = range(0, len(results), MERGED_AT_ONCE)
            results = [merge.remote(reduction.merge, *results[start : start + MERGED_AT_ONCE]) for start in groups]
        return finish.remote(reduction, part, *results)

    def _task(self, ray: Any, function: Any) -> Any:
        return ray.remote(num_cpus=self.cpus, max_retries=self.retries)(function)

    def _ended(self, ray: Any, submitted: Iterator[tuple[int, list[Any]]], told: Told) -> Iterator[Outcome]:
        """The outcomes as tasks end; never more of these are under way than the cluster can soon begin.

        If the work ends here, those that are under way end by themselves: Ray 2.60 aborts the driver if a task is
        cancelled at the moment when it is sent to its worker.
        """
        under_way: dict[Any, int] = {}
        most = WAITING * max(4, int(ray.cluster_resources().get("CPU", 1)))
        while True:
            while len(under_way) < most and (following := next(submitted, None)) is not None:
                under_way[following[1][0]] = following[0]
            if not under_way:
                return
            ended, _ = ray.wait(list(under_way), num_returns=1, timeout=PATIENCE)
            for outcome in _got(ray, ended):
                told(outcome)
                yield outcome
            for reference in ended:
                del under_way[reference]

    @contextlib.contextmanager
    def started(self) -> Iterator[Any]:
        """Calls within this context share one connection, and the Ray that it may have to start."""
        ray = library("ray", "ray", LEAST)
        if ray.is_initialized():
            yield ray
            return
        quiet = {"log_to_driver": False, "logging_level": "warning"}
        if self.address is not None or os.environ.get("RAY_ADDRESS"):
            ray.init(self.address, **quiet)
        else:
            ray.init(include_dashboard=False, _node_ip_address="127.0.0.1", **quiet)
        try:
            yield ray
        finally:
            ray.shutdown()


def _got(ray: Any, references: Sequence[Any]) -> list[Any]:
    """The values of references. Work never raises, so what is raised is about workers."""
    try:
        values: list[Any] = ray.get(list(references))
    except ray.exceptions.RayError as error:
        raise WorkerLost(f"Ray has given up a task: {reason(error)}") from error
    return values


def _in_parts(given: tuple[Work, int], shard: Shard) -> tuple[Any, ...]:
    """The outcome without its result, and the result in parts."""
    work, parts = given
    outcome = attempted(work, shard)
    return dataclasses.replace(outcome, result=None), *(outcome.result or [b""] * parts)


def _merged(merge: Merge, *results: bytes) -> bytes:
    return merge(results)


def _finished(reduction: Reduction, part: int, *results: bytes) -> Any:
    return reduction.finished(part, results)
