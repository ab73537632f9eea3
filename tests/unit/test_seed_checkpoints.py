"""The checkpoint tests of seed document 000, for characters and for words."""

from __future__ import annotations

from tests.samples import chars, words


def test_char_tokenizer_basic() -> None:
    tok = chars(["hello world"])
    assert len(tok.encode("hello")) == 5
    assert tok.decode(tok.encode("hello")) == "hello"


def test_special_tokens() -> None:
    tok = chars([])
    assert tok.encode("<PAD>") == [0]
    assert tok.encode("<UNK>") == [1]
    assert tok.encode("<BOS>") == [2]
    assert tok.encode("<EOS>") == [3]


def test_unknown_characters() -> None:
    tok = chars(["abc"])
    assert tok.encode("axc") == [4, 1, 6]


def test_unicode_support() -> None:
    tok = chars(["Hello 世界 🚀"])
    assert len(tok.encode("世界")) == 2
    assert tok.decode(tok.encode("世界")) == "世界"


def test_vocab_size() -> None:
    assert chars(["aabbcc"]).vocab_size == 4 + 3


def test_word_tokenizer_basic() -> None:
    tok = words(["the cat sat on the mat"])
    assert len(tok.encode("the cat")) == 2
    assert tok.decode(tok.encode("the cat")) == "the cat"


def test_punctuation_splitting() -> None:
    assert words(["Hello, world!"]).tokenize("Hello, world!") == ["Hello", ",", "world", "!"]


def test_frequency_filtering() -> None:
    tok = words(["the cat the dog the bird cat"], min_frequency=2)
    assert tok.encode("the dog") == [4, 1]
    assert tok.encode("cat bird") == [5, 1]


def test_case_sensitivity() -> None:
    tok = words(["The the THE"])
    assert tok.vocab_size == 4 + 3
    assert len(set(tok.encode("The the THE"))) == 3


def test_unknown_words() -> None:
    tok = words(["hello world"])
    assert tok.encode("hello universe") == [4, 1]
