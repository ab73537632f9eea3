"""What is read, and how: formats, standard input, line ends, and what is refused or told."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import bytemill

JSONL = b'{"id": 1, "text": "the cat"}\n{"id": 2, "text": "a dog\\nran"}\n'
TEXTS = ["the cat", "a dog\nran"]
ARRAY = b'[{"id": 1, "text": "the cat"},\n {"id": 2, "text": "a dog\\nran"}]\n'
PARQUET = b"PAR1\x15\x04\x15\x10" + bytes(range(256)) + b"PAR1"


def rows(out: str) -> list[list[int]]:
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize("format", ["jsonl", "json"])
def test_records_from_a_pipe(invoke, bpe, format):
    """They used to be one plain text, with their keys, and --field was ignored."""
    data = JSONL if format == "jsonl" else ARRAY
    how = ["--input-format", format, "--field", "text"]
    code, out, err = invoke("encode", "bpe.mill", "-", "-o", "s.bin", *how, "--json", stdin=data)
    assert (code, json.loads(out)["documents"]) == (0, 2), err
    assert np.fromfile("s.bin", "<u2").tolist() == [id for text in TEXTS for id in bpe.encode(text)]
    assert rows(invoke("encode", "bpe.mill", *how, "--json", stdin=data)[1]) == [bpe.encode(text) for text in TEXTS]
    assert json.loads(invoke("count", "bpe.mill", *how, "--json", stdin=data)[1])["total"]["documents"] == 2
    assert json.loads(invoke("train", "-o", "new.mill", *how, "--json", stdin=data)[1])["documents"] == 2


@pytest.mark.parametrize("command", [["encode", "bpe.mill"], ["count", "bpe.mill"], ["train", "-o", "x.mill"]])
def test_a_field_of_plain_text_is_refused(invoke, bpe, command):
    code, _, err = invoke(*command, "--field", "text", stdin=JSONL)
    assert code == 2
    assert "--field is for records and tables, and standard input is read as plain text" in err
    assert "--input-format jsonl" in err
    code, _, err = invoke(*command, "corpus.txt", "--field", "text")
    assert code == 2 and "corpus.txt is read as plain text" in err
    assert invoke(*command, "corpus.txt", "records.jsonl", "--field", "text")[0] == 0


def test_the_format_may_be_given_for_files(invoke, bpe):
    Path("lines.dat").write_bytes(b"one\ntwo\r\n\nthree")
    found = rows(invoke("encode", "bpe.mill", "lines.dat", "--input-format", "lines", "--json")[1])
    assert found == [bpe.encode(text) for text in ("one", "two", "", "three")]
    assert rows(invoke("encode", "bpe.mill", "records.jsonl", "--input-format", "text", "--json")[1]) == [
        bpe.encode(Path("records.jsonl").read_text())
    ]


@pytest.mark.parametrize("data", [ARRAY, JSONL], ids=["array", "lines"])
def test_json_files_are_records(invoke, bpe, data):
    """They used to be plain text, with their keys."""
    Path("data.json").write_bytes(data)
    assert rows(invoke("encode", "bpe.mill", "data.json", "--json")[1]) == [bpe.encode(text) for text in TEXTS]
    assert json.loads(invoke("encode", "bpe.mill", "data.json", "-o", "j.bin", "--json")[1])["documents"] == 2
    code, _, err = invoke("count", "bpe.mill", "data.json", "--field", "body")
    assert code == 1 and 'no field "body"' in err and "--input-format text" in err


def test_a_json_file_of_settings_is_text(invoke, bpe):
    Path("package.json").write_text('{"name": "x"}\n')
    assert json.loads(invoke("count", "bpe.mill", "package.json", "--json")[1])["total"]["bytes"] == 14


@pytest.mark.parametrize("errors", ["strict", "replace"])
@pytest.mark.parametrize(
    ("data", "name", "way_out"),
    [
        (PARQUET, "a Parquet file", "--input-format parquet"),
        (b"%PDF-1.7 \xff", "a PDF document", "pdftotext"),
        (b"PK\x03\x04\x14", "a zip archive", "unpack it first"),
        ("the cat".encode("utf-16"), "UTF-16 text", "iconv"),
    ],
    ids=["parquet", "pdf", "zip", "utf-16"],
)
def test_binary_files_are_refused_by_name(invoke, bpe, errors, data, name, way_out):
    Path("x.dat").write_bytes(data)
    for source, shown in (["x.dat"], "x.dat"), ([], "standard input"):
        code, _, err = invoke("count", "bpe.mill", *source, "--errors", errors, stdin=data)
        assert code == 1
        assert f"{shown}: this is {name}" in err and way_out in err


def test_what_is_skipped_in_a_folder_is_told(invoke, bpe):
    for number in range(5):
        Path(f"texts/{number}.pdf").write_bytes(b"%PDF-1.7")
    _, out, err = invoke("count", "bpe.mill", "texts")
    assert err == ("note: skipped 5 files without text: texts/0.pdf, texts/1.pdf, texts/2.pdf, …\n")
    assert [line.split()[-1] for line in out.splitlines()] == ["source", "texts/a.txt", "texts/b.txt", "total"]
    for command in (["encode", "bpe.mill", "texts", "-o", "o.bin"], ["train", "texts", "-o", "o.mill"]):
        assert "note: skipped 5 files without text" in invoke(*command)[2]
    report = bpe.encode_files("texts", "o.bin", progress=False)
    assert [path.name for path in report.skipped] == [f"{number}.pdf" for number in range(5)]


@pytest.mark.parametrize(
    "arguments",
    [["count", "bpe.mill", ""], ["encode", "bpe.mill", ""], ["train", "", "-o", "x.mill"], ["count", "", "corpus.txt"]],
)
def test_empty_paths_are_refused(invoke, bpe, arguments):
    """An empty variable in a script used to stand for the current folder."""
    code, _, err = invoke(*arguments)
    assert code == 2 and "is empty" in err


def test_empty_paths_are_refused_by_the_library(bpe):
    with pytest.raises(bytemill.errors.SpecError, match="a path is empty"):
        bpe.encode_files([""], "x.bin")


@pytest.mark.parametrize("stdin", [b"hello\n", b"hello", b"\n", b"a\nb\n\n"])
def test_one_rule_for_line_ends(invoke, bpe, stdin):
    """Count, encode, encode to a file and inspect used to disagree about `echo hello |`."""
    ids = bpe.encode(stdin.decode())
    assert json.loads(invoke("count", "bpe.mill", "--json", stdin=stdin)[1])["total"]["tokens"] == len(ids)
    for source in ([], ["-"]):
        assert rows(invoke("encode", "bpe.mill", *source, "--json", stdin=stdin)[1]) == [ids]
    assert invoke("encode", "bpe.mill", "-o", "e.bin", stdin=stdin)[0] == 0
    assert np.fromfile("e.bin", "<u2").tolist() == ids
    assert json.loads(invoke("inspect", "bpe.mill", "--json", stdin=stdin)[1])["tokens"] == len(ids)
    assert json.loads(invoke("check", "bpe.mill", "--json", stdin=stdin)[1])["tokens"] == len(ids)
    assert invoke("cut", "bpe.mill", "1000", stdin=stdin)[1] == stdin.decode()


def test_encode_and_decode_are_inverse(invoke, bpe):
    text = "The cat\n\n  on the mat.\nthe end\n"
    ids = invoke("encode", "bpe.mill", stdin=text.encode())[1]
    assert len(ids.splitlines()) == 1
    assert invoke("decode", "bpe.mill", stdin=ids.encode())[1] == text


def test_token_files_go_through_pipes(process, bpe):
    data = process("encode", "bpe.mill", "corpus.txt", "-o", "-").stdout
    assert np.frombuffer(data, "<u2").tolist() == bpe.encode(Path("corpus.txt").read_text())
    text = process("decode", "bpe.mill", "-", "--input-format", "bin", stdin=data).stdout
    assert text == Path("corpus.txt").read_bytes()
    assert process("encode", "bpe.mill", "corpus.txt", "-o", "-", "--json").returncode == 2


def test_tokenizers_and_counts_go_through_pipes(process, bpe):
    done = process("train", "corpus.txt", "-o", "-", "--format", "tokenizer.json", "--vocab-size", "270")
    assert json.loads(done.stdout)["model"]["type"] == "BPE"
    assert process("train", "corpus.txt", "-o", "-").returncode == 2
    Path("copy.mill").write_bytes(process("convert", "bpe.mill", "-", "--format", "mill").stdout)
    assert bytemill.load("copy.mill") == bpe
    Path("a.counts").write_bytes(process("count-pieces", "corpus.txt", "-o", "-").stdout)
    assert bytemill.PieceCounts.load("a.counts").documents == 1


def test_standard_input_is_called_so(invoke, bpe):
    for command in (["count", "bpe.mill"], ["encode", "bpe.mill"], ["train", "-o", "x.mill"], ["check", "bpe.mill"]):
        code, _, err = invoke(*command, stdin=b"caf\xe9")
        assert code == 1
        assert "byte 3 of standard input is 0xe9" in err and "/tmp" not in err and "stdin.txt" not in err


def test_standard_input_among_files(invoke, bpe):
    report = json.loads(invoke("count", "bpe.mill", "corpus.txt", "-", "--json", stdin=b"the cat")[1])
    assert [row["source"] for row in report["sources"]] == ["corpus.txt", "standard input"]
    code, out, _ = invoke("check", "words.mill", "corpus.txt", "-", "--input-format", "lines", stdin=b"the cat\nzebra")
    assert code == 1 and "the first is standard input, line 2\n" in out


def test_positions_count_from_0_everywhere(invoke, bpe):
    for command in (["encode", "bpe.mill"], ["count", "bpe.mill"], ["train", "-o", "x.mill"]):
        assert "byte 8 " in invoke(*command, "latin1.txt")[2]
    piped = invoke("encode", "bpe.mill", "--input-format", "lines", stdin=b"fine\ncaf\xe9\n")[2]
    assert "standard input, line 2: byte 3 is 0xe9" in piped
