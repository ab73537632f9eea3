"""Tokens in colour, and that no text can drive the terminal."""

from __future__ import annotations

import itertools
import json
import re
import time
from pathlib import Path

import pytest

import bytemill
from bytemill.cli.inspect import MOST
from bytemill.cli.paint import PART, Cell, cells
from bytemill.results.visible import visible

#: Terminals by what they can show: 16, 256 and all colours.
TERMINALS = [
    {"TERM": "xterm"},
    {"TERM": "xterm-256color"},
    {"TERM": "xterm", "COLORTERM": "truecolor"},
]


@pytest.mark.parametrize("terminal", TERMINALS, ids=["16", "256", "truecolor"])
def test_neighbours_differ_in_colour(invoke, monkeypatch, terminal):
    for name, value in {"FORCE_COLOR": "1", **terminal}.items():
        monkeypatch.setenv(name, value)
    _, out, _ = invoke("inspect", "words.mill", "the cat, the dog. zebra")
    painted = re.findall(r"\x1b\[([\d;]+)m(.*?)\x1b\[0m", out)
    assert [text for _, text in painted] == ["the", "cat", ",", "the", "dog", ".", "<UNK>:zebra"]
    styles = [style for style, _ in painted]
    assert all(left != right for left, right in itertools.pairwise(styles))


def test_no_color_is_obeyed(invoke, monkeypatch):
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm-256color", "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    assert invoke("inspect", "words.mill", "the cat")[1].startswith("[the] [cat]\n")


def test_controls_show_as_pictures():
    assert visible(" \t\n\r\x1b[2J\x7f\x9b\u202e") == "·→⏎␍␛[2J<U+007F><U+009B><U+202E>"
    assert visible("👩‍👩‍👧 é 東") == "👩‍👩‍👧·é·東"


def test_no_escape_reaches_the_terminal(invoke):
    for tokenizer in ("words.mill", "chars.mill"):
        for flags in ([], ["--ids"]):
            _, out, _ = invoke("inspect", tokenizer, "the\x1b[2J \x1b]0;title\x07 cat\x9b\u202e", *flags)
            assert not set(out) & set("\x1b\x07\x9b\u202e")


def test_cells_cover_the_text(folder):
    for name in ("words.mill", "chars.mill"):
        text = "  The cat,\n saw <EOS> a zebra!  "
        *found, rest = cells(bytemill.load(name), text)
        assert "".join(cell.gap + cell.covered for cell in found) + rest == text


def test_description_as_json(invoke):
    tok = bytemill.load("words.mill")
    facts = json.loads(invoke("inspect", "words.mill", "--json")[1])
    assert facts["family"] == "word"
    assert facts["vocab_size"] == tok.vocab_size
    assert facts["special_tokens"] == tok.special_tokens
    assert next(iter(facts["latest_tokens"])) == "saw" == tok.id_to_token(tok.vocab_size - 1)


def test_an_empty_text(invoke):
    assert invoke("inspect", "words.mill", "") == (0, "\n0 characters, 0 bytes, 0 tokens\n", "")
    assert invoke("inspect", "words.mill", "", "--ids") == (0, "0 characters, 0 bytes, 0 tokens\n", "")


def test_a_text_from_standard_input(process):
    assert process("inspect", "words.mill", "--file", "-", stdin=b"the cat").stdout.startswith(b"[the] [cat]\n")


def test_explaining_a_text(invoke):
    _, out, _ = invoke("inspect", "words.mill", "the\x1b[2J <EOS>", "--explain")
    assert out.startswith("the␛  (0 to 4)\n  = <UNK> 1\n")
    assert "\x1b" not in out and "<EOS>  (8 to 13, an added token)" in out
    _, out, _ = invoke("inspect", "words.mill", "the", "--explain", "--json")
    assert json.loads(out)["pieces"][0]["text"] == "the"
    code, _, err = invoke("inspect", "words.mill", "--explain")
    assert code != 0 and "--explain needs a text or --file" in err


def test_what_is_unknown_is_told_by_its_id():
    unigram = bytemill.train(["low lower lowest " * 9], bytemill.Unigram(14), progress=False)
    *found, _ = cells(unigram, "low fox")
    assert [cell.covered for cell in found if cell.unknown] and not found[0].unknown
    keywords = bytemill.train(["if x: y\n"] * 3, bytemill.Word(), pretokenizer=bytemill.Code("python"), progress=False)
    *found, _ = cells(keywords, "if z: y\n")
    assert [cell.covered for cell in found if cell.unknown] == [" z"]


def test_what_is_piped_in_is_the_text(process):
    """It used to be ignored, and `-` was taken for the text itself."""
    for arguments in ([], ["-"], ["--file", "-"]):
        assert process("inspect", "words.mill", *arguments, stdin=b"the cat").stdout.startswith(b"[the] [cat]\n")
    assert process("inspect", "words.mill", stdin=b"").stdout.startswith(b"family ")


def test_a_long_text_is_cut_unless_all_is_asked_for(invoke, bpe):
    text = "the cat sat\n" * 200_000
    Path("long.txt").write_text(text)
    started = time.monotonic()
    _, out, _ = invoke("inspect", "bpe.mill", "--file", "long.txt")
    assert time.monotonic() - started < 5  # took 28 s for a text of twice the size
    assert out.endswith("; there is more, which --all shows\n") and f" {MOST:,} tokens" in out
    facts = json.loads(invoke("inspect", "bpe.mill", "--file", "long.txt", "--json")[1])
    assert facts["is_cut"] and [piece["id"] for piece in facts["pieces"]] == bpe.encode(text)[:MOST]
    short = text[: PART * 3]
    Path("long.txt").write_text(short)
    facts = json.loads(invoke("inspect", "bpe.mill", "--file", "long.txt", "--json", "--all")[1])
    assert not facts["is_cut"] and [piece["id"] for piece in facts["pieces"]] == bpe.encode(short)
    assert facts["characters"] == len(short)


@pytest.mark.parametrize("spec", [bytemill.BPE(262), bytemill.Unigram(26), bytemill.Word(), bytemill.Char()], ids=type)
def test_parts_of_a_long_text_have_the_tokens_of_the_whole(folder, spec):
    tok = bytemill.train(Path("corpus.txt"), spec, progress=False)
    text = "The cat saw a zebra,  and 東京 ran!\n" * (PART // 8)
    *found, rest = cells(tok, text)
    assert [cell.id for cell in found if isinstance(cell, Cell)] == tok.encode(text)
    assert found[-1].end <= len(text) and isinstance(rest, str)
    assert all(text[cell.start : cell.end].endswith(cell.covered) for cell in found)


def test_one_notation_for_spaces_and_parts_of_characters(invoke, bpe):
    shown = "·<0xE2><0x82><0xAC>"
    for flags in ([], ["--ids"], ["--explain"]):
        _, out, _ = invoke("inspect", "bpe.mill", " €", *flags)
        assert all(part in out for part in ("·", "<0xE2>", "<0x82>", "<0xAC>"))
        assert "\ufffd" not in out and "\\xe2" not in out and "␣" not in out
    assert invoke("inspect", "bpe.mill", " €")[1].splitlines()[0].replace("[", "").replace("]", "") == shown


def test_a_description_has_no_tables(invoke):
    bytemill.train(["low lower lowest " * 9], bytemill.Unigram(14), progress=False).save("uni.model")
    assert len(invoke("inspect", "uni.model", "--json")[1]) < 5_000
    _, out, _ = invoke("inspect", "uni.model")
    assert "longest tokens" in out and "latest tokens" in out and "first tokens" not in out


def test_one_of_something_is_one(invoke):
    assert invoke("inspect", "chars.mill", "a")[1].endswith("1 character, 1 byte, 1 token, 1.00 bytes/token\n")


def test_all_of_a_text_is_shown_whatever_the_length_of_an_input(invoke, folder):
    saved = bytemill.train(["a b c"], bytemill.Word()).to_bytes("tokenizer.json")
    limits = {"max_length": 3, "strategy": "LongestFirst", "stride": 0, "direction": "Right"}
    Path("short.json").write_text(json.dumps({**json.loads(saved), "truncation": limits}), encoding="utf-8")
    assert "9 tokens" in invoke("inspect", "short.json", "a b c a b c a b c")[1]
