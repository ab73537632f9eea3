"""`count`, `cut` and `check`: rows, literal texts, limits, round trips."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bytemill

TEXT = "The cat sat on the mat. Grüezi, naïve 👩‍🚀!\n"


def test_a_text_on_the_command_line(invoke, bpe):
    report = json.loads(invoke("count", "bpe.mill", "--text", TEXT, "--json")[1])
    assert report["total"]["tokens"] == bpe.count(TEXT)
    assert invoke("encode", "bpe.mill", "--text", TEXT)[1].split() == [str(id) for id in bpe.encode(TEXT)]
    code, _, err = invoke("count", "bpe.mill", "corpus.txt", "--text", TEXT)
    assert code == 2 and "give sources or --text, not both" in err


def test_a_row_for_each_file(invoke, bpe):
    Path("texts/more").mkdir()
    Path("texts/more/c.jsonl").write_text('{"text": "one"}\n{"text": "two"}\n')
    report = json.loads(invoke("count", "bpe.mill", "texts", "corpus.txt", "--json")[1])
    found = {row["source"]: (row["documents"], row["tokens"]) for row in report["sources"]}
    assert found == {
        "texts/a.txt": (1, bpe.count("the cat")),
        "texts/b.txt": (1, bpe.count("the dog")),
        "texts/more/c.jsonl": (2, bpe.count("one") + bpe.count("two")),
        "corpus.txt": (1, bpe.count(Path("corpus.txt").read_text())),
    }
    assert report["total"]["documents"] == 5
    _, out, _ = invoke("count", "bpe.mill", "texts", "--total")
    assert len(out.splitlines()) == 2 and out.endswith("total\n")


def test_files_are_counted_by_the_library(bpe):
    Path("empty.txt").write_text("")
    big = "word wörd \n" * 100_000
    Path("big.txt").write_text(big, encoding="utf-8")
    found = bpe.count_files([Path("big.txt"), Path("empty.txt"), Path("records.jsonl")], progress=False)
    assert [(row.path.name, row.documents, row.tokens, row.bytes) for row in found] == [
        ("big.txt", 1, bpe.count(big), len(big.encode())),
        ("empty.txt", 1, 0, 0),
        ("records.jsonl", 2, bpe.count("the cat") + bpe.count("a dog\nran"), 16),
    ]
    assert found[0].bytes_per_token == found[0].bytes / found[0].tokens
    assert found[1].bytes_per_token == 0.0


@pytest.mark.parametrize("n", [0, 1, 5, 1000])
def test_cutting(invoke, bpe, n):
    assert invoke("cut", "bpe.mill", str(n), "--text", TEXT)[1] == bpe.cut(TEXT, n)
    assert invoke("cut", "bpe.mill", str(n), "--last", stdin=TEXT.encode())[1] == bpe.cut(TEXT, n, from_end=True)
    Path("t.txt").write_text(TEXT, encoding="utf-8")
    facts = json.loads(invoke("cut", "bpe.mill", str(n), "t.txt", "--json")[1])
    assert facts == {"text": bpe.cut(TEXT, n), "tokens": bpe.count(bpe.cut(TEXT, n)), "is_cut": n < 1000}


def test_cutting_takes_one_document(invoke, bpe):
    code, _, err = invoke("cut", "bpe.mill", "5", "records.jsonl")
    assert code == 1 and "there are several documents" in err


def test_texts_that_come_back(invoke, bpe):
    code, out, _ = invoke("check", "bpe.mill", "corpus.txt", "records.jsonl", "texts")
    assert (code, out.split(",")[0]) == (0, "exact: 5 documents")


def test_texts_that_do_not_come_back(invoke, bpe):
    Path("z.jsonl").write_text('{"text": "the cat"}\n{"text": "The cat saw  zebras"}\n{"text": "zebras"}\n')
    code, out, _ = invoke("check", "words.mill", "z.jsonl")
    assert code == 1
    assert out == (
        "2 of 3 documents came back changed; the first is z.jsonl, line 2\n"
        "at character 12\n"
        "expected  'The cat saw  zebras'\n"
        "found     'The cat saw <UNK>'\n"
    )
    code, out, _ = invoke("check", "words.mill", "--json", stdin=b"zebra")
    assert code == 1
    assert json.loads(out) == {
        "exact": False,
        "documents": 1,
        "tokens": 1,
        "different": 1,
        "first": {"place": "standard input", "position": 0, "expected": "zebra", "found": "<UNK>"},
    }


def test_the_round_trip_of_the_library(bpe):
    assert bpe.check_round_trip(TEXT)
    words = bytemill.load("words.mill")
    found = words.check_round_trip("The  cat")
    assert not found
    assert (found.exact, found.position, found.expected, found.found) == (False, 4, "The  cat", "The cat")
    assert not words.check_round_trip("The cat ")
    assert words.check_round_trip("The cat ").position == 7
