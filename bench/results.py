"""From the workers' answers to the lines of a record: what is exact, what is fastest, and by how much."""

from __future__ import annotations

import csv
import dataclasses
import datetime
import os
import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .corpora import ROOT
from .rows import Row

OURS = "bytemill"
#: What the engines are called that are bytemill by the names of another library.
STAND_IN = "compat_"
#: What does less than the job: nobody's rival.
NO_RIVALS = ("reading",)


@dataclass
class Line:
    """A line of a record: one engine in one row. None where there is nothing to say."""

    date: str = ""
    commit: str = ""
    cpu: str = ""
    cores: int = 0
    python: str = ""
    row: str = ""
    group: str = ""
    engine: str = ""
    version: str = ""
    operation: str = ""
    threads: str = ""
    #: ok, missing, unsupported or error
    status: str = ""
    #: Whether what came out equals what the oracle gives: yes, no, or None where nothing was compared.
    exact: str | None = None
    bytes: int | None = None
    tokens: int | None = None
    cold_s: float | None = None
    warm_s: float | None = None
    cold_mb_s: float | None = None
    warm_mb_s: float | None = None
    #: How many times as fast as the fastest exact peer, and as the oracle.
    peer_ratio_cold: float | None = None
    peer_ratio_warm: float | None = None
    oracle_ratio_cold: float | None = None
    oracle_ratio_warm: float | None = None
    #: How many times as fast as the same engine on one core, cold.
    scaling: float | None = None
    #: The slowest cold pass of all repeats by the fastest: how noisy the machine was.
    spread: float | None = None
    #: The least CPU time of a cold pass, where that is measured.
    cold_cpu_s: float | None = None
    peak_rss_mb: float | None = None
    load_ms: float | None = None
    load_cpu_ms: float | None = None
    first_ids_ms: float | None = None
    growth_mb: float | None = None
    #: Why not, or which call gave the ids.
    note: str = ""


FIELDS = {field.name: field.type for field in dataclasses.fields(Line)}


def summarize(
    row: Row, threads: int | str, answers: dict[str, list[dict[str, Any]]], expected: str | None
) -> list[Line]:
    """The lines of a row from each engine's answers, one a repeat."""
    lines = [_line(row, threads, engine, given, expected) for engine, given in answers.items()]
    _compare(lines, row.oracle)
    return lines


def _line(row: Row, threads: int | str, engine: str, given: list[dict[str, Any]], expected: str | None) -> Line:
    line = Line(row=row.name, group=row.group, engine=engine, operation=row.operation, threads=str(threads))
    failed = next((answer for answer in given if answer["status"] != "ok"), None)
    line.status = failed["status"] if failed else "ok"
    line.version = given[0]["version"] or ""
    if failed:
        line.note = failed["note"]
        return line
    line.note = given[0]["through"] if row.operation == "encode_strings" else ""
    if expected is not None:
        line.exact = "yes" if all(answer["digest"] == expected for answer in given) else "no"
    line.bytes, line.tokens = given[0]["bytes"] or None, given[0]["tokens"] or None
    line.peak_rss_mb = max(answer["peak_mb"] for answer in given)
    for column in ("load_ms", "load_cpu_ms", "first_ids_ms", "growth_mb"):
        setattr(line, column, _least(answer[column] for answer in given))
    line.cold_cpu_s = _least(answer["cpu_s"] for answer in given)
    cold = [answer["seconds"][0] for answer in given if answer["seconds"]]
    line.cold_s = _least(cold)
    line.warm_s = _least(second for answer in given for second in answer["seconds"][1:])
    line.spread = max(cold) / min(cold) if len(cold) > 1 else None
    if line.bytes:
        line.cold_mb_s = line.bytes / line.cold_s / 1e6 if line.cold_s else None
        line.warm_mb_s = line.bytes / line.warm_s / 1e6 if line.warm_s else None
    return line


def _least(numbers: Any) -> float | None:
    return min((number for number in numbers if number is not None), default=None)


def _compare(lines: list[Line], oracle: str | None) -> None:
    """Fills in the ratios. An engine whose ids differ has none, and is nobody's rival."""
    exact = [line for line in lines if line.status == "ok" and line.exact == "yes"]
    for state in ("cold", "warm"):
        seconds = {line.engine: getattr(line, f"{state}_s") for line in exact}
        best_peer = _least(
            time
            for engine, time in seconds.items()
            if engine not in (OURS, *NO_RIVALS) and not engine.startswith(STAND_IN)
        )
        for line in exact:
            own = seconds[line.engine]
            for name, other in (("peer", best_peer), ("oracle", seconds.get(oracle or ""))):
                if own and other:
                    setattr(line, f"{name}_ratio_{state}", other / own)


def scale(lines: list[Line]) -> None:
    """Fills in, for the lines of a row on all cores, how they stand to those on one."""
    one = {line.engine: line.cold_s for line in lines if line.threads == "1"}
    for line in lines:
        alone = one.get(line.engine)
        if line.threads != "1" and line.cold_s and alone and line.exact != "no":
            line.scaling = alone / line.cold_s


def about_this_run() -> dict[str, Any]:
    """The columns that say when, where and on what a run was made."""
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "commit": _commit(),
        "cpu": _cpu(),
        "cores": os.cpu_count() or 0,
        "python": platform.python_version(),
    }


def _commit() -> str:
    def git(*arguments: str) -> str | None:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else None

    head = git("rev-parse", "--short=12", "HEAD")
    return f"{head or 'none'}{'-changed' if git('status', '--porcelain') else ''}"


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def write_record(path: Path, lines: list[Line]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        for line in lines:
            cells = dataclasses.asdict(line).items()
            writer.writerow({name: f"{cell:.6g}" if isinstance(cell, float) else cell for name, cell in cells})


def read_record(path: Path) -> list[Line]:
    with path.open(newline="", encoding="utf-8") as file:
        return [Line(**{name: _cell(name, text) for name, text in row.items()}) for row in csv.DictReader(file)]


def _cell(name: str, text: str) -> Any:
    kind = FIELDS[name]
    if kind == "str":
        return text
    if text == "":
        return None
    if kind.startswith("int"):
        return int(text)
    return float(text) if kind.startswith("float") else text
