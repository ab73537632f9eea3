"""--engine and --shard-bytes: the same results by shards, and what cannot be shared is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import bytemill

SHARDS = ("--engine", "local", "--shard-bytes", "20B")


def test_shards_give_the_same_results(invoke):
    for name, shards in (("one", ()), ("many", SHARDS)):
        lines = ("--input-format", "lines", *shards)
        for command in ("count-pieces corpus.txt -o {}.counts", "train corpus.txt -o {}.mill --vocab-size 270"):
            code, _, err = invoke(*command.format(name).split(), *lines)
            assert code == 0, err
    assert Path("one.counts").read_bytes() == Path("many.counts").read_bytes()
    assert bytemill.load("one.mill").fingerprint == bytemill.load("many.mill").fingerprint


def test_a_shard_becomes_a_file(invoke):
    code, _, err = invoke("encode", "words.mill", "corpus.txt", "-o", "t.bin", "--input-format", "lines", *SHARDS)
    assert code == 0, err
    assert sorted(path.name for path in Path().glob("t*.bin")) == ["t-00000.bin", "t-00001.bin"]
    assert len(bytemill.open_tokens("t.bin")) == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("train", "corpus.txt", "-o", "x.mill", "--engine", "dask"), "'dask' is no engine"),
        (("train", "corpus.txt", "-o", "x.mill", "--engine", "spakr"), "did you mean 'spark'?"),
        (("train", "-", "-o", "x.mill", *SHARDS), "that its workers can read"),
        (("count-pieces", "-", "-o", "x.counts", *SHARDS), "that its workers can read"),
        (("encode", "words.mill", "--text", "a", *SHARDS), "that its workers can read"),
        (("encode", "words.mill", "corpus.txt", *SHARDS), "--engine is for token files"),
        (("encode", "words.mill", "corpus.txt", "-o", "-", *SHARDS), "write several files"),
        (("train", "corpus.txt", "-o", "x.mill", "--checkpoint", "c", *SHARDS), "is for counting on this machine"),
    ],
)
def test_what_cannot_be_shared_is_refused(invoke, arguments, told):
    code, _, err = invoke(*arguments)
    assert code != 0 and told in " ".join(err.split()), err
