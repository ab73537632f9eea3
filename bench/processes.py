"""Starting workers: each job in a fresh process, held to one core or not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from .corpora import CACHE, ROOT, SHARED

#: What the engines' thread pools listen to.
ONE_THREAD = {
    "RAYON_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "OMP_NUM_THREADS": "1",
}
TIMEOUT_SECONDS = 3600


def run_job(job: dict[str, Any], pinned: bool = True) -> dict[str, Any]:
    """The worker's result; a worker that dies or hangs is an error with its last words.

    A worker with one thread is `pinned` to one core, the same for all: not where several run side by side.
    """
    environment = {name: value for name, value in os.environ.items() if name not in ONE_THREAD}
    if job["threads"] == 1:
        environment |= ONE_THREAD
    try:
        done = subprocess.run(
            [sys.executable, "-m", "bench.worker"],
            input=json.dumps({**job, "pinned": pinned and job["threads"] == 1}),
            capture_output=True,
            text=True,
            cwd=ROOT,
            env=environment,
            timeout=TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return {"status": "error", "note": f"no answer in {TIMEOUT_SECONDS} s", "version": None}
    try:
        result: dict[str, Any] = json.loads(done.stdout)
    except json.JSONDecodeError:
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        result = {"status": "error", "note": f"exit status {done.returncode}: {last}", "version": None}
    for folder in (SHARED, CACHE, ROOT):  # a record says nothing of the machine's folders
        result["note"] = result["note"].replace(f"{folder}/", "")
    return result
