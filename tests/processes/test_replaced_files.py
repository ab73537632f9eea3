"""Files that are replaced while they are in use: a reader that has the old one keeps it."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

import bytemill
from tests.samples import words

TEXT = " ".join(f"word{i}" for i in range(0, 20_000, 7))


def test_a_tokenizer_that_is_replaced(tmp_path: Path) -> None:
    """SECURITY.md says what holds for files that are cut off instead."""
    path, new = tmp_path / "a.mill", tmp_path / "new.mill"
    old = words([" ".join(f"word{i}" for i in range(20_000))])
    old.save(path)
    reader = bytemill.load(path)
    words(["b"]).save(new)
    new.replace(path)
    assert reader.encode(TEXT) == old.encode(TEXT)
    assert reader.decode(reader.encode(TEXT)) == old.decode(old.encode(TEXT))
    assert bytemill.load(path) == words(["b"])


def test_token_files_that_are_written_again(tmp_path: Path) -> None:
    tok = words([TEXT])
    (tmp_path / "a.txt").write_text(TEXT)
    for name in ("a.bin", "a.npy"):
        tok.encode_files(tmp_path / "a.txt", tmp_path / name)
        tokens = bytemill.open_tokens(tmp_path / name)
        expected = [np.array(row) for row in tokens]
        (tmp_path / "b.txt").write_text("word7")
        tok.encode_files(tmp_path / "b.txt", tmp_path / name)
        assert all((row == before).all() for row, before in zip(tokens, expected, strict=True))
        assert [row.tolist() for row in bytemill.open_tokens(tmp_path / name)] == [tok.encode("word7")]


def test_a_text_that_is_cut_off_while_it_is_read(tmp_path: Path) -> None:
    """Texts are read, not mapped: what is gone is not encoded, and nothing crashes."""
    tok, path = words(["the cat"]), tmp_path / "a.txt"
    path.write_text("the cat " * 2_000_000)

    def cut(progress: object) -> None:
        os.truncate(path, 8_000)

    report = tok.encode_files([path] * 3, tmp_path / "a.bin", threads=2, progress=cut)
    assert 0 < report.tokens <= 3 * 4_000_000
