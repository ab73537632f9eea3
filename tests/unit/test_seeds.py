"""The worked examples of the documents that this project started from, to the letter."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill import BPE, Char, Code, SentencePiece, Unigram, Word, WordPiece, code, errors
from bytemill.training import CorpusTooSmall

WORKED = "low low low lowest lower low"


def symbols(size: int, **options: Any) -> bytemill.Tokenizer:
    spec = BPE(size, byte_level=False, end_of_word="symbol", min_frequency=1, unk_token=None, **options)
    return bytemill.train([WORKED], spec, progress=False)


def test_the_end_of_a_word_is_a_symbol_of_its_own() -> None:
    tok = symbols(10)
    assert list(tok.vocab()) == ["e", "l", "o", "r", "s", "t", "w", "</w>", "lo", "low"]
    assert tok.merges() == [(b"l", b"o"), (b"lo", b"w")]
    assert tok.tokenize("low lowest") == ["low", "</w>", "low", "e", "s", "t", "</w>"]
    assert symbols(16).tokenize("lowest") == ["lowest", "</w>"]
    assert symbols(17).tokenize("lowest") == ["lowest</w>"]


def test_that_symbol_decodes_to_a_space_and_takes_no_place() -> None:
    tok = symbols(10)
    ids = tok.encode("low lowest")
    stream = tok.stream()
    assert tok.decode(ids) == "low lowest" == "".join(map(stream.push, ids)) + stream.finish()
    assert tok("low lowest", offsets=True).offsets[:3] == [(0, 3), (3, 3), (4, 7)]
    assert tok.decode(tok.encode_iterable(["lo", "w low"])) == "low low"


def test_without_the_symbol_it_is_the_ending_of_the_last_character() -> None:
    spec = BPE(6, byte_level=False, end_of_word_suffix="</w>", min_frequency=1, unk_token=None, end_of_word="suffix")
    tok = bytemill.train(["low low"], spec, progress=False)
    assert "w</w>" in tok.vocab() and "</w>" not in tok.vocab()


def test_another_symbol_may_end_words_and_bytes_may_be_the_others() -> None:
    assert symbols(10, end_of_word_suffix="_").tokenize("low") == ["low", "_"]
    tok = bytemill.train([WORKED], BPE(259, end_of_word="symbol"), pretokenizer="bert", progress=False)
    assert tok.tokenize("low é") == ["low", "</w>", "<0xC3>", "<0xA9>", "</w>"]
    assert tok.decode(tok.encode("low é")) == "low é"
    assert tok("é", offsets=True).offsets == [(0, 1), (0, 1), (1, 1)]


def test_files_keep_the_symbol_or_refuse_it(tmp_path: Path) -> None:
    tok = symbols(10)
    for name in ("a.mill", "a.mill.json"):
        tok.save(tmp_path / name)
        again = bytemill.load(tmp_path / name)
        assert again == tok and again.encode("lowest") == tok.encode("lowest")
    for name in ("tokenizer.json", "vocab.json"):
        with pytest.raises(errors.FormatError, match="an end of words that is a symbol of its own"):
            tok.save(tmp_path / name)


def test_unknown_kinds_of_ends_are_refused() -> None:
    with pytest.raises(errors.SpecError, match="did you mean 'symbol'"):
        BPE(end_of_word="symbl")  # type: ignore[arg-type]


SOURCE = '''def get(a):
    """Gets it.

    Args:
        a: Which.

    Returns:
        The thing.
    """
    return a  # by name
'''


def marked(markers: Any) -> list[str]:
    tok = bytemill.train([SOURCE], Word(), pretokenizer=Code("python", markers=markers), progress=False)
    assert tok.decode(tok.encode(SOURCE)) == SOURCE
    return tok.tokenize(SOURCE)


def test_comments_and_docstrings_can_end_with_tokens() -> None:
    tokens = marked(["comment", "comment_end", "docstring", "docstring_end"])
    assert tokens[tokens.index("<comment>") :] == ["<comment>", "#", " by", " name", "<comment_end>", "\n"]
    start, end = tokens.index("<docstring>"), tokens.index("<docstring_end>")
    assert tokens[start + 1] == '"""' == tokens[end - 1]


def test_strings_can_end_with_tokens() -> None:
    pretokenizer = Code("python", markers=["str", "str_end"])
    tok = bytemill.train(["x = 'a b'"], Word(), pretokenizer=pretokenizer, progress=False)
    assert tok.tokenize("x = 'a b'") == ["x", " =", "<str>", " '", "a", " b", "'", "<str_end>"]


def test_sections_of_docstrings_can_be_tokens() -> None:
    tokens = marked(["section"])
    assert [token for token in tokens if token.startswith("<doc")] == ["<doc:args>", "<doc:returns>"]
    assert tokens[tokens.index("<doc:args>") - 1] == ".\n\n"
    # The pieces are those that there are without the marks.
    assert [token for token in tokens if not token.startswith("<doc:")] == marked(())


def test_all_markers_are_all_of_them() -> None:
    names = {"<indent>", "<dedent>", "<newline>", "<comment>", "<comment_end>", "<docstring>", "<docstring_end>"}
    assert names < set(marked(True))


TEXT = "low low low lower lower newest widest"


def trained(text: str, spec: Any, **options: Any) -> bytemill.Tokenizer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CorpusTooSmall)
        return bytemill.train([text], spec, progress=False, **options)


def log_of(spec: Any, folder: Path, **options: Any) -> list[dict[str, Any]]:
    tok = trained(f"{TEXT} " * 20, spec, log=folder / "log.jsonl", **options)
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    for line in lines:
        text = line.get("token") or line.get("left", "") + line.get("right", "").removeprefix("##")
        assert "round" in line or tok.token_to_id(text) == line["id"]
    return lines


@pytest.mark.parametrize("options", [{}, {"special_tokens": {"<x>": 6}}])
def test_every_trainer_has_a_log(options: Any, tmp_path: Path) -> None:
    words = log_of(Word(), tmp_path, **options)
    assert [(line["token"], line["count"]) for line in words[:2]] == [("low", 60), ("lower", 40)]
    assert log_of(Char(), tmp_path, **options)[0] | {"id": 0} == {"token": " ", "id": 0, "count": 140}
    for spec in (BPE(270), WordPiece(30), SentencePiece(24, model="bpe")):
        lines = log_of(spec, tmp_path, **options)
        assert lines and all(set(line) == {"left", "right", "id", "count"} for line in lines)
        assert lines[0]["count"] >= 100
    for model in ("word", "char"):
        lines = log_of(SentencePiece(model=model), tmp_path)
        assert lines and all(line["count"] >= 20 for line in lines)


def test_unigram_logs_its_rounds(tmp_path: Path) -> None:
    rounds = log_of(Unigram(20), tmp_path)
    assert [line["round"] for line in rounds] == list(range(1, len(rounds) + 1))
    assert all(line["estimated"] >= line["kept"] for line in rounds)


def test_an_unknown_language_is_split_by_its_characters_and_said() -> None:
    source = "fun main() { println(1) }"
    with pytest.warns(errors.UnknownLanguage, match="no grammar for the language 'klingon' here"):
        pieces = code.code_pieces(source, "klingon")
    plain = code.code_pieces(source, "text")
    assert pieces.language == "text" and list(pieces) == list(plain)
    with pytest.warns(errors.UnknownLanguage):
        pretokenizer = Code("klingon")
    assert pretokenizer == Code("text")
    tok = bytemill.train([source], Word(), pretokenizer=pretokenizer, progress=False)
    assert tok.tokenize(source)[:2] == ["fun", " main"] and tok.decode(tok.encode(source)) == source
    with pytest.warns(errors.UnknownLanguage):
        assert tok.encode_code(source, language="klingon").language == "text"
    # Python would be detected here, if it were not text.
    python = "import os\n\ndef f(self, x):\n    return None\n"
    assert tok.encode_code(python).language == "text" and code.detect_language(python) == "python"


def test_a_language_that_is_misspelt_is_still_an_error() -> None:
    with pytest.raises(errors.SpecError, match="did you mean 'python'"):
        code.code_pieces("x", "pyhton")
    with pytest.raises(errors.SpecError, match="there is no language named 'klingon'"):
        code.keywords("klingon")


@pytest.mark.parametrize(
    "text",
    ["It costs $3.14, or 1,000 at 10:30.", "See http://a.b now", "https://docs.python.org/3/a.html (don't)", "1, 2, 3"],
)
def test_numbers_and_addresses_come_back_from_words(text: str) -> None:
    tok = bytemill.train([text], Word(), progress=False)
    ids = tok.encode(text)
    stream = tok.stream()
    assert tok.decode(ids) == text == "".join(map(stream.push, ids)) + stream.finish()


def test_every_level_of_instructions_gives_the_same_ids() -> None:
    levels = bytemill.features().simd_levels
    assert levels[:2] == ("scalar", "swar") and bytemill.features().simd == levels[-1]
    text = "The cat, 1,234 naïve 漢字 dogs—don't\t\n  x_y 🙂 " * 20
    for spec in (BPE(300), Word(), Char(), WordPiece(80), Unigram(60)):
        for pretokenizer in (None,) if isinstance(spec, Unigram) else (None, "gpt2", "cl100k", "o200k", "whitespace"):
            tok = trained(text, spec, pretokenizer=pretokenizer)
            for level in levels:
                forced = tok.with_simd(level)
                assert forced == tok and forced.encode(text) == tok.encode(text), (spec, pretokenizer, level)
                assert forced.encode_batch([text] * 3).to_list() == [tok.encode(text)] * 3


def test_a_level_that_is_not_there_is_refused() -> None:
    tok = bytemill.train(["a"], Word(), progress=False)
    with pytest.raises(errors.SpecError, match="did you mean 'scalar'"):
        tok.with_simd("scalr")


def test_misspelt_names_of_ways_and_engines_have_suggestions(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the cat")
    for options in ({"errors": "strct"}, {"engine": "sprk"}, {"input_format": "jsnl"}, {"pretokenizer": "gpt3"}):
        with pytest.raises(errors.SpecError, match="did you mean '"):
            bytemill.train(tmp_path / "a.txt", Word(), progress=False, **options)  # type: ignore[arg-type]
