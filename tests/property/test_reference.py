"""bytemill against the executable specification."""

from __future__ import annotations

import doctest
import importlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytemill
from bytemill import normalizers, pretokenizers
from bytemill.reference import normalizing, splitting
from bytemill.reference.chars import ROLES, CharTokenizer
from bytemill.reference.words import WordTokenizer, spaced
from tests.property.strategies import SPECIALS, STABLE, corpora, texts, trained

MODULES = [
    "splitting",
    "normalizing",
    "specials",
    "counting",
    "vocabulary",
    "chars",
    "words",
    "bpe",
    "bpe_training",
    "wordpiece",
    "comparing",
]

SPLITS: dict[str, tuple[pretokenizers.PreTokenizer, Any]] = {
    "whitespace": (pretokenizers.Whitespace(), splitting.whitespace),
    "whitespace_split": (pretokenizers.WhitespaceSplit(), splitting.whitespace_split),
    "bert": (pretokenizers.Bert(), splitting.bert),
    "digits": (pretokenizers.Digits(), splitting.digits),
    "each digit": (pretokenizers.Digits(individual=True), lambda text: splitting.digits(text, individual=True)),
    "delimiter": (pretokenizers.Delimiter("a"), lambda text: splitting.delimiter(text, "a")),
    "two characters": (pretokenizers.FixedLength(2), lambda text: splitting.fixed_length(text, 2)),
} | {
    behavior: (pretokenizers.Punctuation(behavior), lambda text, b=behavior: splitting.punctuation(text, b))
    for behavior in splitting.BEHAVIORS
}
#: Those whose pieces leave nothing of the text out, and are joined without spaces.
COVERING = ("digits", "each digit", "two characters", *splitting.BEHAVIORS[1:])


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_the_reference_run(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(f"bytemill.reference.{name}"))
    assert failed == 0 and tried > 0


def test_the_reference_imports_nothing_of_bytemill() -> None:
    for name in MODULES:
        module = importlib.import_module(f"bytemill.reference.{name}")
        homes = {
            getattr(value, "__module__", None) or getattr(value, "__name__", "") for value in vars(module).values()
        }
        assert not {home for home in homes if home.startswith("bytemill") and not home.startswith("bytemill.reference")}


@pytest.mark.parametrize("name", ["whitespace", "bert", "isolated", "digits"])
def test_every_stable_character_is_in_the_same_class(name: str) -> None:
    pretokenizer, split = SPLITS[name]
    for start in range(0, len(STABLE), 400):
        # Inside a word, and after another symbol.
        text = "".join(f"a{c}a,{c}\n" for c in STABLE[start : start + 400])
        assert [piece for piece, _ in pretokenizer.split(text)] == split(text)


@pytest.mark.parametrize("option", ["lowercase", "strip_accents", "split_cjk"])
def test_every_stable_character_is_normalized_the_same(option: str) -> None:
    off = {"clean_text": False, "split_cjk": False, "strip_accents": False, "lowercase": False}
    text = "a".join(STABLE)
    assert normalizers.Bert(**{**off, option: True}).normalize(text) == normalizing.normalize(text, **{option: True})


@pytest.mark.parametrize("name", SPLITS)
@given(text=texts)
def test_splitting(name: str, text: str) -> None:
    pretokenizer, split = SPLITS[name]
    assert [piece for piece, _ in pretokenizer.split(text)] == split(text)


flags = st.fixed_dictionaries({}, optional={"lowercase": st.just(True), "strip_accents": st.just(True)})
sizes = st.fixed_dictionaries({}, optional={"vocab_size": st.integers(12, 30), "min_frequency": st.integers(1, 3)})


@given(
    corpus=corpora,
    text=texts,
    flags=flags,
    split_cjk=st.booleans(),
    sizes=sizes,
    extra=st.lists(st.sampled_from(SPECIALS), max_size=4),
    split=st.sampled_from(["bert", *SPLITS]),
    wanted=st.none() | st.lists(st.sampled_from(ROLES), max_size=2),
)
def test_words(
    corpus: list[str],
    text: str,
    flags: dict[str, bool],
    split_cjk: bool,
    sizes: dict[str, int],
    extra: list[str],
    split: str,
    wanted: list[str] | None,
) -> None:
    pretokenizer, splitter = SPLITS[split]
    options = {**flags, "split_cjk": split_cjk}
    joined = "".join if split in COVERING else spaced
    reference = WordTokenizer([*ROLES, *extra], split=splitter, joined=joined, **options)
    reference.train(corpus, **sizes)
    tok = trained(bytemill.Word, corpus, {**options, **sizes}, special_tokens=extra, pretokenizer=pretokenizer)
    assert_same(tok, reference, text, wanted)


@given(
    corpus=corpora,
    text=texts,
    flags=flags,
    sizes=sizes,
    extra=st.lists(st.sampled_from(SPECIALS), max_size=4),
    split=st.none() | st.sampled_from(list(SPLITS)),
)
def test_chars(
    corpus: list[str],
    text: str,
    flags: dict[str, bool],
    sizes: dict[str, int],
    extra: list[str],
    split: str | None,
) -> None:
    reference = CharTokenizer([*ROLES, *extra], **({"split": SPLITS[split][1]} if split else {}), **flags)
    reference.train(corpus, **sizes)
    pretokenizer = SPLITS[split][0] if split else None
    tok = trained(bytemill.Char, corpus, {**flags, **sizes}, special_tokens=extra, pretokenizer=pretokenizer)
    assert_same(tok, reference, text, None)


def assert_same(tok: bytemill.Tokenizer, reference: CharTokenizer, text: str, wanted: list[str] | None) -> None:
    assert [tok.id_to_token(id) for id in range(tok.vocab_size)] == reference.tokens
    ids = reference.encode(text, wanted)
    assert tok.encode(text, specials=wanted) == ids
    assert tok.decode(ids) == reference.decode(ids)
    assert tok.decode(ids, skip_special_tokens=True) == reference.decode(ids, skip_specials=True)
