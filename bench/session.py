"""`python -m bench.session`: edits of a long text in a session, beside encoding all of it anew.

Each kind of edit is made many times at different places, and the median of the CPU seconds of all threads counts. After
each kind the ids of the session are compared with those of the whole text. With all models, the table is written into
docs/sessions.md; in any case it is printed.

    python -m bench.session [--megabytes 4] [--edits 200] [--model gpt2]
"""

from __future__ import annotations

import argparse
import gzip
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from datetime import date
from typing import Any

import bytemill

from .corpora import ROOT, SHARED
from .figures import write_block

MODELS = {
    "gpt2": "openai-gpt2/tokenizer.json",
    "o200k": "openai-o200k/tokenizer.json.gz",
    "mistral": "mistral-spm/tokenizer.model.v1",
    "t5": "t5-base/tokenizer.json",
    "bert": "bert-base-uncased/tokenizer.json",
}
#: Characters of an edit.
EDIT = 256
WHOLE = "encode the whole"
MARKS = ("<!-- edits: written by `python -m bench.session` -->\n", "<!-- end of edits -->\n")


def english() -> str:
    return gzip.decompress((SHARED / "corpora/norvig_big.txt.gz").read_bytes()).decode()


def median(works: Iterable[Callable[[], Any]]) -> float:
    """The seconds of the processor that one of some works takes."""
    busy = []
    for work in works:
        started = time.process_time()
        work()
        busy.append(time.process_time() - started)
    return statistics.median(busy)


def edits(session: bytemill.Session, new: list[str], draw: random.Random) -> dict[str, list[Callable[[], Any]]]:
    """The works of each kind of edit, by its name."""

    def replaced(text: str) -> None:
        start = draw.randrange(session.length - EDIT)
        session.replace((start, start + EDIT), text)

    return {
        f"append {EDIT}": [lambda text=text: session.append(text) for text in new],
        "append 1": [lambda text=text: session.append(text[0]) for text in new],
        f"replace {EDIT}": [lambda text=text: replaced(text) for text in new],
        f"prepend {EDIT}": [lambda text=text: session.prepend(text) for text in new],
        "truncate by 1": [lambda: session.truncate(session.length - 1) for _ in new],
        "cut to half": [lambda: session.cut_index(len(session.ids) // 2) for _ in new],
        "fork": [session.fork for _ in new],
    }


def measured(name: str, megabytes: float, count: int) -> dict[str, float]:
    """The seconds of encoding the whole text and of each operation."""
    path = SHARED / "models" / MODELS[name]
    tok = bytemill.loads(gzip.decompress(path.read_bytes())) if path.suffix == ".gz" else bytemill.load(path)
    source, size = english(), round(megabytes * 1e6)
    text, draw = (source * (size // len(source) + 1))[:size], random.Random(1)
    new = [source[at : at + EDIT] for at in (draw.randrange(len(source) - EDIT) for _ in range(count))]
    tok.encode_array(text, threads=1)
    found = {WHOLE: median([lambda: tok.encode_array(text, threads=1) for _ in range(5)])}
    found["begin"] = median([lambda: tok.session(text) for _ in range(3)])
    session = tok.session(text)
    for what, works in edits(session, new, draw).items():
        found[what] = median(works)
        if session.ids != tok.encode(session.text):
            raise SystemExit(f"{name}: the ids of the session are not those of the text, after: {what}")
    return found


def row(name: str, found: dict[str, float]) -> list[str]:
    share = f"1/{found[WHOLE] / found[f'append {EDIT}']:,.0f}"
    return [name, *(f"{found[what] * 1e3:.3g}" for what in (WHOLE, "begin", f"append {EDIT}")), share] + [
        f"{found[what] * 1e3:.2g}" for what in [*found][3:]
    ]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.session", description=__doc__)
    parser.add_argument("--megabytes", type=float, default=4, help="size of the text")
    parser.add_argument("--edits", type=int, default=200, help="how many of each kind")
    parser.add_argument("--model", action="append", choices=sorted(MODELS), help="the models; all by default")
    options = parser.parse_args(arguments)
    lines: list[str] = []
    for name in options.model or MODELS:
        found = measured(name, options.megabytes, options.edits)
        if not lines:
            head = ["model", *[*found][:3], "share of the whole", *[*found][3:]]
            lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
            print(*lines, sep="\n")
        lines.append(f"| {' | '.join(row(name, found))} |")
        print(lines[-1], flush=True)
    if options.model is None:
        about = (
            f"\nMilliseconds of the processor, the median of {options.edits} edits of an English text of "
            f"{options.megabytes:g} MB; {date.today()},\n{platform.system()} {platform.machine()}. "
            "The whole text is encoded on one thread. The ids were compared after each kind of edit.\n\n"
        )
        write_block(ROOT / "docs" / "sessions.md", MARKS, about + "\n".join(lines) + "\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
