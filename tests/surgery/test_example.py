"""The program in examples/ that resizes an embedding matrix by the map of an edit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

import bytemill
from bytemill import surgery
from tests.conftest import ROOT

PROGRAM = ROOT / "examples/resized-embeddings/resize.py"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True)


def test_a_matrix_is_resized_by_the_map_of_an_edit(tmp_path: Path) -> None:
    tok = bytemill.train(["low lower lowest " * 9], bytemill.BPE(262), special_tokens=["<s>"], progress=False)
    edited, path = tmp_path / "new" / "tokenizer.json", tmp_path / "map.json"
    edited.parent.mkdir()
    tok.save(tmp_path / "tokenizer.json")
    done = run("-m", "bytemill", "edit", tmp_path / "tokenizer.json", edited, "--add", " lowland", "--map", path)
    assert done.returncode == 0, done.stderr
    old = np.random.default_rng(0).normal(size=(tok.vocab_size + 2, 4)).astype(np.float32)
    np.save(tmp_path / "old.npy", old)

    done = run(PROGRAM, path, tmp_path / "old.npy", tmp_path / "new.npy")
    new, again = np.load(tmp_path / "new.npy"), bytemill.load(edited)
    assert done.returncode == 0 and done.stdout.startswith(f"264 rows → {again.vocab_size}, ")
    assert np.array_equal(new, surgery.EmbeddingMap.load(path).resize(old))
    # The new token stands for what its text was before.
    (id,) = again.encode(" lowland")
    assert np.allclose(new[id], old[tok.encode(" lowland")].mean(axis=0))

    np.save(tmp_path / "small.npy", old[:9])
    refused = run(PROGRAM, path, tmp_path / "small.npy", tmp_path / "new.npy")
    assert refused.returncode == 1 and "has 9 rows" in refused.stderr
