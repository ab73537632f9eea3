"""Threads, forks, fresh interpreters, memory."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.samples import CORPUS, TEXTS, chars, python, words

TOK = words(special_tokens=["<x>"])
LONG = "the cat, naïve 我能<EOS>dog\n" * 2000


def encoded(text: str) -> list[int]:
    return TOK.encode(text)


def test_eight_threads_at_once() -> None:
    for tok in (words(), chars()):
        texts = [*TEXTS, *CORPUS, LONG] * 20
        expected = [tok.encode(text) for text in texts]
        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(lambda _, tok=tok, texts=texts: [tok.encode(text) for text in texts], range(8)))
            batches = list(pool.map(lambda _, tok=tok, texts=texts: tok.encode_batch(texts).to_list(), range(8)))
        assert results == [expected] * 8
        assert batches == [expected] * 8


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_worker_processes(method: str) -> None:
    TOK.encode(LONG)
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        assert list(pool.map(encoded, [*TEXTS, LONG])) == [TOK.encode(text) for text in [*TEXTS, LONG]]


AFTER_FORK = """
import os, threading, warnings
import bytemill

# Newer Pythons warn of forks in a process with threads, which is the point here.
warnings.simplefilter("ignore", DeprecationWarning)

tok = bytemill.train(["the cat sat"], bytemill.Word(), progress=False)
texts = ["the cat sat " * 20_000] * 8
expected = tok.encode_batch(texts)
stop = threading.Event()

def busy():
    while not stop.is_set():
        tok.encode(texts[0])

threads = [threading.Thread(target=busy) for _ in range(2)]
for thread in threads:
    thread.start()
children = []
for _ in range(20):
    child = os.fork()
    if child == 0:
        same = tok.encode_batch(texts, threads=2) == expected and tok.encode("the cat") == [6, 4]
        trained = bytemill.train(["a b"] * 1000, bytemill.Word(), threads=2, progress=False).vocab_size == 6
        os._exit(0 if same and trained else 1)
    children.append(child)
codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
stop.set()
for thread in threads:
    thread.join()
print(set(codes))
"""


@pytest.mark.long
def test_children_forked_in_the_middle_of_work() -> None:
    assert python(AFTER_FORK) == "{0}\n"


MEMORY = """
import bytemill

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

tok = bytemill.train(["the cat sat on the mat"], getattr(bytemill, "FAMILY")(), progress=False)

def calls(start, number):
    for i in range(start, start + number):
        text = f"fresh{i} word{i * 7919} the"
        tok.decode(tok.encode(text))
        tok.count(text)
        tok(text, offsets=True)
        if i % 100 == 0:
            list(tok.encode_iterable([text, text]))
            tok.encode_batch([text] * 3)

calls(0, 20_000)
before = resident()
calls(20_000, 200_000)
print(resident() - before)
"""


@pytest.mark.long
@pytest.mark.parametrize("family", ["Word", "Char"])
def test_memory_does_not_grow_with_fresh_words(family: str) -> None:
    assert int(python(MEMORY.replace("FAMILY", family))) < 5_000_000


STREAM = """
import resource
import bytemill

tok = bytemill.train(["the cat sat on the mat"], bytemill.Word(), progress=False)
line = "the cat sat on the mat, naïve 我能<EOS>\\n" * 2000

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

def run(lines):
    return sum(1 for _ in tok.encode_iterable(line for _ in range(lines)))

first = run(20)
before = peak()
print(run(1000) == 50 * first, peak() - before)
"""


def test_a_stream_of_text_takes_no_more_memory_than_a_part_of_it() -> None:
    same, growth = python(STREAM).split()
    # 90 MB went through.
    assert same == "True" and int(growth) < 5_000_000


NUMPY_ALONE = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"rich", "click", "typing_extensions", "tokenizers", "hypothesis"}:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
import bytemill
tok = bytemill.train(["the cat"], bytemill.Word(), progress=False)
tok.save(sys.argv[1])
print(bytemill.load(sys.argv[1]).encode("the cat"), tok._repr_html_()[:7])
"""


def test_the_library_needs_numpy_alone(tmp_path: Path) -> None:
    assert python(NUMPY_ALONE, str(tmp_path / "a.mill")) == "[5, 4] <table>\n"


def test_import_is_light() -> None:
    heavy = "('click', 'rich', 'multiprocessing', 'pandas', 'numpy', 'bytemill._core') if m in sys.modules"
    assert python(f"import sys, bytemill; print([m for m in {heavy}])") == "[]\n"
    # What a first use imports is the library and numpy alone.
    used = python(f"import sys, bytemill; bytemill.Tokenizer; print([m for m in {heavy}])")
    assert used == "['numpy', 'bytemill._core']\n"


def test_every_public_name_is_there() -> None:
    code = "import bytemill; print(all(getattr(bytemill, name) is not None for name in dir(bytemill)))"
    assert python(code) == "True\n"
    assert python("from bytemill import *; print(train.__name__, Tokenizer.__name__, code.__name__)") == (
        "train Tokenizer bytemill.code\n"
    )
    assert python("import bytemill; print(hasattr(bytemill, 'nonsense'))") == "False\n"
    assert (
        python("import bytemill, bytemill._core as core; print(bytemill.__version__ == core.__version__)") == "True\n"
    )
