"""The end of the interpreter while something is open or at work: it ends at once, quietly, with its own code."""

from __future__ import annotations

import subprocess
import sys

import pytest

START = """
import sys, threading
import bytemill

begun = threading.Event()
tok = bytemill.train(["the cat sat on the mat"], bytemill.BPE(259), progress=False)
text = "the cat sat on the mat " * 50_000

def train(documents, progress=False):
    return bytemill.train(documents, bytemill.Word(), progress=progress)

def endless():
    while True:
        yield text

def busy(text):
    begun.set()
    while True:
        for _ in range(1000):
            pass
        yield text

def never_ends(told):
    for _ in busy(""):
        pass

def start(number, work):
    for _ in range(number):
        threading.Thread(target=work, daemon=True).start()
"""
#: What is open when the main module ends with the code 7.
OPEN = {
    "a stream of ids": "ids = tok.encode_iterable(endless()); next(ids)",
    "a stream that refers to itself": "box = [tok.encode_iterable(endless())]; box.append(box); next(box[0])",
    "a stream of decoding": "stream = tok.stream(); stream.push(258)",
    "a session and its fork": "session = tok.session(text); fork = session.fork(); ids = fork.ids",
    "arrays of a tokenizer that is gone": "batch = tok.encode_batch([text] * 3); row = batch[1]; del tok",
    "threads that encode": "start(3, lambda: [tok.encode(text) for _ in endless()])",
    "threads in batches": "start(2, lambda: [tok.encode_batch([text] * 8) for _ in endless()])",
    "a thread in a stream": "start(1, lambda: sum(1 for _ in tok.encode_iterable(endless())))",
    "threads in the iterators of streams": "start(3, lambda: sum(1 for _ in tok.encode_iterable(busy('the cat '))))",
    "threads in the iterators of trainings": "start(3, lambda: train(busy(text)))",
    "threads in the callback of a training": "start(3, lambda: train(endless(), progress=never_ends))",
    "threads in the iterator of a batch": "start(3, lambda: tok.inputs(busy('the cat ')))",
    "a thread in a training": "start(1, lambda: train(endless()))",
}


@pytest.mark.parametrize("what", OPEN)
def test_the_end_of_the_interpreter(what: str) -> None:
    wait = "begun.wait(20)" if "busy" in OPEN[what] or "never_ends" in OPEN[what] else ""
    code = f"{START}\n{OPEN[what]}\nimport time; time.sleep(0.2)\n{wait}\nsys.exit(7)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (7, "", "")
