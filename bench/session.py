"""`python -m bench.session`: edits of a long text in a session, beside encoding all of it anew.

Each kind of edit is made many times at different places, and the median counts: seconds on the clock, and CPU seconds
of all threads. After each kind the ids of the session are compared with those of the whole text. The table is Markdown.

    python -m bench.session [--megabytes 4] [--edits 200] [--model gpt2]
"""

from __future__ import annotations

import argparse
import gzip
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import bytemill

from .corpora import SHARED

MODELS = {
    "gpt2": "openai-gpt2/tokenizer.json",
    "o200k": "openai-o200k/tokenizer.json.gz",
    "mistral": "mistral-spm/tokenizer.model.v1",
    "t5": "t5-base/tokenizer.json",
    "bert": "bert-base-uncased/tokenizer.json",
}
#: Characters of an edit.
EDIT = 256


def english() -> str:
    return gzip.decompress((SHARED / "corpora/norvig_big.txt.gz").read_bytes()).decode()


def medians(works: Iterable[Callable[[], Any]]) -> tuple[float, float]:
    """The seconds on the clock and of the processor that one of some works takes."""
    clock, busy = [], []
    for work in works:
        started, worked = time.perf_counter(), time.process_time()
        work()
        clock.append(time.perf_counter() - started)
        busy.append(time.process_time() - worked)
    return statistics.median(clock), statistics.median(busy)


def edits(session: bytemill.Session, new: list[str], draw: random.Random) -> dict[str, list[Callable[[], Any]]]:
    """The works of each kind of edit, by its name."""

    def replaced(text: str) -> None:
        start = draw.randrange(session.length - EDIT)
        session.replace((start, start + EDIT), text)

    return {
        f"append {EDIT} characters": [lambda text=text: session.append(text) for text in new],
        "append a character": [lambda text=text: session.append(text[0]) for text in new],
        f"replace {EDIT} characters": [lambda text=text: replaced(text) for text in new],
        f"prepend {EDIT} characters": [lambda text=text: session.prepend(text) for text in new],
        "truncate by a character": [lambda: session.truncate(session.length - 1) for _ in new],
        "cut to half of the ids": [lambda: session.cut_index(len(session.ids) // 2) for _ in new],
        "fork": [session.fork for _ in new],
    }


def measured(name: str, megabytes: float, count: int) -> list[tuple[str, float, float, float]]:
    """Rows of an operation, its seconds, its CPU seconds, and how often it fits into encoding the whole text."""
    path = SHARED / "models" / MODELS[name]
    tok = bytemill.loads(gzip.decompress(path.read_bytes())) if path.suffix == ".gz" else bytemill.load(path)
    source, size = english(), round(megabytes * 1e6)
    text, draw = (source * (size // len(source) + 1))[:size], random.Random(1)
    new = [source[at : at + EDIT] for at in (draw.randrange(len(source) - EDIT) for _ in range(count))]
    tok.encode_array(text, threads=1)
    whole = medians([lambda: tok.encode_array(text, threads=1) for _ in range(5)])
    session = tok.session(text)
    rows = [("encode the whole text, one thread", *whole, 1.0)]
    rows.append(("begin a session", *medians([lambda: tok.session(text) for _ in range(3)]), 0.0))
    for what, works in edits(session, new, draw).items():
        clock, busy = medians(works)
        rows.append((what, clock, busy, whole[0] / clock))
        if session.ids != tok.encode(session.text):
            raise SystemExit(f"{name}: the ids of the session are not those of the text, after: {what}")
    return rows


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.session", description=__doc__)
    parser.add_argument("--megabytes", type=float, default=4, help="size of the text")
    parser.add_argument("--edits", type=int, default=200, help="how many of each kind")
    parser.add_argument("--model", action="append", choices=sorted(MODELS), help="the models; all by default")
    options = parser.parse_args(arguments)
    print("| model | | milliseconds | CPU ms | of the whole |\n|---|---|---|---|---|")
    for name in options.model or MODELS:
        for what, clock, busy, times in measured(name, options.megabytes, options.edits):
            share = f"1/{times:,.0f}" if times > 1 else ""
            print(f"| {name} | {what} | {clock * 1e3:.3f} | {busy * 1e3:.3f} | {share} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
