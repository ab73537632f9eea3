"""Work that takes its time, and a thread that kills the processes that do it."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import random
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bytemill.engines.job import Work
from bytemill.engines.shards import Shard


@dataclasses.dataclass(frozen=True)
class Slowly:
    """The work, with a rest in the middle; the process says in a file that it is there."""

    work: Work
    folder: Path
    rest: float

    def __call__(self, shard: Shard) -> Any:
        mark = self.folder / f"{os.getpid()}-{shard.number}"
        mark.touch()
        time.sleep(self.rest)
        result = self.work(shard)
        mark.unlink()
        return result


def is_running(process: int) -> bool:
    """Whether it is another process that is not dead yet."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX" and process != os.getpid()


def ancestor(process: int, command: str) -> int:
    """The nearest process above one whose command has this in it."""
    while command not in Path(f"/proc/{process}/cmdline").read_text():
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    return process


class Prey:
    """What is killed: the process that has a shard."""

    #: Seconds that the work on a shard rests.
    rest = 0.3

    def of(self, process: int) -> int:
        return process

    def replace(self) -> None:
        """Called after a kill."""


class Killer:
    """Kills while a process is in the middle of a shard, until it has met as many as wanted."""

    def __init__(self, folder: Path, wanted: int, seed: int, prey: Prey) -> None:
        self.killed: list[int] = []
        self._folder, self._wanted, self._random = folder, wanted, random.Random(seed)
        self._prey = prey
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        while len(self.killed) < self._wanted and not self._ended.wait(self._random.uniform(0.1, 0.6)):
            at_work = [int(mark.name.split("-")[0]) for mark in self._folder.iterdir()]
            alive = [process for process in at_work if is_running(process)]
            if alive:
                # What dies meanwhile is no proof of anything.
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                    victim = self._prey.of(self._random.choice(alive))
                    if victim not in self.killed:
                        os.kill(victim, signal.SIGKILL)
                        self.killed.append(victim)
                        self._prey.replace()

    def while_doing(self, job: Callable[[], Any]) -> Any:
        self._thread.start()
        try:
            return job()
        finally:
            self._ended.set()
            self._thread.join()
