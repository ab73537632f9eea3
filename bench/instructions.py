"""Instructions that encoding and training take, counted by callgrind.

They are the same on a busy machine as on a quiet one, which shows what got slower from one build to another.

    python -m bench.instructions .venv/bin/python OTHER/.venv/bin/python --row gpt2

Each interpreter has bytemill installed. A row is counted with and without its work; the difference is what that took.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.corpora import ROOT, SHARED, read

#: What is encoded: the files of each kind, repeated or cut to `ENCODED_BYTES`.
TEXTS = {
    "english": ["norvig_big.txt.gz"],
    "code": ["code/*.txt.gz"],
    "chinese": ["multilingual/mdn_zh-cn.md.gz", "multilingual/wikipedia_mars_chinese.txt.gz"],
    "multilingual": ["multilingual/ud_*.txt.gz", "multilingual/wikipedia_mars_*.txt.gz"],
}
MODELS = {
    "gpt2": "openai-gpt2/tokenizer.json",
    "o200k": "openai-o200k/o200k_base.tiktoken.gz",
    "mistral-v3": "mistral-spm/mistral_instruct_tokenizer_240323.model.v3",
    "t5": "t5-base/spiece.model",
    "bert": "bert-base-uncased/tokenizer.json",
    "words": "",
}
TRAINED = {"train-bpe": "bytemill.BPE(vocab_size=32_000)", "train-unigram": "bytemill.Unigram(vocab_size=8_000)"}
ENCODED_BYTES = 4_000_000
TRAINED_BYTES = 8_000_000

ENCODE = """
import sys, bytemill
model, text, times = sys.argv[1], open(sys.argv[2], encoding="utf-8").read(), int(sys.argv[3])
tok = bytemill.load(model) if model else bytemill.train([text[:500_000]], bytemill.Word(vocab_size=8_000), threads=1)
# What is made at the first call counts as loading.
tok.encode_batch([text[:20_000]], threads=1)
for _ in range(times):
    tok.encode_batch([text], threads=1)
"""
TRAIN = """
import sys, bytemill
text = open(sys.argv[2], encoding="utf-8").read()
if int(sys.argv[3]):
    bytemill.train([text], eval(sys.argv[1]), threads=1)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument(
        "pythons", nargs="+", type=Path, help="interpreters with bytemill installed; the first is the measure"
    )
    parser.add_argument("--row", default="", help="only rows whose name has this in it, as gpt2-english or train")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for row in _rows(Path(folder)) if arguments.row in row[0]]
        print("| row | " + " | ".join(map(str, arguments.pythons)) + " | last / first |")
        print("|---|" + "--:|" * (len(arguments.pythons) + 1))
        for name, script, model, text in rows:
            counts = [_work(python, script, model, text) for python in arguments.pythons]
            print(f"| {name} | " + " | ".join(f"{count / 1e6:,.0f} M" for count in counts), end=" | ")
            print(f"{counts[-1] / counts[0]:.3f} |", flush=True)


def _rows(folder: Path) -> list[tuple[str, str, str, Path]]:
    texts = {name: _text(folder / name, patterns, ENCODED_BYTES) for name, patterns in TEXTS.items()}
    trained = _text(folder / "trained", TEXTS["english"] + TEXTS["multilingual"], TRAINED_BYTES)
    paths = {name: path and str(_model(folder, path)) for name, path in MODELS.items()}
    encoded = [(f"{name}-{text}", ENCODE, path, texts[text]) for name, path in paths.items() for text in texts]
    return encoded + [(name, TRAIN, spec, trained) for name, spec in TRAINED.items()]


def _model(folder: Path, path: str) -> Path:
    found = SHARED / "models" / path
    if found.suffix != ".gz":
        return found
    unpacked = folder / found.stem
    unpacked.write_bytes(read(found))
    return unpacked


def _text(path: Path, patterns: list[str], size: int) -> Path:
    corpora = SHARED / "corpora"
    data = b"\n".join(read(found) for pattern in patterns for found in sorted(corpora.glob(pattern)))
    whole = (data * (size // len(data) + 1))[:size]
    path.write_text(whole.decode("utf-8", "ignore"), encoding="utf-8")
    return path


def _work(python: Path, script: str, model: str, text: Path) -> int:
    """What a row takes beyond starting Python and loading the model."""
    without, whole = (_count(python, script, model, text, times) for times in (0, 1))
    return whole - without


def _count(python: Path, script: str, model: str, text: Path, times: int) -> int:
    """The instructions of the extension module alone: those of Python differ from run to run."""
    profile = text.with_suffix(".callgrind")
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", python.absolute(), "-c", script]
    _output([*command, model, text, times])
    lines = _output(["callgrind_annotate", "--threshold=100", "--auto=no", profile]).splitlines()
    counts = (re.match(r"\s*([\d,]+) .*_core[^/]*\.so\]$", line) for line in lines)
    return sum(int(count[1].replace(",", "")) for count in counts if count)


def _output(command: list[object]) -> str:
    run = subprocess.run([*map(str, command)], capture_output=True, text=True, cwd=ROOT.anchor, check=False)
    if run.returncode:
        sys.exit(f"{command[0]} failed:\n{run.stderr}")
    return run.stdout


if __name__ == "__main__":
    main()
