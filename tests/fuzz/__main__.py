"""Attacks the package for some time and says what came of it: `python -m tests.fuzz --seconds 120 --seed 7`.

Every round is known by the name of its attack and a number: `--only NAME --seed NUMBER --rounds 1` runs it again. What
is found is made smaller and written to `tests/fuzz/found`, where the tests take it from. `--record FILE` appends what
was done, for `tests.fuzz.campaign`: runs with other rounds, on any number of machines, add up.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import random
import sys
import traceback
from collections import Counter
from pathlib import Path
from time import monotonic
from types import ModuleType

from . import ATTACKS, FOUND
from .campaign import Record
from .equalities import made
from .shrink import shrink


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="for how long to go on")
    parser.add_argument("--rounds", type=int, help="how many rounds of each attack at most")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first round")
    parser.add_argument("--only", choices=sorted(ATTACKS), help="the one attack to run")
    parser.add_argument("--keep", type=Path, default=FOUND, help="where to write what is found")
    parser.add_argument("--record", type=Path, help="the file to which a line about this run is appended")
    options = parser.parse_args()
    hide_panics()
    attacks = [options.only] if options.only else list(ATTACKS)
    end = monotonic() + options.seconds
    outcomes: dict[str, Counter[str]] = {name: Counter() for name in attacks}
    compared: Counter[str] = Counter()
    seen: set[tuple[str, ...]] = set()
    number = options.seed
    while monotonic() < end and (options.rounds is None or number < options.seed + options.rounds):
        for name in attacks:
            before = next(made)
            outcomes[name][run(name, number, seen, options.keep)] += 1
            compared[name] += next(made) - before - 1
        number += 1
    for name, counts in outcomes.items():
        print(f"{name}: {counts.total()} rounds from {options.seed}, {compared[name]} comparisons")
        if options.record:
            rounds, found = counts.total(), counts["FOUND"]
            Record(name, options.seed, rounds, compared[name], found, Record.this_version()).append(options.record)
        for outcome, count in counts.most_common(12):
            print(f"  {count:>8}  {outcome}")
    return 1 if any("FOUND" in counts for counts in outcomes.values()) else 0


def hide_panics() -> None:
    """Other libraries write theirs to the standard error, which here is that of Python alone."""
    os.environ["RUST_BACKTRACE"] = "0"
    sys.stderr = os.fdopen(os.dup(2), "w")
    faulthandler.enable(sys.stderr)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def run(name: str, number: int, seen: set[tuple[str, ...]], keep: Path) -> str:
    """One round. If several cases are found in the same place, the first is kept."""
    attack = ATTACKS[name]
    case = attack.make(random.Random(f"{name} {number}"))
    found = attempt(attack, case)
    if isinstance(found, str):
        return found
    kind = kind_of(found)
    if kind in seen:
        return "FOUND"
    seen.add(kind)
    smaller = case if name == "files" else shrink(case, lambda case: kind_of(attempt(attack, case)) == kind)
    keep.mkdir(exist_ok=True)
    path = keep / f"{name}-{number}.json"
    path.write_text(json.dumps({"attack": name, **smaller}, ensure_ascii=False, indent=1) + "\n")
    print(f"FOUND {name} {number}: {attempt(attack, smaller)}; see {path}", flush=True)
    return "FOUND"


def attempt(attack: ModuleType, case: dict[str, object]) -> str | BaseException:
    """What became of a case, or what it raises, panics of other libraries in places that expect none included."""
    try:
        return attack.check(case)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return error


def kind_of(error: str | BaseException) -> tuple[str, ...]:
    """Where it was noticed."""
    if isinstance(error, str):
        return ()
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame.name for frame in frames if "tests" in frame.filename]
    return type(error).__name__, str(error).split(" ")[0] + " ".join(inside[-3:])


if __name__ == "__main__":
    sys.exit(main())
