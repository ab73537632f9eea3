"""`python -m bench.worker`: one job as JSON on standard input, its result as JSON on standard output."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import time
import traceback
from typing import Any


def main() -> int:
    job = json.load(sys.stdin)
    # Some engines print to standard output, which belongs to the result.
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    if job.pop("pinned") and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    json.dump(perform(job), output)
    output.close()
    return 0


def perform(data: dict[str, Any]) -> dict[str, Any]:
    """The result of a job: `status` is ok, missing, unsupported or error, and `note` says why."""
    from . import engines, operations

    job = operations.Job(**data)
    try:
        engine = engines.make(job.engine, job.threads)
    except ImportError as error:
        return {"status": "missing", "note": str(error), "version": None}
    about = {"version": engine.version(), "through": engine.strings_through}
    try:
        load_ms = None
        if job.model and job.operation != "load":
            path = engine.supports(job.model)
            start = time.perf_counter()
            engine.load(path)
            load_ms = (time.perf_counter() - start) * 1e3
        measured = operations.ALL[job.operation](engine, job)
        measured.load_ms = load_ms if measured.load_ms is None else measured.load_ms
    except engines.Unsupported as reason:
        return {"status": "unsupported", "note": str(reason), **about}
    except Exception as error:
        traceback.print_exc()
        return {"status": "error", "note": f"{type(error).__name__}: {error}", **about}
    return {"status": "ok", "note": "", **about, **dataclasses.asdict(measured)}


if __name__ == "__main__":
    sys.exit(main())
