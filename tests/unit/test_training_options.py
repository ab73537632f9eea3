"""Each option of a training, with a test that fails when it is ignored."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import bytemill
from bytemill.progress import Progress
from bytemill.training import CorpusTooSmall
from tests.samples import chars, words

BOTH = pytest.mark.parametrize("make", [words, chars], ids=["words", "chars"])
Make = Callable[..., bytemill.Tokenizer]


@BOTH
def test_vocab_size_is_exact_and_keeps_the_most_frequent(make: Make) -> None:
    tok = make(["a a a b b c d"], vocab_size=6, pretokenizer="whitespace")
    assert tok.vocab_size == 6
    assert list(tok.vocab())[4:] == ["a", "b"]
    assert make(["a a a b b c d"], vocab_size=4).vocab_size == 4


def test_a_corpus_that_cannot_fill_the_vocabulary() -> None:
    with pytest.warns(CorpusTooSmall) as caught:
        tok = words(["the cat the"], vocab_size=10)
    assert tok.vocab_size == 6
    assert Path(caught[0].filename).name == "samples.py"
    assert [str(warning.message) for warning in caught] == [
        "vocab_size=10 was asked for and 6 is what there is: the text has only 2 different words, "
        "and there are 4 special tokens"
    ]


def test_a_corpus_that_the_minimum_frequency_makes_too_small() -> None:
    with pytest.warns(CorpusTooSmall) as caught:
        tok = chars(["aab"], vocab_size=10, min_frequency=2, special_tokens=["<x>"])
    assert tok.vocab_size == 6
    assert [str(warning.message) for warning in caught] == [
        "vocab_size=10 was asked for and 6 is what there is: of the 2 different characters in the text only 1 occur "
        "at least 2 times, and there are 5 special tokens"
    ]


@BOTH
def test_a_corpus_that_just_fills_it_is_no_reason_to_warn(make: Make) -> None:
    assert make(["a"], vocab_size=5).vocab_size == 5


@BOTH
def test_min_frequency(make: Make) -> None:
    assert list(make(["a a a b b c"], min_frequency=2, pretokenizer="whitespace").vocab())[4:] == ["a", "b"]
    assert make(["a a a b b c"], min_frequency=4, pretokenizer="whitespace").vocab_size == 4


@BOTH
def test_lowercase(make: Make) -> None:
    tok = make(["AB ab"], lowercase=True)
    assert tok.encode("AB") == tok.encode("ab") and "A" not in tok and "AB" not in tok
    assert make(["AB ab"]).encode("AB") != make(["AB ab"]).encode("ab")


@BOTH
def test_lowercase_leaves_accents_and_strip_accents_leaves_case(make: Make) -> None:
    assert make(["É"], lowercase=True).tokenize("É") == ["é"]
    assert make(["É"], strip_accents=True).tokenize("É") == ["E"]
    assert make(["É"], strip_accents=True, lowercase=True).tokenize("É") == ["e"]
    assert make(["É"]).tokenize("É") == ["É"]


def test_split_cjk() -> None:
    assert words(["a世界b"], split_cjk=True).tokenize("a世界b") == ["a", "世", "界", "b"]
    assert words(["a世界b"]).tokenize("a世界b") == ["a世界b"]
    assert words(["こん世"], split_cjk=True).tokenize("こん世") == ["こん", "世"]


@BOTH
def test_role_tokens_take_the_first_ids(make: Make) -> None:
    tok = make(["a"], pad_token="[P]", unk_token="[U]", bos_token="[B]", eos_token="[E]")
    assert tok.special_tokens == {"[P]": 0, "[U]": 1, "[B]": 2, "[E]": 3}
    assert tok.encode("[E]z") == [3, 1]


@BOTH
def test_role_tokens_can_be_left_out(make: Make) -> None:
    assert make(["a"], pad_token=None).special_tokens == {"<UNK>": 0, "<BOS>": 1, "<EOS>": 2}
    assert make(["a"], bos_token=None).special_tokens == {"<PAD>": 0, "<UNK>": 1, "<EOS>": 2}
    assert make(["a"], eos_token=None).special_tokens == {"<PAD>": 0, "<UNK>": 1, "<BOS>": 2}
    bare = make(["a"], pad_token=None, unk_token=None, bos_token=None, eos_token=None)
    assert bare.special_tokens == {} and bare.vocab() == {"a": 0} and bare.encode("a") == [0]


@BOTH
def test_without_an_unknown_token_the_unknown_is_an_error(make: Make) -> None:
    tok = make(["a"], unk_token=None)
    assert tok.encode("a<BOS>") == [3, 1]
    for call in (tok.encode, tok.count, tok.tokenize, tok, lambda text: tok.encode_batch([text])):
        with pytest.raises(bytemill.errors.UnknownTokenError):
            call("b")


@BOTH
def test_add_bos_and_add_eos(make: Make) -> None:
    assert make(["a"], add_bos=True)("a").ids == [2, 4]
    assert make(["a"], add_eos=True)("a").ids == [4, 3]
    assert make(["a"], add_bos=True, add_eos=True)("a").ids == [2, 4, 3]
    assert make(["a"])("a").ids == make(["a"], add_bos=True).encode("a") == [4]


@BOTH
def test_special_tokens_follow_the_roles(make: Make) -> None:
    tok = make(["a<y>a"], special_tokens=["<y>", "<x>", "<y>", "<EOS>"])
    assert tok.special_tokens == {"<PAD>": 0, "<UNK>": 1, "<BOS>": 2, "<EOS>": 3, "<y>": 4, "<x>": 5}
    assert tok.vocab_size == 7 and tok.encode("<y>a<x>") == [4, 6, 5]
    assert make(["a<y>a"], special_tokens=iter(["<y>"])).token_to_id("<y>") == 4


@BOTH
def test_special_tokens_in_the_text_are_not_counted(make: Make) -> None:
    tok = make(["a<EOS>b<EOS>"])
    assert tok.vocab_size == 6 and "<" not in tok and "EOS" not in tok
    assert tok.training_stats["pieces"] == 2


def test_two_roles_may_share_a_token() -> None:
    tok = words(["a"], pad_token="<E>", eos_token="<E>", add_eos=True)
    assert tok.special_tokens == {"<E>": 0, "<UNK>": 1, "<BOS>": 2}
    assert tok("a").ids == [3, 0]


def test_specs_are_frozen_and_take_the_size_and_keywords() -> None:
    assert bytemill.Word(vocab_size=9) == bytemill.Word(vocab_size=9) != bytemill.Word()
    with pytest.raises(AttributeError):
        bytemill.Word().vocab_size = 5  # type: ignore[misc]
    assert bytemill.Char(100) == bytemill.Char(vocab_size=100)
    assert bytemill.BPE(300, ties="cs336") == bytemill.BPE(vocab_size=300, ties="cs336")
    with pytest.raises(TypeError):
        bytemill.Char(100, 2)  # type: ignore[call-arg, misc]
    with pytest.raises(TypeError, match="split_cjk"):
        bytemill.Char(split_cjk=True)  # type: ignore[call-arg]


def slow_documents() -> Iterator[str]:
    """Documents that take long enough for a callback (one every 50 ms), after those that `train` looks at first."""
    yield from ["word and word again"] * 100
    for _ in range(12):
        time.sleep(0.02)
        yield "word and word again " * 60_000


def test_progress_is_told_to_a_callback() -> None:
    told: list[Progress] = []
    bytemill.train(slow_documents(), bytemill.Word(), threads=1, progress=told.append)
    assert told
    assert {(progress.phase, progress.total, progress.unit) for progress in told} == {("counting", None, "bytes")}
    assert [progress.done for progress in told] == sorted(progress.done for progress in told)


def test_progress_of_files_knows_the_total(tmp_path: Path) -> None:
    text = " ".join(map(str, range(2_000_000)))
    (tmp_path / "a.txt").write_text(text)
    told: list[Progress] = []
    bytemill.train(tmp_path, bytemill.Word(), threads=1, progress=told.append)
    assert told
    assert {progress.total for progress in told} == {len(text)}
    assert all(0 < progress.done <= len(text) for progress in told)


def test_progress_true_shows_a_bar_and_wipes_it(capsys: pytest.CaptureFixture[str]) -> None:
    bytemill.train(slow_documents(), bytemill.Word(), threads=1, progress=True)
    shown = capsys.readouterr().err
    assert shown.startswith("\rcounting  ") and shown.endswith(" \r")
    for quiet in (False, None):
        bytemill.train(slow_documents(), bytemill.Word(), threads=1, progress=quiet)
        assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bytemill.BPE(vocab_sise=300), "BPE has no option 'vocab_sise'; did you mean 'vocab_size'?"),
        (lambda: bytemill.Word(min_freqency=2), "Word has no option 'min_freqency'; did you mean 'min_frequency'?"),
        (lambda: bytemill.Unigram(9, byte_falback=True), "did you mean 'byte_fallback'?"),
        (lambda: bytemill.Char(colour="red"), "Char has no option 'colour'"),
    ],
)
def test_unknown_options_name_the_one_that_was_meant(make: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        make()
