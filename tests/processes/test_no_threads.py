"""Fewer threads than were asked for, or none at all: the work is done by those that there are."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.samples import python

if sys.platform != "linux":
    pytest.skip("the limit of a user's threads is Linux's", allow_module_level=True)

#: Root has no such limit, and becomes nobody. A thread of Python proves that none can be had.
PROGRAM = """
import os, resource, sys, threading
import bytemill

os.chdir(sys.argv[1])
number = sys.argv[2]
texts = [f"the cat {i} sat on the mat " * 3000 for i in range(20)]
spec = bytemill.Word()

def work(threads):
    tok = bytemill.train(texts, spec, threads=threads, progress=False)
    out = f"{threads}.bin"
    tok.encode_files(["a.txt"] * 4, out, threads=threads, progress=False)
    with open(out, "rb") as file:
        written = file.read()
    encoded = [tok.encode(text * 20, threads=threads) for text in texts[:2]]
    return tok, written, tok.encode_batch(texts, threads=threads).to_list(), encoded

expected = work(1)
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
limit = sum(1 for _ in os.scandir("/proc/self/task")) if number == "none" else int(number)
resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit))
started = 0
stop = threading.Event()
try:
    for _ in range(300):
        threading.Thread(target=stop.wait, daemon=True).start()
        started += 1
except RuntimeError:
    pass
if number != "none":
    stop.set()
print(started < 300, work(300) == expected, work(1_000_000) == expected)
stop.set()
"""


@pytest.mark.parametrize("number", ["none", "40"])
def test_threads_that_cannot_be_had(number: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the cat sat on the mat " * 50_000)
    tmp_path.chmod(0o777)
    for folder in tmp_path.parents[:2]:
        folder.chmod(0o755)
    assert python(PROGRAM, str(tmp_path), number) == "True True True\n"
