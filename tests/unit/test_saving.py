"""Saving: the file appears whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

import bytemill
from tests.samples import TEXTS, python, words

FORMATS = ["mill", "mill.json", "tokenizer.json"]


@pytest.mark.parametrize("format", FORMATS)
def test_saving_again_replaces_the_whole_file(format: str, tmp_path: Path) -> None:
    large, small = words([" ".join(map(str, range(5000)))]), words(["a"])
    for tok in (large, small, large):
        tok.save(tmp_path / "a", format=format)
        assert (tmp_path / "a").read_bytes() == tok.to_bytes(format)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_readers_of_the_old_file_are_not_disturbed(tmp_path: Path) -> None:
    path = tmp_path / "a.mill"
    old = words([" ".join(map(str, range(50_000)))])
    old.save(path)
    reader = bytemill.load(path)
    words(["a"]).save(path)
    assert bytemill.load(path).vocab_size == 5
    text = " ".join(map(str, range(0, 50_000, 7)))
    assert reader.encode(text) == old.encode(text) and reader == old
    path.unlink()
    assert [reader.encode(text) for text in TEXTS] == [old.encode(text) for text in TEXTS]


FULL_DISK = """
import resource, sys
import bytemill
path = sys.argv[1]
tok = bytemill.train([" ".join(map(str, range(20_000)))], bytemill.Word(), progress=False)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    tok.save(path)
except OSError as error:
    print(error.errno, error.filename)
"""


@pytest.mark.parametrize("name", ["a.mill", "a.mill.json", "tokenizer.json"])
def test_a_full_disk_leaves_the_old_file_whole_and_nothing_else(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    words(["a"]).save(path)
    before = path.read_bytes()
    assert python(FULL_DISK, str(path)) == f"27 {path}\n"
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_full_disk_while_encoding_files(tmp_path: Path) -> None:
    words(["a"]).save(tmp_path / "a.mill")
    (tmp_path / "a.txt").write_text("a " * 50_000)
    (tmp_path / "a.bin").write_text("old")
    code = """
import resource, sys
import bytemill
folder = sys.argv[1]
tok = bytemill.load(folder + "/a.mill")
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    tok.encode_files(folder + "/a.txt", folder + "/a.bin")
except OSError as error:
    print(error.errno, error.filename)
"""
    assert python(code, str(tmp_path)) == f"27 {tmp_path / 'a.bin'}\n"
    assert (tmp_path / "a.bin").read_text() == "old"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.bin", "a.mill", "a.txt"]


def test_targets_that_cannot_be_written(tmp_path: Path) -> None:
    tok = words(["a"])
    (tmp_path / "folder.mill").mkdir()
    with pytest.raises(OSError):
        tok.save(tmp_path / "missing" / "a.mill")
    with pytest.raises(OSError):
        tok.save(tmp_path / "folder.mill")
    with pytest.raises(OSError):
        (tmp_path / "file").write_text("")
        tok.save(tmp_path / "file" / "a.mill")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file", "folder.mill"]


def test_a_folder_that_takes_no_files() -> None:
    with pytest.raises(FileNotFoundError) as caught:
        words(["a"]).save("/proc/a.mill")
    assert caught.value.filename == "/proc/a.mill"


def test_links_stay_links(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "a.mill").symlink_to(tmp_path / "real" / "b.mill")
    words(["a"]).save(tmp_path / "a.mill")
    assert (tmp_path / "a.mill").is_symlink()
    assert bytemill.load(tmp_path / "real" / "b.mill") == words(["a"])
