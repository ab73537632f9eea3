"""Spark: shards are partitions of an RDD, one for each."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import sys
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ..errors import SpecError
from .job import Outcome, Reduction, Shuffle, Told, Work, WorkerLost, attempted, reason
from .local import MERGED_AT_ONCE
from .shards import Shard
from .versions import library

#: The oldest version that has what is used here.
LEAST = (3, 5)
#: Seconds between two looks at what has ended, in which Ctrl-C is heard.
PATIENCE = 0.1
#: How often a task is begun anew in a Spark that is started here; that of a cluster has a setting of its own.
ATTEMPTS = 4
LOCAL_SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "FATAL",
}


class Spark:
    """Runs shards as tasks of Spark.

    Args:
        session: A `SparkSession`. Without one, the active session is used; if there is none, one is started on this
            machine, listening on the loopback interface alone, and ended with the call.
    """

    def __init__(self, session: Any = None) -> None:
        self.session = session

    def __repr__(self) -> str:
        return f"bytemill.engines.Spark({'' if self.session is None else 'session'})"

    def map(self, work: Work, shards: Sequence[Shard], told: Told) -> list[Any]:
        with self.started() as session:
            context = session.sparkContext
            run = _Run(context, work)
            given = context.parallelize(list(shards), len(shards))
            outcomes: list[Outcome] = run.watched(lambda: given.map(run.task()).collect(), told)
            results = {outcome.shard: outcome.result for outcome in outcomes}
            return [results[shard.number] for shard in shards]

    def shuffle(self, shuffle: Shuffle, shards: Sequence[Shard], told: Told) -> list[Any]:
        with self.started() as session:
            context = session.sparkContext
            run = _Run(context, shuffle.work)
            given = context.parallelize(list(shards), len(shards))
            parts = given.map(run.task()).flatMap(_numbered).partitionBy(shuffle.parts, int)
            merged = parts.mapPartitions(_Reducing(shuffle.reduction))
            # In files of Spark, from which they are fetched one by one: all at once may be more than a driver takes.
            merged.persist(library("pyspark", "spark", LEAST).StorageLevel.DISK_ONLY)
            try:
                run.watched(merged.count, told)
                found = dict(run.watched(lambda: list(merged.toLocalIterator()), told))
            finally:
                merged.unpersist()
            return [found[part] for part in range(shuffle.parts)]

    @contextlib.contextmanager
    def started(self) -> Iterator[Any]:
        """Calls within this context share one session."""
        library("pyspark", "spark", LEAST)
        sql = library_of_sessions()
        session = self.session if self.session is not None else sql.SparkSession.getActiveSession()
        if session is not None:
            yield _classic(session)
            return
        build = sql.SparkSession.builder.appName("bytemill").master(f"local[*,{ATTEMPTS}]")
        for name, value in LOCAL_SETTINGS.items():
            build = build.config(name, value)
        session = build.getOrCreate()
        if "PYSPARK_PYTHON" not in os.environ:
            # Workers of this machine have what this process has.
            session.sparkContext.pythonExec = sys.executable
        try:
            yield session
        finally:
            session.stop()


def library_of_sessions() -> Any:
    import importlib

    return importlib.import_module("pyspark.sql")


def _classic(session: Any) -> Any:
    """A session that can run functions on shards."""
    if "connect" in type(session).__module__:
        raise SpecError("this engine needs a classic SparkSession, not one of Spark Connect; start it without remote=")
    return session


class _Run:
    """Jobs of Spark for one piece of work, watched from here: outcomes come by an accumulator as tasks end."""

    def __init__(self, context: Any, work: Work) -> None:
        from pyspark.accumulators import AccumulatorParam

        class Outcomes(AccumulatorParam):  # type: ignore[type-arg, unused-ignore, misc]
            def zero(self, value: list[Outcome]) -> list[Outcome]:
                return []

            def addInPlace(self, some: list[Outcome], more: list[Outcome]) -> list[Outcome]:
                return some + more

        self._context = context
        self._work = context.broadcast(work)
        self._ended = context.accumulator([], Outcomes())
        self._seen = 0
        self._group = f"bytemill-{uuid.uuid4().hex}"

    def task(self) -> _Task:
        return _Task(self._work, self._ended)

    def watched(self, job: Callable[[], Any], told: Told) -> Any:
        """Runs a job of Spark in a thread; whatever ends it here ends it there."""
        found: list[Any] = []
        failed: list[Exception] = []

        def run() -> None:
            self._context.setJobGroup(self._group, "bytemill", interruptOnCancel=True)
            try:
                found.append(job())
            except Exception as error:
                failed.append(error)

        thread = library_thread()(target=run)
        thread.daemon = True
        thread.start()
        try:
            while thread.is_alive():
                thread.join(PATIENCE)
                self._tell(told)
            self._tell(told)
        except BaseException:
            self._context.cancelJobGroup(self._group)
            thread.join()
            raise
        if failed:
            raise WorkerLost(f"Spark has given up a task: {reason(failed[0])}") from failed[0]
        return found[0]

    def _tell(self, told: Told) -> None:
        ended = self._ended.value
        for outcome in ended[self._seen :]:
            told(outcome)
        self._seen = len(ended)


def library_thread() -> type[threading.Thread]:
    """A thread whose jobs are in its own group."""
    from pyspark import InheritableThread

    found: type[threading.Thread] = InheritableThread
    return found


class _Task:
    """The work on a shard, on a worker."""

    def __init__(self, work: Any, ended: Any) -> None:
        self._work = work
        self._ended = ended

    def __call__(self, shard: Shard) -> Outcome:
        outcome = attempted(self._work.value, shard)
        self._ended.add([dataclasses.replace(outcome, result=None)])
        return outcome


def _numbered(outcome: Outcome) -> Iterable[tuple[int, bytes]]:
    return list(enumerate(outcome.result or ()))


class _Reducing:
    """The results for one part, as they come, merged and finished."""

    def __init__(self, reduction: Reduction) -> None:
        self._reduction = reduction

    def __call__(self, numbered: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, Any]]:
        # All that comes here is of one part, and something comes from every shard.
        numbers, waiting = set(), []
        for number, part in numbered:
            numbers.add(number)
            waiting.append(part)
            if len(waiting) == MERGED_AT_ONCE:
                waiting = [self._reduction.merge(waiting)]
        for number in numbers:
            yield number, self._reduction.finished(number, waiting)
