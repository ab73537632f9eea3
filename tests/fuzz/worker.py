"""A process that runs rounds. If a round ends the process, or does not end itself, its number is still known."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import sys
from collections import Counter
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from time import process_time

from . import rounds, tally

#: How long a round may take: an ordinary one takes some hundredth of that, and making a case smaller half a minute.
MOST_SECONDS = 240.0


@dataclass(frozen=True)
class Report:
    """What became of a round."""

    outcome: str
    done: Counter[str]
    #: The time of the processor.
    seconds: float


class Worker:
    """Runs rounds in another process, and starts it again after a crash."""

    def __init__(self, keep: Path) -> None:
        self.keep = keep
        self.start()

    def start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.requests, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, self.keep), daemon=True)
        self.process.start()
        theirs.close()

    def run(self, name: str, number: int) -> Report:
        report = self.ask("run", name, number)
        if isinstance(report, Report):
            return report
        print(f"FOUND {name} {number}: {report}", flush=True)
        self.start()
        # Making the case may be what failed.
        if isinstance(self.ask("write", name, number), str):
            self.start()
        return Report("FOUND", Counter(), 0.0)

    def ask(self, request: str, name: str, number: int) -> Report | str:
        """What the process says, or how it ended."""
        try:
            self.requests.send((request, name, number))
            if self.requests.poll(MOST_SECONDS):
                return self.requests.recv()
            self.process.kill()
            self.process.join()
            return f"not done after {MOST_SECONDS:.0f} seconds"
        except (EOFError, OSError):
            self.process.join()
            code = self.process.exitcode or 0
            return f"the process ended with {signal.Signals(-code).name if code < 0 else f'exit code {code}'}"

    def stop(self) -> None:
        self.process.terminate()
        self.process.join()


def serve(requests: Connection, keep: Path) -> None:
    """Answers requests until their sender is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the sender stops this process
    hide_panics()
    seen: set[rounds.Kind] = set()
    while True:
        try:
            request, name, number = requests.recv()
        except EOFError:
            return
        tally.done.clear()
        start = process_time()
        if request == "write":
            rounds.write(name, number, rounds.case_of(name, number), keep)
            outcome = "written"
        else:
            outcome = rounds.run(name, number, seen, keep)
        requests.send(Report(outcome, tally.done.copy(), process_time() - start))


def hide_panics() -> None:
    """Other libraries write theirs to the standard error, which here is that of Python alone."""
    os.environ["RUST_BACKTRACE"] = "0"
    # The batches are small, and a thread for each core would only wait.
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    sys.stderr = os.fdopen(os.dup(2), "w")
    faulthandler.enable(sys.stderr)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
