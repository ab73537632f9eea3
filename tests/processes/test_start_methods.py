"""Worker processes that are started while threads of the parent encode with the same tokenizer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

#: A file, since spawn and forkserver import the main module again.
PROGRAM = '''
import multiprocessing, sys, threading, warnings
from concurrent.futures import ProcessPoolExecutor
import bytemill

# Newer Pythons warn of forks in a process with threads, which is the point here.
warnings.simplefilter("ignore", DeprecationWarning)

def work(tok, texts):
    """What a worker of a data loader may do: one by one, together, as a stream, in a session."""
    session = tok.session(texts[0])
    batch = tok.encode_batch(texts, threads=2).to_list()
    return [tok.encode(text) for text in texts], batch, list(tok.encode_iterable(texts)), list(session.ids)

if __name__ == "__main__":
    tok = bytemill.train(["the cat sat on the mat"], bytemill.BPE(259), progress=False)
    texts = [f"the cat {i} sat " * 2000 for i in range(8)]
    expected, stop = work(tok, texts), threading.Event()
    assert expected[0] == expected[1] and sum(expected[0], []) == expected[2]

    def busy():
        while not stop.is_set():
            tok.encode(texts[0])
            tok.encode_batch(texts, threads=2)

    threads = [threading.Thread(target=busy) for _ in range(3)]
    for thread in threads:
        thread.start()
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(sys.argv[1])) as pool:
        found = [pool.submit(work, tok, texts) for _ in range(6)]
        same = all(future.result(timeout=60) == expected for future in found)
    stop.set()
    for thread in threads:
        thread.join()
    print(same)
'''


@pytest.mark.skipif(sys.platform == "win32", reason="there is only spawn")
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_workers_started_while_threads_encode(method: str, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    done = subprocess.run([sys.executable, str(path), method], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr
