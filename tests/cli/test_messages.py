"""What people see when they mistype: near suggestions, sizes and names as people write them, and no inner workings."""

from __future__ import annotations

from pathlib import Path

import pytest

import bytemill
from bytemill.left_out import LeftOut


def test_suggestions_are_near_or_there_are_none(invoke):
    Path("b.txt").write_text("b")
    assert invoke("count", "words.mill", "nope.txt")[2] == "error: there is no file or folder 'nope.txt'\n"
    assert "did you mean 'corpus.txt'?" in invoke("count", "words.mill", "corpsu.txt")[2]
    assert invoke("trian")[2].startswith("error: unknown command 'trian'; did you mean 'train'?\n")
    assert invoke("zzz")[2].startswith("error: unknown command 'zzz'\n")
    assert (
        "unknown option '--vocab-szie'; did you mean '--vocab-size'?"
        in invoke("train", "corpus.txt", "-o", "x.mill", "--vocab-szie", "300")[2]
    )


@pytest.mark.parametrize("size", ["300", "0.3k", "0.3K"])
@pytest.mark.parametrize("family", ["BPE", "bpe", "Bpe"])
def test_sizes_and_families_as_people_write_them(invoke, size, family):
    Path("train.txt").write_text(Path("corpus.txt").read_text() * 3)
    how = ["--vocab-size", size, "--family", family, "--min-frequency", "1"]
    code, _, err = invoke("train", "train.txt", "-o", "x.mill", *how)
    assert code == 0, err
    assert bytemill.load("x.mill").family == "bpe"


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("--vocab-size", "1x", "'1x' is not a whole number; write it like 32000, 32k or 1M"),
        ("--memory", "12", "write it with its unit, like 2GB or 500MB"),
        ("--memory", "lots", "'lots' is not an amount of memory"),
        ("--threads", "0", "it must be at least 1, not 0"),
        ("--threads", "two", "'two' is not a whole number"),
        ("--family", "bep", "did you mean 'bpe'?"),
        ("--pretokenizer", "gpt22", "did you mean 'gpt2'?"),
    ],
)
def test_values_that_cannot_be_read(invoke, option, value, told):
    code, _, err = invoke("train", "corpus.txt", "-o", "x.mill", option, value)
    assert code == 2
    assert told in err and "pydantic" not in err and "Traceback" not in err


def test_what_follows_every_document_is_a_special_token(invoke):
    """`--append eos` used to append an ordinary token of that spelling."""
    corpus = "eos eos eos the cat <EOS>"
    Path("eos.txt").write_text(corpus)
    tok = bytemill.train(Path("eos.txt"), bytemill.BPE(259, min_frequency=1), special_tokens=["<EOS>"], progress=False)
    tok.save("eos.mill")
    assert "eos" in tok
    code, _, err = invoke("encode", "eos.mill", "--text", "cat", "--append", "eos")
    if code == 0:  # <EOS> has the role of that name
        assert invoke("encode", "eos.mill", "--text", "cat", "--append", "eos")[1].split()[-1] == str(
            tok.token_to_id("<EOS>")
        )
    else:
        assert code == 2 and "'eos' is an ordinary token" in err and f"--append-id {tok.token_to_id('eos')}" in err
    assert invoke("encode", "eos.mill", "--text", "cat", "--append", "<EOS>")[1].split()[-1] == str(
        tok.token_to_id("<EOS>")
    )
    assert invoke("encode", "eos.mill", "--text", "cat", "--append-id", "7")[1].split()[-1] == "7"
    assert invoke("encode", "eos.mill", "--text", "cat", "--append-id", "7", "--append", "<EOS>")[0] == 2
    code, _, err = invoke("encode", "eos.mill", "--text", "cat", "--append", "<EOZ>")
    assert code == 2 and "did you mean '<EOS>'?" in err


def test_a_pattern_can_be_given_to_every_command(invoke):
    tok = bytemill.train(Path("corpus.txt"), bytemill.BPE(262, ties="tiktoken"), progress=False)
    with pytest.warns(LeftOut, match="without the pattern"):
        tok.save("own.tiktoken")
    code, _, err = invoke("count", "own.tiktoken", "corpus.txt")
    assert code != 0 and "--pattern" in err
    for command in (["count"], ["encode"], ["inspect"], ["check"], ["cut"]):
        more = ["3"] if command == ["cut"] else []
        text = ["the cat"] if command == ["inspect"] else ["--text", "the cat"]
        assert invoke(*command, "own.tiktoken", *more, *text, "--pattern", "o200k")[0] == 0
    assert invoke("decode", "own.tiktoken", "--pattern", "o200k", stdin=b"97 98")[1] == "ab\n"
