"""The tables of the report: ratios first, columns without a number left out."""

from __future__ import annotations

from collections.abc import Callable

from .results import Line

COLUMNS: dict[str, Callable[[Line], float | None]] = {
    "× {oracle}, cold": lambda line: line.oracle_ratio_cold,
    "× {oracle}, warm": lambda line: line.oracle_ratio_warm,
    "× best peer, cold": lambda line: line.peer_ratio_cold,
    "× best peer, warm": lambda line: line.peer_ratio_warm,
    "cold MB/s": lambda line: line.cold_mb_s,
    "warm MB/s": lambda line: line.warm_mb_s,
    "× one core, cold": lambda line: line.scaling,
    "cold s": lambda line: line.cold_s if line.operation in ("train", "write_file") else None,
    "cold CPU s": lambda line: line.cold_cpu_s,
    "cold load ms": lambda line: line.load_ms,
    "cold load CPU ms": lambda line: line.load_cpu_ms,
    "load and first ids ms": lambda line: line.first_ids_ms,
    "warm load ms": lambda line: line.warm_s * 1e3 if line.operation == "load" and line.warm_s else None,
    "growth MB": lambda line: line.growth_mb,
    "peak memory MB": lambda line: line.peak_rss_mb,
    "spread": lambda line: line.spread,
}
EXACT = {"yes": "equal", "no": "inexact", None: "not compared"}
STATUS = {"unsupported": "–", "missing": "not installed", "error": "failed"}


def heading(threads: str) -> str:
    return "On one core" if threads == "1" else "On all cores"


def table(lines: list[Line], oracle: str | None) -> str:
    columns = {name: of for name, of in COLUMNS.items() if any(of(line) is not None for line in lines)}
    head = ["engine", *(name.format(oracle=oracle) for name in columns), "result"]
    rows = [head, ["---"] + ["---:"] * len(columns) + ["---"]]
    for line in sorted(lines, key=_by_speed):
        rows.append([line.engine, *(number(of(line)) for of in columns.values()), _result(line)])
    failed = (line for line in lines if line.status != "ok")
    reasons = [f"- {line.engine} {_result(line)}: {_plain(line.note)}" for line in failed]
    parts = ["\n".join(f"| {' | '.join(row)} |" for row in rows), "\n".join(reasons)]
    return "\n\n".join(part for part in parts if part) + "\n"


def legend(lines: list[Line]) -> str:
    """Which call of each engine gave the ids of `encode_strings`."""
    encoders = (line for line in lines if line.operation == "encode_strings" and line.status == "ok")
    calls = [f"- {name}: {call}\n" for name, call in {line.engine: line.note for line in encoders}.items()]
    return f"## Calls\n\nIds from strings come through:\n\n{''.join(calls)}" if calls else ""


def _result(line: Line) -> str:
    return EXACT[line.exact] if line.status == "ok" else STATUS[line.status]


def _by_speed(line: Line) -> tuple[bool, bool, float]:
    return line.status != "ok", line.exact == "no", line.cold_s or 0.0


def number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _plain(note: str) -> str:
    """A reason as one short line that Markdown does not read as anything else."""
    first = note.split("\n", 1)[0]
    return first if len(first) <= 160 else f"{first[:159]}…"
