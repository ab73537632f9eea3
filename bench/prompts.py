"""`python -m bench.prompts`: prompts of 2 KB that were never seen, one at a time, as a server gets them.

Each engine encodes all prompts of a text once, in processes of its own, of which the best one counts. What counts is
CPU time, so that an engine with threads pays for them. The first hundred prompts of a process are told apart. The ids
of all engines are compared with those of the first; an engine with others has no numbers.

    python -m bench.prompts [--model qwen3] [--text chinese] [--processes 3]
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from .corpora import ROOT, SHARED, documents, read
from .instructions import TEXTS

MODELS = {
    "gpt2": "openai-gpt2/tokenizer.json",
    "o200k": "openai-o200k/tokenizer.json.gz",
    "qwen3": "qwen3/tokenizer.json.gz",
    "trained-128k": "",
}
#: What one call gives is a list of integers, or an array where the name says so.
ENGINES = ("bytemill", "bytemill-arrays", "fastokens", "gigatoken", "gigatoken-arrays", "basetenkenizer")
PROMPT_BYTES = 2000
PROMPTS = 2000
FIRST = 100

CHILD = """
import json, sys, time
from pathlib import Path
from bench import engines
from bench.measure import digest_ids
name, model, prompts = sys.argv[1], Path(sys.argv[2]), json.loads(Path(sys.argv[3]).read_text())
engine = engines.make(name.partition("-")[0], 1)
engine.load(model)
encode = engine.encode
if name == "bytemill-arrays":
    encode = engine.tokenizer.encode_array
if name == "gigatoken":
    arrays = engine.encode
    encode = lambda text: arrays(text).tolist()
def cpu(texts):
    start = time.process_time()
    for text in texts:
        encode(text)
    return time.process_time() - start
first = int(sys.argv[4])
seconds = [cpu(prompts[:first]), cpu(prompts[first:])]
digest = digest_ids(engines.flat_lists(encode(text) for text in prompts))
print(json.dumps({"seconds": seconds, "digest": digest, "version": engine.version()}))
"""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.prompts", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--model", choices=MODELS, nargs="+", default=list(MODELS), help="all by default")
    parser.add_argument("--text", choices=TEXTS, nargs="+", default=list(TEXTS), help="all by default")
    parser.add_argument("--engine", choices=ENGINES, nargs="+", default=ENGINES, help="all by default")
    parser.add_argument("--processes", type=int, default=3, help="of each engine; 3 by default")
    options = parser.parse_args(arguments)
    print("| model, text | MB/s of CPU time, all but the first | the first 100 |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.model:
            model = _model(Path(folder), name)
            for text in options.text:
                prompts = _prompts(text)
                path = Path(folder, "prompts.json")
                path.write_text(json.dumps(prompts), encoding="utf-8")
                runs = {engine: _runs(engine, model, path, options.processes) for engine in options.engine}
                sizes = [sum(len(prompt.encode()) for prompt in part) for part in (prompts[FIRST:], prompts[:FIRST])]
                cells = [" · ".join(_cell(runs, engine, part, sizes) for engine in runs) for part in (1, 0)]
                print(f"| {name}, {text} | " + " | ".join(cells) + " |", flush=True)
    return 0


def _cell(runs: dict[str, list[dict[str, Any]]], engine: str, part: int, sizes: list[int]) -> str:
    same = [run for run in runs[engine] if run["digest"] == next(iter(runs.values()))[0]["digest"]]
    if not same:
        return f"{engine} –"
    return f"{engine} {sizes[1 - part] / 1e6 / min(run['seconds'][part] for run in same):.1f}"


def _runs(engine: str, model: Path, prompts: Path, processes: int) -> list[dict[str, Any]]:
    runs = []
    for _ in range(processes):
        command = [sys.executable, "-c", CHILD, engine, str(model), str(prompts), str(FIRST)]
        done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
        if done.returncode:
            print(f"{engine}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
            break
        runs.append(json.loads(done.stdout))
    return runs


def _prompts(text: str) -> list[str]:
    """Parts of a text in random order, each of them once."""
    corpora = SHARED / "corpora"
    paths = [path for pattern in TEXTS[text] for path in sorted(corpora.glob(pattern))]
    whole = b"\n".join(read(path) for path in paths).decode("utf-8", "ignore")
    prompts = list(dict.fromkeys(documents(whole, f"bytes:{PROMPT_BYTES}")))
    random.Random(1).shuffle(prompts)
    return prompts[:PROMPTS]


def _model(folder: Path, name: str) -> Path:
    path = folder / f"{name}.json"
    if not path.exists() and MODELS[name]:
        path.write_bytes(read(SHARED / "models" / MODELS[name]))
    elif not path.exists():
        import bytemill

        texts = [read(found).decode("utf-8", "ignore") for found in sorted((SHARED / "corpora").rglob("*.gz"))]
        trained = bytemill.train(texts, bytemill.BPE(vocab_size=128_000), pretokenizer="o200k", progress=False)
        trained.save(path)
    return path


if __name__ == "__main__":
    sys.exit(main())
