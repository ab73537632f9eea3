"""Sessions are equal to encoding anew, for every tokenizer, every text and every edit."""

from __future__ import annotations

import copy
import functools
import itertools
import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytemill
from bytemill.errors import SpecError, SpecialTokenError
from tests.property.strategies import SPECIALS, texts, tokenizers, trained
from tests.sessions import SMALL, check_answers, outcome, random_edit, session_in_chunks


def check_edits(tok: bytemill.Tokenizer, parts: list[str], seed: int, specials: Any = None) -> None:
    rng = random.Random(seed)
    text = parts[0]
    if not isinstance(outcome(lambda: tok.encode(text, specials=specials)), list):
        text = ""
    session = session_in_chunks(tok, text, rng.choice([1, SMALL, 40]), specials)
    for new in parts[1:]:
        before, old = session.fork(), text
        text = random_edit(rng, session, text, new)
        assert session.text == text and session.length == len(text)
        assert session.ids == tok.encode(text, specials=specials)
        assert before.text == old
        check_answers(rng, session, text, new)


@given(
    tok=tokenizers(),
    parts=st.lists(texts, min_size=1, max_size=12),
    seed=st.integers(0, 2**32),
    specials=st.sampled_from([None, "none", "refuse", ("<EOS>",)]),
)
def test_any_tokenizer(tok: bytemill.Tokenizer, parts: list[str], seed: int, specials: Any) -> None:
    if isinstance(specials, tuple) and specials[0] not in tok.special_tokens:
        specials = None
    check_edits(tok, parts, seed, specials)


CORPUS = ["the cat, a b é 我能 <a b> 12 x-y\n\n", "B’s Éa… the cat sat on the mat; the dog, too. 1234 don't stop"] * 4


@functools.cache
def family(name: str) -> bytemill.Tokenizer:
    """A tokenizer of a family, as its own trainer makes it."""
    if name.startswith("sentencepiece"):
        return trained(bytemill.SentencePiece, CORPUS, {"vocab_size": 60, "model": name.split()[1]})
    spec = {"bpe": bytemill.BPE, "wordpiece": bytemill.WordPiece, "unigram": bytemill.Unigram}[name]
    size = {"bpe": 300, "wordpiece": 120, "unigram": 60}[name]
    return trained(spec, CORPUS, {"vocab_size": size}, special_tokens=SPECIALS[:2])


@pytest.mark.parametrize("name", ["bpe", "wordpiece", "unigram", "sentencepiece bpe", "sentencepiece unigram"])
@given(parts=st.lists(texts, min_size=1, max_size=12), seed=st.integers(0, 2**32))
def test_trained_families(name: str, parts: list[str], seed: int) -> None:
    check_edits(family(name), parts, seed)


def test_forks_change_independently() -> None:
    tok = family("bpe")
    begun = session_in_chunks(tok, "the cat sat on the mat; " * 20, SMALL)
    forks = [begun.fork(), copy.copy(begun), copy.deepcopy(begun), pickle.loads(pickle.dumps(begun))]
    for number, fork in enumerate(forks):
        fork.replace((number, number + 3), "dog")
        fork.append(str(number))
    for number, fork in enumerate(forks):
        text = begun.text[:number] + "dog" + begun.text[number + 3 :] + str(number)
        assert fork.text == text and fork.ids == tok.encode(text)
    assert begun.text == "the cat sat on the mat; " * 20 and begun.ids == tok.encode(begun.text)


def test_ids_are_those_of_their_time() -> None:
    tok = family("bpe")
    session = session_in_chunks(tok, "the cat sat on the mat; " * 20, SMALL)
    view, ids = session.ids, tok.encode(session.text)
    session.truncate(3)
    assert view == ids and list(view) == ids and view.tolist() == ids and view == tuple(ids) and view != ids[:-1]
    assert np.asarray(view).dtype == np.uint32 and np.array_equal(np.asarray(view, dtype=np.int64), ids)
    for part in (
        slice(3, 9),
        slice(None, None, 2),
        slice(-5, None),
        slice(9, 2, -3),
        slice(5, 5),
        slice(None, None, -1),
    ):
        assert view[part] == ids[part]
    assert (view[0], view[-1], view[len(ids) // 2]) == (ids[0], ids[-1], ids[len(ids) // 2])
    with pytest.raises(IndexError):
        view[len(ids)]
    assert tok.decode(view) == tok.decode(ids) and ids[4] in view and view.index(ids[0]) == 0
    assert repr(view).startswith(f"SessionIds({len(ids)} ids: {ids[0]}, ")
    assert session.ids == tok.encode("the") and repr(session) == "<bytemill.Session: 3 characters, 1 ids>"


def test_what_is_refused_leaves_everything_as_it_was() -> None:
    tok = family("bpe")
    session = session_in_chunks(tok, "the cat " * 10, SMALL, "refuse")
    with pytest.raises(SpecialTokenError, match="<EOS>"):
        session.append("<EOS>")
    session.append("<EO")
    with pytest.raises(SpecialTokenError, match="<EOS>"):
        session.append("S>")
    picked = tok.pick_specials([], refused=["cat the", "sat on the mat"])
    other = session_in_chunks(tok, "the cat sat on the ma", SMALL, picked)
    with pytest.raises(SpecialTokenError, match="sat on the mat"):
        other.append("t")
    assert (session.text, other.text) == ("the cat " * 10 + "<EO", "the cat sat on the ma")
    assert session.ids == tok.encode(session.text) and other.ids == tok.encode(other.text)
    words = trained(bytemill.Char, ["abc "], {}, special_tokens=[])
    letters = words.session("abc")
    for wrong in [(0, 4), (2, 1)]:
        with pytest.raises(
            SpecError, match=rf"the span \({wrong[0]}, {wrong[1]}\) is not one of the text, which has 3"
        ):
            letters.replace(wrong, "a")
    for bad in ["ab", [0, 1], (0, 1, 2), (0, "1"), 3]:
        with pytest.raises(TypeError):
            letters.count(bad)  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="start must be at least 0, not -1"):
        letters.replace((-1, 2), "a")
    with pytest.raises(SpecError, match=r"the span \(9, 3\)"):
        letters.truncate(9)
    with pytest.raises(TypeError, match="a text is str or bytes, not int"):
        letters.append(5)  # type: ignore[arg-type]
    with pytest.raises(bytemill.errors.TextError):
        letters.append("\ud800")
    assert letters.text == "abc"


def test_what_cannot_be_cut_says_so() -> None:
    assert family("bpe").session("the cat").bounded
    assert family("bpe").session("the cat").unbounded_reason is None
    long = family("bpe").session("a" * 100_000)
    assert not long.bounded and "a stretch of 100000 bytes" in str(long.unbounded_reason)
    long.append(" cat" * 600)
    long.truncate(5)
    assert long.bounded and long.ids == family("bpe").encode("aaaaa")
    summed = family("sentencepiece unigram").session("the cat")
    assert "adds up its scores over the whole text" in str(summed.unbounded_reason)
    whole = trained(bytemill.Word, ["the cat"], {}, pretokenizer=None, normalizer="nfc")
    assert whole.session().bounded is (whole.session().unbounded_reason is None)


def alphabet_tokenizer() -> bytemill.Tokenizer:
    ranks = {bytes([byte]): byte for byte in range(256)} | {
        b"ab": 256,
        b"abc": 257,
        b" a": 258,
        b" ab": 259,
        b"bc": 260,
    }
    return bytemill.Tokenizer.from_ranks(ranks, pattern="gpt2", special_tokens={"<c>": 261})


def test_stable_ids_by_brute_force() -> None:
    """Nothing of up to three characters changes what is stable of any text of up to five."""
    tok = alphabet_tokenizer()
    letters = "abc <>"
    endings = ["".join(end) for length in range(4) for end in itertools.product(letters, repeat=length)]
    rng = random.Random(0)
    seen = 0
    for _ in range(60):
        text = "".join(rng.choices(letters, k=rng.randint(0, 30)))
        session = session_in_chunks(tok, text, rng.choice([1, SMALL, 1024]), "all")
        stable = session.stable
        seen += stable
        ids = session.ids[:stable]
        assert all(tok.encode(text + end, specials="all")[:stable] == ids for end in endings), text
    assert seen > 100


def test_threads_share_a_session() -> None:
    tok = family("bpe")
    session = session_in_chunks(tok, "", SMALL)

    def work(number: int) -> None:
        for _ in range(50):
            session.append(f" {number}")
            assert session.count() == len(session.fork().ids) or session.length

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert sorted(session.text.split()) == sorted(str(number) for number in range(4) for _ in range(50))
    assert session.ids == tok.encode(session.text)
