"""`lint`: planted faults are found, and what is called unreachable is reached by nothing that was tried."""

from __future__ import annotations

import doctest
import importlib
import inspect
import itertools
import json
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill.errors import BytemillError, SpecError
from bytemill.see.linting import IDS
from bytemill.see.linting.reach import unreachable
from bytemill.see.linting.subject import Subject
from tests import random_bpe
from tests.samples import CORPUS
from tests.see import broken
from tests.see.broken import PLANTED, json_tokenizer, unigram, wordpiece

CASES = [(id, make) for id, makers in PLANTED.items() for make in makers]


def made(make: Callable[..., bytemill.Tokenizer], folder: Path) -> bytemill.Tokenizer:
    return make(folder) if inspect.signature(make).parameters else make()


@pytest.mark.parametrize(("id", "make"), CASES, ids=[make.__name__ for _, make in CASES])
def test_planted_faults_are_found(id: str, make: Callable[..., bytemill.Tokenizer], tmp_path: Path) -> None:
    found = {finding.id: finding for finding in bytemill.lint(made(make, tmp_path))}
    assert id in found
    assert found[id].examples and found[id].advice and id in IDS


@pytest.mark.parametrize(
    ("make", "example"),
    [
        (broken.a_token_that_no_merge_makes, '"orphan" 258: the merges give o r p h a n'),
        (broken.a_token_that_an_earlier_merge_breaks, '"abc" 258: the merges give a bc'),
        (broken.an_upper_case_token_under_lower_case, "\"Cat\" 3: the normalizer never leaves 'C'"),
        (broken.a_token_with_a_space_after_splitting_at_spaces, '"a·b" 3: the pretokenizer always cuts it: a b'),
        (
            broken.a_continuing_mark_where_marks_are_words,
            "\"##!\" 3: there is always a border before '!', and it continues a word",
        ),
        (broken.a_piece_with_a_better_row, '"ab" 3: a better score has a b'),
    ],
)
def test_unreachable_tokens_have_a_reason(make: Callable[[], bytemill.Tokenizer], example: str) -> None:
    finding = next(one for one in bytemill.lint(make()) if one.id == "unreachable-token")
    assert finding.examples == [example]


def test_a_sound_tokenizer_has_no_warning() -> None:
    tok = bytemill.train(CORPUS, bytemill.BPE(270), special_tokens=["<|end|>"], progress=False)
    assert not bytemill.lint(tok)
    assert {finding.level for finding in bytemill.lint(tok)} == {"note"}


def reached(tok: bytemill.Tokenizer, texts: Iterable[str]) -> set[int]:
    found: set[int] = set()
    for text in texts:
        try:
            found.update(tok.encode(text, specials="none"))
        except BytemillError:
            continue
    return found


def every_text(alphabet: str, longest: int) -> list[str]:
    return ["".join(row) for size in range(1, longest + 1) for row in itertools.product(alphabet, repeat=size)]


@pytest.mark.parametrize("seed", range(12))
def test_brute_force_agrees_for_merges(seed: int) -> None:
    """Without stages and options, what is not listed is reached, and what is listed is not."""
    rng = random.Random(seed)
    tokens, merges = [*"abc"], []
    for _ in range(rng.randint(1, 12)):
        left, right = rng.choice(tokens), rng.choice(tokens)
        if len(left + right) <= 5 and left + right not in tokens:
            tokens.append(left + right)
            merges.append([left, right])
    tokens += [
        token for token in ("".join(rng.choices("abc", k=rng.randint(2, 5))) for _ in range(3)) if token not in tokens
    ]
    rng.shuffle(merges)
    tok = json_tokenizer(
        {"type": "BPE", "vocab": {token: id for id, token in enumerate(dict.fromkeys(tokens))}, "merges": merges}
    )
    listed = set(unreachable(Subject(tok)))
    assert listed == set(range(len(tok))) - reached(tok, every_text("abc", 6))


@pytest.mark.parametrize("seed", range(12))
def test_brute_force_finds_nothing_that_is_listed_with_any_option_of_bpe(seed: int) -> None:
    rng = random.Random(seed)
    try:
        tok = json_tokenizer(
            random_bpe.model(rng, byte_level_model=False),
            pre_tokenizer=rng.choice([None, {"type": "BertPreTokenizer"}]),
        )
    except BytemillError:
        pytest.skip("refused for its own reasons")
    assert not set(unreachable(Subject(tok))) & reached(tok, every_text("abé中🙂 ", 4))


@pytest.mark.parametrize("seed", range(12))
def test_brute_force_agrees_for_scores(seed: int) -> None:
    rng = random.Random(seed)
    tokens = dict.fromkeys([*"abc", *("".join(rng.choices("abc", k=rng.randint(2, 4))) for _ in range(8))])
    tok = unigram({token: -rng.uniform(1, 9) for token in tokens})
    listed = set(unreachable(Subject(tok)))
    assert listed == set(range(1, len(tok))) - reached(tok, every_text("abc", 6))


@pytest.mark.parametrize("seed", range(12))
def test_brute_force_finds_nothing_that_is_listed_of_wordpiece(seed: int) -> None:
    rng = random.Random(seed)
    tokens = ["".join(rng.choices(["a", "b", "!", "B"], k=rng.randint(1, 3))) for _ in range(8)]
    tokens += ["##" + "".join(rng.choices(["a", "b", "!", "B"], k=rng.randint(1, 3))) for _ in range(8)]
    stages: dict[str, Any] = {
        "pre_tokenizer": {"type": rng.choice(["BertPreTokenizer", "WhitespaceSplit", "Whitespace"])}
    }
    if rng.random() < 0.3:
        stages["normalizer"] = {"type": "Lowercase"}
    tok = wordpiece([*dict.fromkeys(tokens)], **stages)
    listed = set(unreachable(Subject(tok)))
    assert not listed & reached(tok, every_text("abB! ", 5))
    if "normalizer" in stages:
        assert listed >= {id for token, id in tok.vocab().items() if "B" in token}


def test_bytes_that_become_tokens_only_where_characters_are_unknown() -> None:
    tok = bytemill.train(["abc abc"], bytemill.SentencePiece(264, model="bpe", byte_fallback=True), progress=False)
    listed = set(unreachable(Subject(tok)))
    assert tok.token_to_id("<0x61>") in listed  # a is a token
    assert tok.token_to_id("<0x7A>") not in listed and tok.token_to_id("<0x7A>") in tok.encode("z")
    assert tok.token_to_id("<0xFF>") in listed and tok.token_to_id("<0xE4>") not in listed


def test_tokens_that_texts_hardly_use() -> None:
    tok = bytemill.train(["the cat sat on the mat, the cat ran"] * 3, bytemill.BPE(262), progress=False)
    unused = next(token for token, id in tok.vocab().items() if id >= 256 and id not in tok.encode("the " * 500))
    found = {one.id: one for one in bytemill.lint(tok, on=["the " * 500])}
    assert any(f'"{unused.replace(" ", "·")}"' in example for example in found["undertrained-token"].examples)
    assert {one.id for one in bytemill.lint(tok, on=["the"])} >= {"text-too-short"}


@pytest.mark.parametrize(
    ("pattern", "is_slow"),
    [
        (r"\S+\s*", False),
        (r"\s+(?!\S)|\s+|\S+", False),
        (r"(?:a+)+!|\S|\s", True),
        (r"(?:\w+\s?)+;|.|\n", True),
        (r"[a-z]+(?=;)|[^a-z]|[a-z]", True),
        (r"\s++\d|\s|\S+", True),
    ],
)
def test_a_slow_pattern_is_found(pattern: str, is_slow: bool) -> None:
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    tok = json_tokenizer(
        {"type": "BPE", "vocab": {"a": 0, "u": 1}, "unk_token": "u", "merges": []}, pre_tokenizer=split
    )
    found = {one.id: one for one in bytemill.lint(tok)}
    assert ("slow-pattern" in found) == is_slow
    assert not is_slow or pattern in found["slow-pattern"].examples[0]


def test_what_is_ignored_is_left_out_and_must_exist() -> None:
    tok = broken.a_piece_with_a_better_row()
    assert "unreachable-token" not in {one.id for one in bytemill.lint(tok, ignore=["unreachable-token"])}
    with pytest.raises(SpecError, match="did you mean 'unreachable-token'"):
        bytemill.lint(tok, ignore=["unreachable-tokens"])
    with pytest.raises(TypeError, match="not int"):
        bytemill.lint(3)


def test_findings_as_data_and_html() -> None:
    found = bytemill.lint(broken.a_special_token_that_is_a_word())
    assert json.loads(json.dumps(found.to_dict()))["findings"][0]["level"] == "warning"
    assert "User" in found._repr_html_() and str(found).endswith("notes")


@pytest.mark.shared
@pytest.mark.parametrize(
    "name",
    [
        "openai-gpt2/tokenizer.json",
        "bert-base-uncased/tokenizer.json",
        "t5-base/spiece.model",
        "mistral-spm/tokenizer.model.v1",
    ],
)
def test_published_models_reach_nothing_that_is_listed(name: str, shared: Path) -> None:
    """Not in the corpora, and not in texts made of the very tokens that are listed."""
    tok = bytemill.load(shared / "models" / name)
    listed = unreachable(Subject(tok))
    texts = [path.read_text(encoding="utf-8") for path in (shared / "corpora").glob("*.txt")]
    for id in listed:
        token = (tok.id_to_bytes(id) or b"").decode("utf-8", "replace").replace("▁", " ").removeprefix("##")
        texts += [token, f"a{token}", f"{token}a", f" {token} ", f"1{token}1", f"!{token}!", f"a{token}b", token * 3]
    counted = tok.encode_batch(texts, specials="none").ids
    assert not set(counted.tolist()) & set(listed)


@pytest.mark.parametrize("name", ["linting", "linting.vocabulary"])
def test_docstrings(name: str) -> None:
    result = doctest.testmod(importlib.import_module(f"bytemill.see.{name}"))
    assert result.attempted > 0 and result.failed == 0
