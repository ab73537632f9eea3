"""The worked examples of the documents that this project started from, to the letter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill import BPE, Code, Word, errors

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
