"""The recorded runs: the newest lines of each row, and what may be compared in them."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from .corpora import ROOT
from .results import OURS, Line, read_record
from .rows import Row

FOLDER = ROOT / "bench" / "record"

Newest = dict[str, list[Line]]


def newest(*, local: bool = False) -> Newest:
    """The lines of each row from the last run that measured it."""
    files = [*FOLDER.glob("*.csv"), *(FOLDER.glob("local/*.csv") if local else ())]
    return newest_of(line for file in sorted(files) for line in read_record(file))


def newest_of(lines: Iterable[Line]) -> Newest:
    rows: Newest = {}
    for line in sorted(lines, key=lambda line: line.date):
        if rows.get(line.row) and rows[line.row][0].date != line.date:
            rows[line.row] = []
        rows.setdefault(line.row, []).append(line)
    return rows


def measured(row: Row, lines: Newest) -> list[Line]:
    """The engines that ran in a row, at the first of its thread counts."""
    threads = str(row.threads[0])
    return [line for line in lines.get(row.name, []) if line.threads == threads and line.status == "ok"]


def ours(row: Row, lines: Newest) -> Line | None:
    return next((line for line in measured(row, lines) if line.engine == OURS), None)


def against_reference(row: Row, lines: Newest) -> float | None:
    """How many times as fast as the library that defines the right answer."""
    line = ours(row, lines)
    return line.oracle_ratio_cold if line else None


def against_peers(row: Row, lines: Newest) -> float | None:
    """How many times as fast as the fastest other engine that gives the right answer."""
    line = ours(row, lines)
    return line.peer_ratio_cold if line else None


def spread_of(ratios: Iterable[float | None]) -> tuple[float, float, float] | None:
    """The lowest, the median and the highest of the ratios that exist."""
    known = sorted(ratio for ratio in ratios if ratio is not None)
    return (known[0], median(known), known[-1]) if known else None
