"""One round of an attack: its case is made and checked, and what it finds is made smaller and kept."""

from __future__ import annotations

import json
import random
import traceback
from pathlib import Path
from types import ModuleType

from . import ATTACKS
from .shrink import shrink

Case = dict[str, object]
#: Where a difference was noticed.
Kind = tuple[str, ...]


def case_of(name: str, number: int) -> Case:
    """The same case on every machine."""
    return ATTACKS[name].make(random.Random(f"{name} {number}"))


def run(name: str, number: int, seen: set[Kind], keep: Path) -> str:
    """What became of the round. If several cases are found in the same place, the first is kept."""
    attack, case = ATTACKS[name], case_of(name, number)
    found = attempt(attack, case)
    if isinstance(found, str):
        return found
    kind = kind_of(found)
    if kind not in seen:
        seen.add(kind)
        smaller = shrink(case, lambda case: kind_of(attempt(attack, case)) == kind)
        path = write(name, number, smaller, keep)
        print(f"FOUND {name} {number}: {attempt(attack, smaller)}; see {path}", flush=True)
    return "FOUND"


def write(name: str, number: int, case: Case, keep: Path) -> Path:
    keep.mkdir(exist_ok=True)
    path = keep / f"{name}-{number}.json"
    path.write_text(json.dumps({"attack": name, **case}, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return path


def attempt(attack: ModuleType, case: Case) -> str | BaseException:
    """What became of a case, or what it raises, panics of other libraries in places that expect none included."""
    try:
        return attack.check(case)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return error


def kind_of(error: str | BaseException) -> Kind:
    if isinstance(error, str):
        return ()
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame.name for frame in frames if "tests" in frame.filename]
    return type(error).__name__, str(error).split(" ")[0] + " ".join(inside[-3:])
