"""`python -m bench.threads`: what several threads cost on any machine: CPU time of all, page faults, waits, memory.

A machine with two cores cannot show how fast sixteen threads are. It can show what they do beyond the work of one:
learn the same words again, have memory cleared for each of them, wait for one another. Each row is a process of its
own, with a pass that is cold and two that are not, of which the better one counts. All must give the same ids.

    python -m bench.threads [--model gpt2] [--megabytes 110] [--threads 1 2 4 8 16]
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .corpora import SHARED, read
from .instructions import MODELS

#: Text of all kinds.
TEXTS = ["*.txt*", "code/*.txt.gz", "multilingual/*.gz"]
KINDS = ("file", "batch", "string")
#: Lines that are taken together, the share of lines of which some words are changed, and that of their words.
LINES, CHANGED_LINES, CHANGED_WORDS = 40, 0.05, 0.1
WORD_BYTES = 4

#: Encodes a file, texts of 3,000 characters or one string, and tells what each pass took.
CHILD = """
import hashlib, json, resource, sys, time
import bytemill, numpy
model, path, kind, threads = sys.argv[1:3] + [sys.argv[3], int(sys.argv[4])]
tok = bytemill.load(model)
text = "" if kind == "file" else open(path, encoding="utf-8", newline="").read()
texts = [text[at : at + 3000] for at in range(0, len(text), 3000)]
calls = {
    "file": lambda: tok.encode_files([path], threads=threads).ids,
    "batch": lambda: tok.encode_batch(texts, threads=threads).ids,
    "string": lambda: tok.encode_array(text, threads=threads),
}
tok.encode("a word")
if kind == "string":
    text.encode()
def usage():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return [used.ru_utime + used.ru_stime, used.ru_stime, used.ru_minflt, used.ru_nvcsw]
passes = []
for number in range(3):
    before, start = usage(), time.perf_counter()
    ids = calls[kind]()
    seconds = time.perf_counter() - start
    used = [after - earlier for after, earlier in zip(usage(), before)]
    digest = hashlib.sha256(numpy.ascontiguousarray(ids, dtype="<u4").data).hexdigest()
    del ids
    passes.append(dict(zip(("cpu", "system", "faults", "waits"), used), seconds=seconds, digest=digest))
print(json.dumps({"passes": passes, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.threads", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--model", default="gpt2", choices=[name for name, path in MODELS.items() if path])
    parser.add_argument("--megabytes", type=int, default=110, help="110 by default")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 4, 8, 16], help="1 2 4 8 16 by default")
    parser.add_argument("--kind", choices=KINDS, nargs="+", default=KINDS, help="all by default")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        text, model = Path(folder, "text"), Path(folder, Path(MODELS[options.model]).name.removesuffix(".gz"))
        text.write_text("\n".join(mixed_lines(options.megabytes * 1_000_000)), encoding="utf-8", newline="")
        model.write_bytes(read(SHARED / "models" / MODELS[options.model]))
        for kind in options.kind:
            print(f"| {kind}, threads | CPU s, cold | warm | faults, cold | warm | waits, cold | warm | peak MB |")
            print("|---|--:|--:|--:|--:|--:|--:|--:|")
            digests = set()
            for threads in options.threads:
                cold, warm, peak = _measured(model, text, kind, threads)
                digests |= {cold["digest"], warm["digest"]}
                cells = [f"{each['cpu']:.2f}" for each in (cold, warm)]
                cells += [f"{each[name]:,}" for name in ("faults", "waits") for each in (cold, warm)]
                print(f"| {threads} | " + " | ".join(cells) + f" | {peak:.0f} |", flush=True)
            if len(digests) > 1:
                print(f"the ids of {kind} depend on the number of threads", file=sys.stderr)
                return 1
            print()
    return 0


def mixed_lines(size: int) -> Iterator[str]:
    """Yields about `size` bytes of lines from all texts in random order. Misspelled words make new pieces."""
    paths = [path for pattern in TEXTS for path in sorted((SHARED / "corpora").glob(pattern))]
    lines = b"\n".join(read(path) for path in paths).decode("utf-8", "ignore").split("\n")
    chance = random.Random(7)
    while size > 0:
        start = chance.randrange(len(lines) - LINES)
        for line in lines[start : start + LINES]:
            if chance.random() < CHANGED_LINES:
                line = " ".join(_changed(word, chance) for word in line.split(" "))
            size -= len(line.encode()) + 1
            yield line


def _changed(word: str, chance: random.Random) -> str:
    """Now and then, two of the letters of a word are exchanged."""
    if len(word) <= WORD_BYTES or not word.isalpha() or chance.random() > CHANGED_WORDS:
        return word
    at = chance.randrange(1, len(word) - 1)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _measured(model: Path, text: Path, kind: str, threads: int) -> tuple[dict[str, Any], dict[str, Any], float]:
    """The cold pass, the better one of the others, and the most memory that the process had."""
    command = [sys.executable, "-c", CHILD, str(model), str(text), kind, str(threads)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    told = json.loads(done.stdout)
    cold, *others = told["passes"]
    return cold, min(others, key=lambda each: float(each["cpu"])), told["peak"]


if __name__ == "__main__":
    sys.exit(main())
