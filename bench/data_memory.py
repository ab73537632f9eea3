"""`python -m bench.data_memory`: the peak memory of encoding gigabytes to a .bin, on two and on sixteen threads.

The corpus is made of the shared texts over and over, as JSON lines, and salted so that no document stands there twice.
It is removed at the end.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from .corpora import ROOT, SHARED, documents, text_of

DOCUMENT_BYTES = 4000
MODEL = SHARED / "models" / "openai-gpt2" / "tokenizer.json"
WORK = """
import json, sys, time
import bytemill
from bench.measure import busy_seconds, peak_mb
model, source, output, threads = sys.argv[1:]
tok = bytemill.load(model)
report = tok.encode_files(source, output, threads=int(threads), progress=False)
told = {"threads": int(threads), "bytes": report.bytes, "tokens": report.tokens, "peak_mb": round(peak_mb())}
print(json.dumps({**told, "seconds": round(report.seconds, 1), "cpu_s": round(busy_seconds(), 1)}))
"""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.data_memory", description=__doc__)
    parser.add_argument("--gb", type=float, default=5, help="size of the corpus")
    parser.add_argument("--threads", type=lambda text: [int(part) for part in text.split(",")], default=[2, 16])
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="bytemill-memory-") as folder:
        source = salted(Path(folder, "corpus.jsonl"), round(options.gb * 1e9))
        for threads in options.threads:
            command = [sys.executable, "-c", WORK, str(MODEL), str(source), f"{folder}/out.bin", str(threads)]
            print(
                subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout.strip(), flush=True
            )
    return 0


def salted(path: Path, size: int) -> Path:
    """A file of this size, of documents that each begin with a number of their own."""
    texts = documents(text_of(["corpora/*.*", "corpora/*/*"], None).decode(), f"bytes:{DOCUMENT_BYTES}")
    encoded = [json.dumps(text, ensure_ascii=False).encode()[1:] for text in texts]
    number, written = 0, 0
    with path.open("wb", buffering=1 << 20) as file:
        while written < size:
            written += file.write(
                b'{"text": "%016x ' % (number * 0x9E3779B97F4A7C15 % 2**64) + encoded[number % len(encoded)] + b"}\n"
            )
            number += 1
    return path


if __name__ == "__main__":
    sys.exit(main())
