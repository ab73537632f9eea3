"""Every option of `train` changes the tokenizer as it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bytemill

TEXT = "Été été cat cat 東京 gpt-2"


@pytest.mark.parametrize(
    ("options", "text", "tokens"),
    [
        ([], "Été 東京", ["Été", "東京"]),
        (["--family", "char"], "cat", ["c", "a", "t"]),
        (["--lowercase"], "Été CAT", ["été", "cat"]),
        (["--strip-accents"], "Été", ["Ete"]),
        (["--split-cjk"], "東京", ["東", "京"]),
        (["--vocab-size", "5"], "cat été", ["cat", "<UNK>"]),
        (["--min-frequency", "2"], "cat été", ["cat", "<UNK>"]),
        (["--special", "<A>", "--special", "<B>"], "<A>cat<B>", ["<A>", "cat", "<B>"]),
        (["--normalizer", "lowercase"], "Été", ["été"]),
        (["--pretokenizer", "whitespace_split"], "gpt-2", ["gpt-2"]),
    ],
)
def test_option(invoke, options, text, tokens):
    Path("train.txt").write_text(TEXT, encoding="utf-8")
    family = [] if "--family" in options else ["--family", "word"]
    code, _, err = invoke("train", "train.txt", "-o", "new.mill", *family, *options)
    assert code == 0, err
    assert bytemill.load("new.mill").tokenize(text) == tokens


@pytest.mark.parametrize(
    ("options", "text", "tokens"),
    [
        (["--vocab-size", "258"], "cat", ["cat"]),
        (["--vocab-size", "257"], "cat", ["c", "at"]),
        (["--vocab-size", "300", "--max-token-length", "2"], " cat", [" c", "at"]),
        (["--vocab-size", "257", "--ties", "tiktoken"], "cat", ["ca", "t"]),
        (["--vocab-size", "400", "--min-frequency", "1"], "cat dog", ["cat", " dog"]),
        (["--vocab-size", "259", "--special", "<A>"], "<A>cat", ["<A>", "cat"]),
        (["--characters", "--unk-token", "?"], "cat€", ["▁cat", "?"]),
        (["--characters", "--end-of-word-suffix", "</w>", "--pretokenizer", "bert"], "cat", ["cat</w>"]),
        (["--characters", "--initial-alphabet", "€"], "cat€", ["▁cat", "€"]),
        (["--characters", "--limit-alphabet", "3", "--unk-token", "?"], "cat", ["▁ca", "?"]),
    ],
)
def test_option_of_bpe(invoke, options, text, tokens):
    Path("train.txt").write_text("cat cat cat dog", encoding="utf-8")
    code, _, err = invoke("train", "train.txt", "-o", "new.mill", *options)
    assert code == 0, err
    assert bytemill.load("new.mill").tokenize(text) == tokens


def test_bos_and_eos_of_bpe(invoke):
    options = ("--vocab-size", "258", "--add-eos")
    assert invoke("train", "corpus.txt", "-o", "new.mill", *options)[0] == 0
    assert bytemill.load("new.mill")("c").tokens == ["c", "<EOS>"]


@pytest.mark.parametrize("option", [("--ties", "cs336"), ("--max-token-length", "5")])
def test_options_of_bpe_go_with_it(invoke, option):
    code, _, err = invoke("train", "corpus.txt", "-o", "new.mill", "--family", "word", *option)
    assert code == 2
    assert f"{option[0]} is for bpe" in err and "the family is word" in err


@pytest.mark.parametrize(
    ("output", "family"),
    [
        ("new.mill", "bpe"),
        ("tokenizer.json", "bpe"),
        ("new.model", "unigram"),
        ("vocab.txt", "wordpiece"),
        ("bert-vocab.txt", "wordpiece"),
    ],
)
def test_the_family_follows_from_the_name_of_the_output(invoke, output, family):
    """It used to be words, whatever the name, and `.model` failed."""
    how = ["--vocab-size", "40"] if family == "unigram" else ["--vocab-size", "300"]
    code, _, err = invoke("train", "corpus.txt", "-o", output, *how)
    assert code == 0, err
    assert bytemill.load(output).family == family


def test_a_log_of_the_merges(invoke):
    Path("train.txt").write_text("cat cat cat dog", encoding="utf-8")
    assert invoke("train", "train.txt", "-o", "new.mill", "--log", "merges.jsonl")[0] == 0
    logged = Path("merges.jsonl").read_text().splitlines()
    assert len(logged) == len(bytemill.load("new.mill").merges()) > 0


def test_more_merges_for_a_tokenizer(invoke):
    assert invoke("train", "corpus.txt", "-o", "small.mill", "--vocab-size", "260")[0] == 0
    more = ["--continue-from", "small.mill", "--vocab-size", "264"]
    code, _, err = invoke("train", "corpus.txt", "-o", "large.mill", *more)
    assert code == 0, err
    small, large = bytemill.load("small.mill"), bytemill.load("large.mill")
    assert large.merges()[: len(small.merges())] == small.merges() and len(large.merges()) > len(small.merges())


def test_a_smaller_vocabulary(invoke):
    assert invoke("train", "corpus.txt", "-o", "large.mill", "--vocab-size", "264")[0] == 0
    assert invoke("convert", "large.mill", "small.mill", "--vocab-size", "260")[0] == 0
    assert bytemill.load("small.mill") == bytemill.load("large.mill").truncated(260)


def test_code_with_its_language_and_markers(invoke):
    Path("src").mkdir()
    Path("src/a.py").write_text("def f(x):\n    return x\n")
    Path("src/package.json").write_text('{"name": "x"}')
    Path("src/notes.bin").write_bytes(b"\0\1")
    how = ["--pretokenizer", "code", "--language", "python", "--marker", "indent", "--marker", "dedent"]
    code, out, err = invoke("train", "src", "-o", "code.mill", *how, "--json")
    assert code == 0, err
    assert json.loads(out)["documents"] == 2
    stage = json.loads(bytemill.load("code.mill").definition())["pretokenizer"]
    assert (stage["language"], stage["markers"]) == ("python", ["indent", "dedent"])
    code, _, err = invoke("train", "src", "-o", "code.mill", "--language", "python")
    assert code == 2 and "--language and --marker are for --pretokenizer code" in err


def test_the_phases_of_bpe_are_in_the_report(invoke):
    options = ("--family", "bpe", "--vocab-size", "258")
    _, out, _ = invoke("train", "corpus.txt", "-o", "new.mill", *options, "--json")
    assert set(json.loads(out)["phases"]) == {"counting", "arranging", "merging", "building"}
    _, _, err = invoke("train", "corpus.txt", "-o", "new.mill", *options)
    assert "(counting " in err


def test_bos_and_eos(invoke):
    assert invoke("train", "corpus.txt", "-o", "new.mill", "--family", "word", "--add-bos", "--add-eos")[0] == 0
    assert bytemill.load("new.mill")("cat").tokens == ["<BOS>", "cat", "<EOS>"]


def test_field(invoke):
    Path("named.jsonl").write_text('{"text": "one", "body": "two"}\n')
    assert invoke("train", "named.jsonl", "-o", "new.mill", "--family", "word", "--field", "body")[0] == 0
    assert "two" in bytemill.load("new.mill")
    assert "one" not in bytemill.load("new.mill")


def test_errors(invoke):
    assert invoke("train", "latin1.txt", "-o", "new.mill")[0] == 1
    assert not Path("new.mill").exists()
    assert invoke("train", "latin1.txt", "-o", "new.mill", "--errors", "replace", "--family", "char")[0] == 0
    assert "\ufffd" in bytemill.load("new.mill")


def test_format(invoke):
    assert invoke("train", "corpus.txt", "-o", "words.tok")[0] == 2
    assert invoke("train", "corpus.txt", "-o", "words.tok", "--family", "word", "--format", "mill")[0] == 0
    assert bytemill.load("words.tok") == bytemill.load("words.mill")


def test_threads_do_not_change_the_result(invoke):
    for threads in ("1", "2"):
        assert invoke("train", "corpus.txt", "texts", "-o", f"t{threads}.mill", "--threads", threads)[0] == 0
    assert bytemill.load("t1.mill") == bytemill.load("t2.mill")


def test_what_cannot_be_written_fails_before_the_work(invoke, monkeypatch):
    """The source does not exist, yet the name of the output is what the message is about."""
    code, _, err = invoke("train", "missing.txt", "-o", "new.docx")
    assert code == 2
    assert "new.docx" in err
    assert "/tmp" not in err


def test_the_summary_as_json(invoke):
    options = ("--family", "word", "--vocab-size", "100")
    report = json.loads(invoke("train", "corpus.txt", "-o", "new.mill", *options, "--json")[1])
    tok = bytemill.load("new.mill")
    assert report["vocab_size"] == tok.vocab_size
    assert report["fingerprint"] == tok.fingerprint
    assert len(report["notes"]) == 1


@pytest.mark.parametrize(
    ("options", "text", "tokens"),
    [
        ([], "cat", ["▁cat"]),
        (["--model", "char"], "ｃat", ["▁", "c", "a", "t"]),
        (["--model", "char", "--normalization", "identity"], "ｃa", ["▁", "<unk>", "a"]),
        (["--model", "char", "--normalization", "rules.tsv"], "ca", ["▁", "t", "a"]),
        (["--model", "char", "--character-coverage", "0.5"], "cat", ["▁", "<unk>", "a", "<unk>"]),
        (["--model", "word"], "cat cow", ["▁cat", "<unk>"]),
        (["--model", "char", "--byte-fallback", "--vocab-size", "300"], "x", ["▁", "<0x78>"]),
        (["--model", "char", "--symbol", "at"], "cat", ["▁", "c", "at"]),
    ],
)
def test_option_of_sentencepiece(invoke, options, text, tokens):
    Path("train.txt").write_text("cat cat cat a a a dog", encoding="utf-8")
    Path("rules.tsv").write_text("63\t74\n", encoding="utf-8")
    family = ["--family", "sentencepiece", "--vocab-size", "14", "--model", "bpe", "--character-coverage", "1"]
    code, _, err = invoke("train", "train.txt", "-o", "new.model", *family, *options)
    assert code == 0, err
    assert bytemill.load("new.model").tokenize(text) == tokens


@pytest.mark.parametrize(("coverage", "characters"), [([], "▁acdgot"), (["--character-coverage", "0.5"], "▁a")])
def test_characters_have_no_bound_that_was_not_asked_for(invoke, coverage, characters):
    Path("train.txt").write_text("cat cat cat a a a dog", encoding="utf-8")
    family = ["--family", "sentencepiece", "--model", "char", "--json", *coverage]
    code, out, err = invoke("train", "train.txt", "-o", "new.model", *family)
    assert code == 0, err
    assert json.loads(out)["notes"] == []
    tok = bytemill.load("new.model")
    assert sorted(tok.id_to_token(id) for id in range(3, tok.vocab_size)) == sorted(characters)


def test_a_coverage_of_nothing_is_refused(invoke):
    Path("train.txt").write_text("cat", encoding="utf-8")
    family = ["--family", "sentencepiece", "--model", "char", "--character-coverage", "0"]
    code, _, err = invoke("train", "train.txt", "-o", "new.model", *family)
    assert code != 0
    assert "coverage" in err
    assert not Path("new.model").exists()


@pytest.mark.parametrize("option", ["--model=bpe", "--normalization=nfkc", "--byte-fallback", "--symbol=a"])
def test_options_of_sentencepiece_go_with_it(invoke, option):
    code, _, err = invoke("train", "train.txt", "-o", "new.mill", "--family", "word", option)
    assert code != 0
    assert f"{option.split('=')[0]} is for " in err
