"""A full disk: a clear error, the old file still whole, nothing left; for everything that writes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.samples import python, words

if sys.platform == "win32":
    pytest.skip("the limit of a file's size is POSIX's", allow_module_level=True)

#: The largest file that can be written stands for the end of the disk. Work before the limit is not limited.
START = """
import resource, signal, sys
from pathlib import Path
import bytemill

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
out, tok = sys.argv[1], bytemill.load("tok.mill")
texts = " ".join(f"word{i}" for i in range(20_000))
def limit():
    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, resource.RLIM_INFINITY))
try:
    WORK
except Exception as error:
    print(type(error).__name__, getattr(error, "errno", None), error)
"""
BPE = "bytemill.train([texts], bytemill.BPE(800), progress=False)"
#: By the name of what is written.
WRITERS = {
    "a.mill": "limit(); tok.save(out)",
    "a.mill.json": "limit(); tok.save(out)",
    "tokenizer.json": "limit(); tok.save(out)",
    "vocab.txt": f"tok = {BPE.replace('BPE', 'WordPiece')}; limit(); tok.save(out)",
    "a.tiktoken": f"tok = {BPE}; limit(); tok.save(out)",
    "vocab.json": f"tok = {BPE}; limit(); tok.save(out)",
    "a.counts": "counts = bytemill.count_pieces([texts], progress=False); limit(); counts.save(out)",
    "saved.mill": "limit(); bytemill.train([texts], bytemill.Word(), save=out, progress=False)",
    "checkpoint": "limit(); bytemill.train([texts], bytemill.Word(), checkpoint=out, progress=False)",
    "a.bin": "limit(); tok.encode_files('corpus.txt', out, progress=False)",
    "a.npy": "limit(); tok.encode_files('corpus.txt', out, progress=False)",
    "a.jsonl": "limit(); tok.encode_files('corpus.txt', out, progress=False)",
    "map.json": """
    from bytemill.surgery.embedding import EmbeddingMap
    import numpy as np
    found = EmbeddingMap(np.arange(20_000), np.arange(20_000), {}); limit(); found.save(out)
""",
    "compat.json": """
    from bytemill.compat import tokenizers
    library = tokenizers.Tokenizer.from_file("tokenizer.in"); limit(); library.save(out)
""",
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tok = words([" ".join(f"word{i}" for i in range(3000))])
    tok.save("tok.mill")
    Path("tokenizer.in").write_bytes(tok.to_bytes("tokenizer.json"))
    Path("corpus.txt").write_text("word1 word22 " * 5000)
    folder = tmp_path / "out"
    folder.mkdir()
    if name != "checkpoint":
        (folder / name).write_text("old")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    said = python(START.replace("WORK", WRITERS[name]), str(folder / name))
    if name == "compat.json":  # the library has one class of errors
        assert said == "Exception None File too large (os error 27)\n"
    else:
        # Some formats are made from files of their own beside the output, whose names begin with its name.
        assert said.startswith(f"OSError 27 [Errno 27] File too large: '{folder / name}")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
