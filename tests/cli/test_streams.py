"""Standard input and output, token files, and every kind of source."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest

import bytemill
from bytemill.cli import exits, sources
from bytemill.errors import SpecError

from .conftest import COMMAND, RECORDS, TEXT, environment


def test_encode_and_decode_are_inverse_in_a_pipe(process):
    text = b"The cat\n\n  on the mat.\nthe end"
    ids = process("encode", "chars.mill", "--input-format", "lines", stdin=text).stdout
    assert len(ids.splitlines()) == 4
    assert process("decode", "chars.mill", stdin=ids).stdout == text + b"\n"


def test_lines_are_answered_as_they_come(folder):
    with subprocess.Popen(
        [*COMMAND, "encode", "words.mill", "-", "--input-format", "lines"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(),
    ) as running:
        for line in (b"the cat\n", b"dog\n"):
            running.stdin.write(line)
            running.stdin.flush()
            ids = [int(word) for word in running.stdout.readline().split()]
            assert ids == bytemill.load("words.mill").encode(line.decode())
        running.stdin.close()
        assert running.wait(10) == 0


def test_a_line_longer_than_a_read_stays_one_line(invoke):
    _, ids, _ = invoke("encode", "chars.mill", "--input-format", "lines", stdin=b"cat " * 50_000 + b"\ncat\n")
    assert [len(line.split()) for line in ids.splitlines()] == [200_000, 3]


@pytest.mark.parametrize("name", ["corpus.txt", "corpus.txt.gz", "corpus.txt.zst"])
def test_ids_of_a_text_file_line_by_line(invoke, name):
    tok = bytemill.load("words.mill")
    _, out, _ = invoke("encode", "words.mill", name, "--json", "--input-format", "lines")
    assert [json.loads(line) for line in out.splitlines()] == [tok.encode(line) for line in TEXT.splitlines()]


@pytest.mark.parametrize("how", [[], ["--dropout", "0.1"]])
def test_a_refused_token_is_told_with_its_line(invoke, how):
    tok = bytemill.train(["the cat"], bytemill.BPE(vocab_size=257), special_tokens=["<EOS>"])
    tok.save("bpe.mill")
    code, _, message = invoke(
        "encode", "bpe.mill", "--specials", "refuse", "--input-format", "lines", *how, stdin=b"the\ncat\n\nthe<EOS>\n"
    )
    assert code == 1
    assert 'standard input, line 4: the text contains the special token "<EOS>" at byte 3' in " ".join(message.split())
    Path("two.jsonl").write_text('{"text": "the"}\n\n{"text": "<EOS>"}\n')
    _, _, message = invoke("encode", "bpe.mill", "two.jsonl", "--specials", "refuse", *how)
    assert "two.jsonl, line 3: the text" in " ".join(message.split())


@pytest.mark.parametrize("name", ["records.jsonl", "records.jsonl.gz"])
def test_ids_of_jsonl_are_those_of_the_field(invoke, name):
    tok = bytemill.load("words.mill")
    _, out, _ = invoke("encode", "words.mill", name, "--json")
    assert [json.loads(line) for line in out.splitlines()] == [tok.encode(record["text"]) for record in RECORDS]


@pytest.mark.parametrize("suffix", [".bin", ".npy"])
@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ("corpus.txt", [TEXT]),
        ("corpus.txt.gz", [TEXT]),
        ("corpus.txt.zst", [TEXT]),
        ("records.jsonl", [record["text"] for record in RECORDS]),
        ("records.jsonl.gz", [record["text"] for record in RECORDS]),
        ("texts", ["the cat", "the dog"]),
    ],
)
def test_token_file(invoke, source, texts, suffix):
    tok = bytemill.load("words.mill")
    code, out, err = invoke("encode", "words.mill", source, "-o", f"out{suffix}", "--append", "<EOS>", "--json")
    assert (code, err) == (0, "")
    ids = np.load("out.npy") if suffix == ".npy" else np.fromfile("out.bin", "<u2")
    assert ids.dtype == np.uint16
    assert ids.tolist() == [id for text in texts for id in [*tok.encode(text), tok.token_to_id("<EOS>")]]
    report = json.loads(out)
    assert report["documents"] == len(texts)
    assert report["bytes"] == sum(map(len, texts))
    assert report["tokens"] == len(ids)


def test_standard_input_goes_into_a_token_file(invoke):
    assert invoke("encode", "chars.mill", "-o", "out.bin", stdin=TEXT.encode())[0] == 0
    assert invoke("decode", "chars.mill", "out.bin") == (0, TEXT, "")


def test_training_on_standard_input_is_training_on_one_document(invoke):
    _, out, _ = invoke("train", "-", "texts", "-o", "new.mill", "--family", "word", "--json", stdin=TEXT.encode())
    assert json.loads(out)["documents"] == 3
    assert invoke("train", "corpus.txt", "texts", "-o", "same.mill", "--family", "word")[0] == 0
    assert bytemill.load("new.mill") == bytemill.load("same.mill")


def test_counting_agrees_with_the_library(invoke):
    tok = bytemill.load("words.mill")
    report = json.loads(invoke("count", "words.mill", "corpus.txt", "texts", "--json")[1])
    assert [row["tokens"] for row in report["sources"]] == [
        tok.count(TEXT),
        tok.count("the cat"),
        tok.count("the dog"),
    ]
    piped = json.loads(invoke("count", "words.mill", "--json", stdin=TEXT.encode())[1])
    assert piped["total"]["tokens"] == tok.count(TEXT)


@pytest.mark.parametrize("arguments", [["encode"], ["encode", "-o", "out.bin"], ["count"]])
def test_specials_and_errors_reach_the_library(invoke, arguments):
    Path("special.txt").write_bytes(b"cat<EOS>\xff")
    command, *rest = arguments
    sizes = [
        invoke(
            command,
            "chars.mill",
            "special.txt",
            "--errors",
            "replace",
            "--specials",
            specials,
            *rest,
            "--json",
        )[1]
        for specials in ("all", "none")
    ]
    tokens = [len(json.loads(out)) if arguments == ["encode"] else find(json.loads(out), "tokens") for out in sizes]
    assert tokens == [5, 9]


def find(report: dict, name: str) -> int:
    return report.get("total", report)[name]


def test_empty_token_files_decode_to_nothing(invoke):
    Path("empty.bin").write_bytes(b"")
    np.save("empty.npy", np.zeros(0, np.uint16))
    assert invoke("decode", "words.mill", "empty.bin") == (0, "", "")
    assert invoke("decode", "words.mill", "empty.npy") == (0, "", "")


def test_a_large_vocabulary_takes_four_bytes(invoke):
    Path("many.txt").write_text(" ".join(f"w{number}" for number in range(70_000)))
    assert invoke("train", "many.txt", "-o", "many.mill", "--family", "word")[0] == 0
    assert json.loads(invoke("encode", "many.mill", "many.txt", "-o", "many.bin", "--json")[1])["dtype"] == "uint32"
    assert Path("many.bin").stat().st_size == 4 * 70_000
    assert invoke("decode", "many.mill", "many.bin")[1] == Path("many.txt").read_text()


@pytest.mark.parametrize("data", [b"\x1f\x8b\x08\x00broken", b"plain text"])
def test_a_broken_gz_is_a_bad_file(invoke, data):
    Path("broken.txt.gz").write_bytes(data)
    code, _, err = invoke("encode", "words.mill", "broken.txt.gz")
    assert code == 1
    assert err.startswith("error: broken.txt.gz: ")


def test_every_token_file_is_decoded(invoke, bpe):
    """By its manifest a .bin says how wide its ids are, and whose they are."""
    text = Path("corpus.txt").read_text()
    for name, options in [
        ("a.bin", ["--dtype", "uint32"]),
        ("b.idx", []),
        ("c.ds", []),
        ("d.bin", ["--format", "llmc"]),
    ]:
        assert invoke("encode", "bpe.mill", "corpus.txt", "-o", name, *options)[0] == 0
        assert invoke("decode", "bpe.mill", name)[:2] == (0, text)
    code, _, err = invoke("decode", "words.mill", "a.bin")
    assert code == 1 and "of another tokenizer" in err


class Endless(io.RawIOBase):
    """The standard input that `yes` gives."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        buffer[:] = b"y\n" * (len(buffer) // 2) + b"y" * (len(buffer) % 2)
        return len(buffer)


def endless(monkeypatch) -> None:
    monkeypatch.setattr(sources, "standard_input", lambda: io.BufferedReader(Endless()))


def test_standard_input_for_which_there_is_no_room(monkeypatch):
    class Full(io.BytesIO):
        def write(self, _) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    endless(monkeypatch)
    with pytest.raises(SpecError, match=r"standard input is kept in .* no room left; set TMPDIR"):
        sources._keep(sources.standard_input(), Full())


@pytest.mark.parametrize("bound", ["of all", "of what is free"])
def test_standard_input_without_an_end_has_a_bound(monkeypatch, folder, bound):
    """`yes | bytemill encode MODEL - | head -1` once filled the disk."""
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    endless(monkeypatch)
    if bound == "of all":
        monkeypatch.setattr(sources, "MOST_KEPT", 3_000_000)
    else:
        used = shutil.disk_usage(folder)
        monkeypatch.setattr(shutil, "disk_usage", lambda _: used._replace(free=6_000_000))
    before = sorted(folder.iterdir())
    with (
        pytest.raises(SpecError, match=r"has more than 3,000,000 bytes .* --input-format lines"),
        sources.spooled(True),
    ):
        pass
    assert sorted(folder.iterdir()) == before


@pytest.mark.skipif(shutil.which("yes") is None, reason="needs yes")
def test_lines_of_standard_input_without_an_end_need_no_room(folder):
    """They are answered as they come, and the reader may leave."""
    command = [*COMMAND, "encode", "words.mill", "-", "--input-format", "lines"]
    with (
        subprocess.Popen(["yes"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as yes,
        subprocess.Popen(command, stdin=yes.stdout, stdout=subprocess.PIPE, env=environment()) as encode,
    ):
        yes.stdout.close()
        assert encode.stdout.readline().split()
        encode.stdout.close()
        assert encode.wait(30) == exits.BROKEN_PIPE
