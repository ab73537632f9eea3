"""A limit on memory: a call for which there is not enough ends with MemoryError, and the next one works."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

import bytemill
from tests.effort import MATRIX

if sys.platform != "linux":
    pytest.skip("the limit of a process's memory is Linux's", allow_module_level=True)

#: After the limit is set, nothing but the call may need much memory.
START = """
import os, resource, sys, threading, warnings
from pathlib import Path

# As much memory is needed on every machine: that of two threads.
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
import numpy as np
import bytemill

warnings.simplefilter("ignore")
tok = bytemill.load("bpe.mill")
offsets = bytemill.load("unigram.mill")
word = "the cat sat on the mat, and the dog "
text = word * (100_000_000 // len(word))
texts = [word * 100_000] * 30
ids = np.full(30_000_000, 150, dtype=np.uint32)
different = Path("different.txt")
expected = tok.encode("the cat")

def limited(free):
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + free, resource.RLIM_INFINITY))

limited(int(sys.argv[1]))
try:
    WORK
    print("done", end=" ")
except MemoryError:
    print("MemoryError", end=" ")
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(tok.encode("the cat") == expected and tok.encode_batch(["the cat"] * 3).to_list() == [expected] * 3)
"""
WORK = {
    "encode": "tok.encode(text)",
    "encode on one thread": "tok.encode(text, threads=1)",
    "encode to an array": "tok.encode_array(text)",
    "encode a text without cuts": "tok.encode('x' * 50_000_000)",
    "encode with dropout": "tok.encode(text, dropout=0.1)",
    "encode at random": "offsets.encode(text, alpha=0.1)",
    "encode with places": "tok(text, offsets=True)",
    "encode with a normalizer": "offsets.encode(text)",
    "encode with a normalizer and places": "offsets(text, offsets=True)",
    "count": "tok.count(text)",
    "encode_batch": "tok.encode_batch(texts)",
    "encode_batch on one thread": "tok.encode_batch(texts, threads=1)",
    "encode_files": "tok.encode_files([different] * 4, 'out.bin', progress=False)",
    "encode_files, shuffled": "tok.encode_files([different] * 4, 'out.bin', shuffle=True, progress=False)",
    "encode_iterable": "sum(1 for _ in tok.encode_iterable(texts))",
    "decode": "tok.decode(ids)",
    "decode_batch": "tok.decode_batch([ids])",
    "decode with a decoder": "offsets.decode(ids)",
    "a session": "tok.session(text).ids",
    "segments": "tok.encode_segments([(text, True), (text, False)])",
    "normalize": "offsets.normalize(text)",
    "explain": "tok.explain(text[:3_000_000])",
    "sample": "offsets.sample(word * 100, n=500_000)",
    "the best of many": "offsets.nbest(word * 5000, 1000)",
    "entropy": "offsets.entropy(text[:5_000_000])",
    "load": "bytemill.load('large.json')",
    "train words": "bytemill.train([different], bytemill.Word(), progress=False)",
    "train BPE": "bytemill.train([different], bytemill.BPE(2000), progress=False)",
    "train Unigram": "bytemill.train([different], bytemill.Unigram(2000), progress=False)",
    "count pieces": "bytemill.count_pieces([different], progress=False)",
}
#: Bytes that are free beyond what is used: next to nothing, some, much.
FREE = (1_000_000, 20_000_000, 60_000_000, 150_000_000, 400_000_000) if MATRIX else (20_000_000, 150_000_000)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("memory")
    chance = random.Random(2)
    words = [f"{chance.getrandbits(40):x}" for _ in range(400_000)]
    (folder / "different.txt").write_text("the cat sat on the mat, and the dog " * 10 + " ".join(words * 2))
    sentences = ["the cat sat on the mat, and the dog ran"] * 50 + [" ".join(words[:2000])]
    bytemill.train(sentences, bytemill.BPE(600), progress=False).save(folder / "bpe.mill")
    bytemill.train(sentences, bytemill.SentencePiece(vocab_size=200), progress=False).save(folder / "unigram.mill")
    large = bytemill.train(words[:200_000], bytemill.Word(), progress=False)
    (folder / "large.json").write_bytes(large.to_bytes("tokenizer.json"))
    return folder


@pytest.mark.long
@pytest.mark.parametrize("work", WORK)
def test_memory_that_runs_out_is_an_exception(work: str, folder: Path) -> None:
    outcomes = []
    for free in FREE:
        done = subprocess.run(
            [sys.executable, "-c", START.replace("WORK", WORK[work]), str(free)],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=300,
        )
        outcomes.append((free, done.returncode, done.stdout, done.stderr[-600:]))
    ended = {"done True\n", "MemoryError True\n"}
    assert all(code == 0 and said in ended for _, code, said, _ in outcomes), outcomes
