"""encode_files: text files to token files, or to ids in memory."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import bytemill
from bytemill.progress import Progress
from tests.samples import words


@pytest.fixture(scope="module")
def tok() -> bytemill.Tokenizer:
    """the = 4, cat = 5, dog = 6"""
    return words(["the cat the dog"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("the cat")
    (tmp_path / "in" / "b.txt").write_text("dog the <EOS>")
    return tmp_path


def test_a_folder_into_bin_and_npy(tok: bytemill.Tokenizer, folder: Path) -> None:
    report = tok.encode_files(folder / "in", folder / "out.bin")
    assert np.fromfile(folder / "out.bin", "<u2").tolist() == [4, 5, 6, 4, 3]
    tok.encode_files(str(folder / "in"), str(folder / "out.npy"))
    saved = np.load(folder / "out.npy")
    assert saved.dtype == np.uint16 and saved.tolist() == [4, 5, 6, 4, 3]
    assert (report.output, report.documents, report.bytes, report.tokens, report.dtype) == (
        folder / "out.bin",
        2,
        20,
        5,
        "uint16",
    )
    assert report.bytes_per_token == 4.0
    assert report.seconds > 0 and report.bytes_per_second == report.bytes / report.seconds


def test_several_sources_in_their_order(tok: bytemill.Tokenizer, folder: Path) -> None:
    tok.encode_files([folder / "in/b.txt", str(folder / "in/a.txt")], folder / "out.bin")
    assert np.fromfile(folder / "out.bin", "<u2").tolist() == [6, 4, 3, 4, 5]


def test_append(tok: bytemill.Tokenizer, folder: Path) -> None:
    for append in ("<EOS>", 3):
        tok.encode_files(folder / "in", folder / "out.bin", append=append)
        assert np.fromfile(folder / "out.bin", "<u2").tolist() == [4, 5, 3, 6, 4, 3, 3]


def test_field(tok: bytemill.Tokenizer, folder: Path) -> None:
    lines = "".join(json.dumps({"text": "the", "body": "cat"}) + "\n" for _ in range(2))
    (folder / "a.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    assert tok.encode_files(folder / "a.jsonl.gz", folder / "out.bin").documents == 2
    assert np.fromfile(folder / "out.bin", "<u2").tolist() == [4, 4]
    tok.encode_files(folder / "a.jsonl.gz", folder / "out.bin", field="body")
    assert np.fromfile(folder / "out.bin", "<u2").tolist() == [5, 5]


def test_without_an_output_the_ids_stay_in_memory(tok: bytemill.Tokenizer, folder: Path) -> None:
    (folder / "in" / "c.txt").write_text("")
    (folder / "in" / "d.jsonl").write_text('{"body": "cat"}\n{"body": "the dog"}\n')
    rows = tok.encode_files(folder / "in", field="body", append="<EOS>")
    assert rows.to_list() == [[4, 5, 3], [6, 4, 3, 3], [3], [5, 3], [4, 6, 3]]
    assert tok.encode_files(folder / "in", None, field="body").to_list() == [[4, 5], [6, 4, 3], [], [5], [4, 6]]
    with pytest.raises(bytemill.errors.BytemillError, match="99"):
        tok.encode_files(folder / "in", append=99)


@pytest.mark.parametrize("threads", [1, 3])
def test_in_memory_as_in_a_file(tok: bytemill.Tokenizer, tmp_path: Path, threads: int) -> None:
    """Documents of many batches, of one, and of less."""
    for name, times in [("a", 400_000), ("b", 10), ("c", 0), ("d", 300_000)]:
        (tmp_path / f"{name}.txt").write_text("the cat, the dog\n" * times)
    rows = tok.encode_files(tmp_path, threads=threads)
    assert [len(row) for row in rows] == [5 * times for times in (400_000, 10, 0, 300_000)]
    tok.encode_files(tmp_path, tmp_path / "out.npy", threads=threads)
    assert np.array_equal(rows.ids, np.load(tmp_path / "out.npy"))


def test_errors(tok: bytemill.Tokenizer, folder: Path) -> None:
    (folder / "bad.txt").write_bytes(b"the \xff cat")
    with pytest.raises(bytemill.errors.TextError):
        tok.encode_files(folder / "bad.txt", folder / "out.bin")
    assert not (folder / "out.bin").exists()
    tok.encode_files(folder / "bad.txt", folder / "out.bin", errors="replace")
    assert np.fromfile(folder / "out.bin", "<u2").tolist() == [4, 1, 5]


def test_specials(tok: bytemill.Tokenizer, folder: Path) -> None:
    tok.encode_files(folder / "in", folder / "out.bin", specials="none")
    assert np.fromfile(folder / "out.bin", "<u2").tolist() == [4, 5, 6, 4, 1, 1, 1]
    with pytest.raises(bytemill.errors.SpecialTokenError):
        tok.encode_files(folder / "in", folder / "out.bin", specials="refuse")
    assert len(np.fromfile(folder / "out.bin", "<u2")) == 7, "the old file is whole"
    assert sorted(path.name for path in folder.iterdir()) == ["in", "out.bin", "out.bin.bytemill.json", "out.bin.docs"]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_refused_token_is_told_by_its_place_in_the_file(
    tok: bytemill.Tokenizer, tmp_path: Path, threads: int
) -> None:
    before = "the cat " * 200_000
    (tmp_path / "a.txt").write_text(before + "<EOS> the cat " * 100_000)
    records = [{"text": "the cat"}, {"text": "a <EOS>"}]
    (tmp_path / "b.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    (tmp_path / "c.txt").write_text("the cat")
    for name, place in [
        ("a.txt", f'{tmp_path / "a.txt"} contains the special token "<EOS>" at byte {len(before)},'),
        ("b.jsonl", f'the text in line 2 of {tmp_path / "b.jsonl"} contains the special token "<EOS>" at byte 2,'),
    ]:
        with pytest.raises(bytemill.errors.SpecialTokenError) as refused:
            tok.encode_files([tmp_path / "c.txt", tmp_path / name], specials="refuse", threads=threads)
        assert str(refused.value).startswith(place)


@pytest.mark.parametrize("threads", [None, 1, 2, 7])
def test_large_files_are_cut_where_it_makes_no_difference(
    tok: bytemill.Tokenizer, tmp_path: Path, threads: int | None
) -> None:
    text = "the cat, naïve 我能<EOS>dog\r\n" * 150_000
    (tmp_path / "a.txt").write_bytes(text.encode())
    report = tok.encode_files(tmp_path / "a.txt", tmp_path / "a.npy", threads=threads)
    assert np.array_equal(np.load(tmp_path / "a.npy"), tok.encode_array(text))
    assert (report.documents, report.bytes) == (1, len(text.encode()))


def test_ids_that_need_four_bytes(tmp_path: Path) -> None:
    tok = words([" ".join(map(str, range(65_533)))])
    assert tok.vocab_size == 65_537
    (tmp_path / "a.txt").write_text("65532 0")
    report = tok.encode_files(tmp_path / "a.txt", tmp_path / "a.npy")
    assert report.dtype == "uint32"
    assert np.load(tmp_path / "a.npy").dtype == np.uint32
    assert np.load(tmp_path / "a.npy").tolist() == tok.encode("65532 0")


def test_nothing_to_encode(tok: bytemill.Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    report = tok.encode_files(tmp_path / "a.txt", tmp_path / "a.npy")
    assert (report.documents, report.tokens, report.bytes_per_token) == (1, 0, 0.0)
    assert np.load(tmp_path / "a.npy").tolist() == []


def test_a_source_is_not_written_over(tok: bytemill.Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_text("the cat")
    with pytest.raises(bytemill.errors.SpecError, match="is among the files to read"):
        tok.encode_files(tmp_path / "a.bin", tmp_path / "a.bin")
    assert (tmp_path / "a.bin").read_text() == "the cat"


def test_progress(tok: bytemill.Tokenizer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "the cat 12345 dog " * 2_000_000
    (tmp_path / "a.txt").write_text(text)
    told: list[Progress] = []
    tok.encode_files(tmp_path / "a.txt", tmp_path / "a.bin", threads=1, progress=told.append)
    assert {(p.phase, p.total, p.unit) for p in told} == {("encoding", len(text), "bytes")}
    assert all(p.documents == 0 for p in told) and 0 < (told[-1].tokens or 0) < 10_000_000
    tok.encode_files(tmp_path / "a.txt", tmp_path / "a.bin", threads=1, progress=True)
    assert capsys.readouterr().err.startswith("\rencoding  [")
    tok.encode_files(tmp_path / "a.txt", tmp_path / "a.bin", threads=1)
    assert capsys.readouterr().err == ""


def test_memory_that_nobody_reads_is_used_again(tok: bytemill.Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "large.txt").write_text("the cat " * 300_000)

    def encode() -> bytemill.Ragged:
        return tok.encode_files(tmp_path / "large.txt", threads=1, progress=False)

    first = encode()
    expected, place = first.ids.copy(), first.ids.ctypes.data
    view = first.ids[5:10]
    del first
    second = encode()
    assert second.ids.ctypes.data != place
    assert view.tolist() == expected[5:10].tolist()
    view[:] = 0
    assert (second.ids == expected).all()
    del view
    third = encode()
    assert third.ids.ctypes.data == place
    assert (third.ids == expected).all()


def test_skipped_rows_are_counted_by_file_and_told_by_training(tok: bytemill.Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "the cat"}\n{"text": null}\n')
    (tmp_path / "b.jsonl").write_text('{"text": 1}\n{}\n{"text": "dog"}\n')
    counted = tok.count_files(tmp_path, errors="skip", progress=False)
    assert [(count.documents, count.skipped_rows) for count in counted] == [(1, 1), (1, 2)]
    with pytest.warns(
        bytemill.errors.SkippedDocuments, match=r"3 documents were skipped; .*a\.jsonl, line 2: "
    ) as told:
        bytemill.train(tmp_path, bytemill.Word(), errors="skip", progress=False)
    assert told[0].filename == __file__
    with pytest.warns(bytemill.errors.SkippedDocuments, match=r"1 document was skipped; it: "):
        bytemill.count_pieces(tmp_path / "a.jsonl", pretokenizer="gpt2", errors="skip", progress=False)


@pytest.mark.parametrize("name", ["o.parquet", "o.arrow"])
def test_a_missing_pyarrow_is_told_before_the_work(
    tok: bytemill.Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'bytemill\[arrow\]'"):
        tok.encode_files(None, tmp_path / name, documents=iter([]), progress=False)
    assert not [*tmp_path.iterdir()]
