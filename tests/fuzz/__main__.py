"""Attacks the package for some time and says what came of it: `python -m tests.fuzz --seconds 120 --seed 7`.

Every round is known by the name of its attack and a number: `--only NAME --seed NUMBER --rounds 1` runs it again. What
is found is made smaller and written to `tests/fuzz/found`, where the tests take it from. `--record FILE` appends what
was done, for `tests.fuzz.campaign`: runs with other rounds, on any number of machines, add up. Ctrl-C ends a run early,
and what it did until then counts.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from . import ATTACKS, FOUND
from .campaign import Record
from .tally import KINDS
from .worker import Worker


@dataclass
class Progress:
    """What came of an attack so far."""

    outcomes: Counter[str] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


def main() -> int:
    options = parse()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    attacks = {name: Progress() for name in ([options.only] if options.only else ATTACKS)}
    worker = Worker(options.keep)
    try:
        attack(attacks, worker, options)
    except KeyboardInterrupt:
        print("stopped early")
    finally:
        worker.stop()
    for name, progress in attacks.items():
        tell(name, progress, options.seed)
        if options.record:
            record(name, progress, options.seed).append(options.record)
    return 1 if any("FOUND" in progress.outcomes for progress in attacks.values()) else 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="for how long to go on")
    parser.add_argument("--rounds", type=int, help="how many rounds of each attack at most")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first round")
    parser.add_argument("--only", choices=sorted(ATTACKS), help="the one attack to run")
    parser.add_argument("--keep", type=Path, default=FOUND, help="where to write what is found")
    parser.add_argument("--record", type=Path, help="the file to which a line about this run is appended")
    return parser.parse_args()


def attack(attacks: dict[str, Progress], worker: Worker, options: argparse.Namespace) -> None:
    """Runs rounds; every attack gets the same share of the processor's time."""
    end = monotonic() + options.seconds
    waiting = dict(attacks)
    while waiting and monotonic() < end:
        name = min(waiting, key=lambda name: waiting[name].seconds)
        progress = waiting[name]
        report = worker.run(name, options.seed + progress.outcomes.total())
        progress.outcomes[report.outcome] += 1
        progress.done += report.done
        progress.seconds += report.seconds
        if progress.outcomes.total() == options.rounds:
            del waiting[name]


def tell(name: str, progress: Progress, seed: int) -> None:
    amounts = "".join(f", {progress.done[kind]} {kind}" for kind in KINDS if progress.done[kind])
    print(f"{name}: {progress.outcomes.total()} rounds from {seed}{amounts}, {progress.seconds:.0f} s")
    for outcome, count in progress.outcomes.most_common(12):
        print(f"  {count:>8}  {outcome}")


def record(name: str, progress: Progress, seed: int) -> Record:
    return Record(
        attack=name,
        seed=seed,
        rounds=progress.outcomes.total(),
        **{kind: progress.done[kind] for kind in KINDS},
        seconds=round(progress.seconds),
        found=progress.outcomes["FOUND"],
        version=Record.this_version(),
    )


if __name__ == "__main__":
    sys.exit(main())
