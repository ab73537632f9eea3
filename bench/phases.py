"""`python -m bench.phases`: times training by phase, and writes the table into docs/training.md."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import Any

from .corpora import ROOT, NoCorpus, plain_file
from .figures import write_block
from .rows import read_benchmarks

PAGE = ROOT / "docs" / "training.md"
MARKS = ("<!-- phases: written by `python -m bench.phases` -->\n", "<!-- end of phases -->\n")
ROWS = {
    "train-bpe-60-mb-english": "English",
    "train-bpe-30-mb-code": "Python",
    "train-bpe-26-mb-chinese": "Chinese and Japanese",
    "train-bpe-30-mb-mixed": "forty languages",
    "train-bpe-300-mb-mixed": "forty languages",
}
PHASES = ("counting", "arranging", "merging", "building")
REPEATS = 5

#: Trains in a process of its own and tells how it went.
CHILD = """
import json, sys, bytemill
path, threads = sys.argv[1:]
tok = bytemill.train(path, bytemill.BPE(32_000), pretokenizer="gpt2", threads=int(threads), progress=False)
print(json.dumps(tok.training_stats))
"""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.phases", description=__doc__)
    parser.add_argument("--threads", type=int, default=2, help="2 by default")
    threads = parser.parse_args(arguments).threads
    rows = {row.name: row for row in read_benchmarks().rows}
    lines = [
        "| text | MB | different pieces | " + " | ".join(PHASES) + " | MB/s, counting | MB/s in all |",
        "|---|---|---|" + "---|" * (len(PHASES) + 2),
    ]
    for name, text in ROWS.items():
        row = rows[name]
        try:
            path = plain_file(row.corpus, (row.most_mb or 0) * 1_000_000)
        except NoCorpus as error:
            print(error, file=sys.stderr)
            return 2
        runs = [_trained(str(path), threads) for _ in range(REPEATS)]
        lines.append(_line(text, min(runs, key=lambda stats: sum(stats["seconds"].values()))))
        print(lines[-1], flush=True)
    about = (
        f"\nSeconds of each phase on {threads} threads, 32,000 tokens, the splitting of GPT-2, the rule of bytemill; "
        f"the fastest of {REPEATS} runs.\n"
        "Counting is on all threads, and so is of the others what touches many words at once.\n\n"
    )
    write_block(PAGE, MARKS, about + "\n".join(lines) + "\n\n")
    return 0


def _trained(path: str, threads: int) -> dict[str, Any]:
    done = subprocess.run([sys.executable, "-c", CHILD, path, str(threads)], check=True, capture_output=True, text=True)
    stats: dict[str, Any] = json.loads(done.stdout)
    return stats


def _line(text: str, stats: dict[str, Any]) -> str:
    seconds, megabytes = stats["seconds"], stats["bytes"] / 1e6
    cells = [
        text,
        f"{megabytes:.0f}",
        f"{stats['distinct_pieces']:,}",
        *(f"{seconds[phase]:.2f}" for phase in PHASES),
        f"{megabytes / seconds['counting']:.0f}",
        f"{megabytes / sum(seconds.values()):.0f}",
    ]
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    sys.exit(main())
