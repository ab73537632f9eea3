"""`python -m bench.run`: measures rows of `benchmarks.toml`, or with `--check` only compares ids."""

from __future__ import annotations

import argparse
import dataclasses
import os
import sys
import tempfile
import time
from pathlib import Path

from .corpora import ROOT, SHARED
from .results import OURS, Line, about_this_run, scale, write_record
from .rounds import Options, measure
from .rows import Row, read_benchmarks

LOCAL = ROOT / "bench" / "record" / "local"


def main(arguments: list[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.check and options.out:
        parser.error("--check makes no record; leave --out away")
    if not SHARED.is_dir():
        print(f"no shared data at {SHARED}; set BYTEMILL_SHARED to the folder", file=sys.stderr)
        return 2
    benchmarks = read_benchmarks(folded=options.check and options.row is None)
    rows = [row for row in benchmarks.rows if _wanted(row, options)]
    if not rows:
        print(f"no such row; there are: {', '.join(row.name for row in benchmarks.rows)}", file=sys.stderr)
        return 2
    about, lines, failures = about_this_run(), [], []
    with tempfile.TemporaryDirectory(prefix="bytemill-bench-") as folder:
        settings = Options(Path(folder), options.check, options.repeats, options.size)
        for row in rows:
            of_row: list[Line] = []
            for threads in row.threads[:1] if options.check else row.threads:
                for line in measure(row, threads, benchmarks.models, options.engines, settings):
                    print(_shown(line, options.check), flush=True)
                    of_row.append(dataclasses.replace(line, **about))
                    failures += _failures(line, row, options.check)
            scale(of_row)
            lines += of_row
    if not options.check:
        path = options.out or LOCAL / f"{about['date'].replace(':', '')}.csv"
        write_record(path, lines)
        print(f"written to {path}")
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    return 1 if failures else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.run", description=__doc__)
    parser.add_argument("--group", type=lambda names: names.split(","), help="a,b: rows of these groups alone")
    parser.add_argument("--row", help="this row alone")
    parser.add_argument(
        "--engines", type=lambda names: names.split(","), help="a,b: these engines (and the row's oracle)"
    )
    parser.add_argument("--repeats", type=int, help="fresh processes for each engine; the row's own by default")
    parser.add_argument(
        "--check", action="store_true", help="tiny inputs, ids compared, no speed claimed; fails on a mistake"
    )
    parser.add_argument("--size", type=int, metavar="MB", help="size of the large files")
    parser.add_argument("--out", type=Path, help="the record to write; by default one in bench/record/local")
    return parser


def _wanted(row: Row, options: argparse.Namespace) -> bool:
    return (options.group is None or row.group in options.group) and options.row in (None, row.name)


def _failures(line: Line, row: Row, check: bool) -> list[str]:
    """What makes a run fail: never a time."""
    where = f"{line.row}, {line.engine}"
    if line.status == "missing" and os.environ.get("CI"):
        return [f"{where}: not installed ({line.note})"]
    if not check:
        return []
    if line.status == "error" or (line.status in ("missing", "unsupported") and line.engine in row.required):
        return [f"{where}: {line.status}: {line.note}"]
    if line.engine == OURS and line.status == "ok" and row.oracle and line.exact != "yes":
        reason = "differs from" if line.exact == "no" else "not compared, no answer from"
        return [f"{where}: {reason} {row.oracle}"]
    return []


def _shown(line: Line, check: bool) -> str:
    name = f"{line.row:32} {line.threads:>3}  {line.engine:14}"
    if line.status != "ok":
        return f"{name} {'–' if line.status == 'unsupported' else line.status.upper()}  ({line.note})"
    exact = {"yes": "exact", "no": "INEXACT", None: "not compared"}[line.exact]
    if check:
        return f"{name} {exact}, {line.tokens or 0} tokens"
    numbers = {
        "cold MB/s": line.cold_mb_s,
        "warm MB/s": line.warm_mb_s,
        "× best peer, cold": line.peer_ratio_cold,
        "× oracle, cold": line.oracle_ratio_cold,
        "load ms": line.load_ms,
        "load CPU ms": line.load_cpu_ms,
        "first ids ms": line.first_ids_ms,
        "peak MB": line.peak_rss_mb,
        "growth MB": line.growth_mb,
    }
    cells = (f"{label} {number:.4g}" for label, number in numbers.items() if number is not None)
    return f"{name} {exact}  {' | '.join(cells)}"


if __name__ == "__main__":
    began = time.monotonic()
    status = main()
    print(f"{time.monotonic() - began:.0f} s in all")
    sys.exit(status)
