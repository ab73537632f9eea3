"""What a tokenizer knows, and what kind of object it is."""

from __future__ import annotations

import copy
import pickle

import pytest

import bytemill
from tests.samples import chars, python, words


@pytest.fixture(scope="module")
def tok() -> bytemill.Tokenizer:
    return words(["the cat sat on the mat"], special_tokens=["<x>"])


def test_ids_are_specials_then_counts_then_text(tok: bytemill.Tokenizer) -> None:
    expected = ["<PAD>", "<UNK>", "<BOS>", "<EOS>", "<x>", "the", "cat", "mat", "on", "sat"]
    assert tok.vocab() == {token: id for id, token in enumerate(expected)}
    assert list(tok.vocab()) == expected
    assert tok.vocab_size == len(tok) == 10
    assert [tok.id_to_token(id) for id in range(10)] == expected
    assert [tok.id_to_bytes(id) for id in range(10)] == [token.encode() for token in expected]
    assert [tok.token_to_id(token) for token in expected] == list(range(10))
    assert [tok.token_to_id(token.encode()) for token in expected] == list(range(10))


def test_equal_counts_are_ordered_by_utf8_bytes() -> None:
    # U+FFFD comes before U+10000 in UTF-8 and after it in UTF-16.
    tok = chars(["\U00010000\ufffdé~a"])
    assert list(tok.vocab())[4:] == ["a", "~", "é", "\ufffd", "\U00010000"]


def test_special_tokens_are_told_with_their_ids(tok: bytemill.Tokenizer) -> None:
    assert tok.special_tokens == {"<PAD>": 0, "<UNK>": 1, "<BOS>": 2, "<EOS>": 3, "<x>": 4}


def test_what_is_not_there_is_none(tok: bytemill.Tokenizer) -> None:
    assert tok.token_to_id("dog") is None and tok.token_to_id(b"\xff") is None and tok.token_to_id("\ud800") is None
    for id in (10, 2**32, 2**70, -1):
        assert tok.id_to_token(id) is None
        assert tok.id_to_bytes(id) is None


def test_membership(tok: bytemill.Tokenizer) -> None:
    assert "cat" in tok and b"cat" in tok and "<x>" in tok
    assert "dog" not in tok and "" not in tok and "ca" not in tok


def test_family(tok: bytemill.Tokenizer) -> None:
    assert tok.family == "word" and chars().family == "char"


def test_training_statistics(tok: bytemill.Tokenizer) -> None:
    assert tok.training_stats == {"documents": 1, "bytes": 22, "pieces": 6, "distinct_pieces": 5}
    assert chars(["ab", "", "é<EOS>b"]).training_stats == {
        "documents": 3,
        "bytes": 10,
        "pieces": 4,
        "distinct_pieces": 3,
    }


def test_equality_and_hash_are_those_of_the_content(tok: bytemill.Tokenizer) -> None:
    same = words(["the mat", "sat the cat on"], special_tokens=["<x>"])
    assert same is not tok and same == tok and hash(same) == hash(tok)
    assert same.fingerprint == tok.fingerprint
    assert same.training_stats != tok.training_stats
    assert len({tok, same}) == 1
    assert tok != "tok" and (tok == 5) is False


def test_everything_that_changes_the_ids_changes_the_fingerprint() -> None:
    variants = [
        words(),
        chars(),
        words(lowercase=True),
        words(strip_accents=True),
        words(split_cjk=True),
        words(pretokenizer="whitespace"),
        words(normalizer="nfc"),
        words(special_tokens=["<x>"]),
        words(unk_token="<unk>"),
        words(add_bos=True),
        words(add_eos=True),
        words(min_frequency=2),
        words(vocab_size=10),
    ]
    assert len({tok.fingerprint for tok in variants}) == len(variants)
    assert len(set(variants)) == len(variants)


def test_the_fingerprint_is_the_same_in_another_process(tok: bytemill.Tokenizer) -> None:
    code = (
        "import bytemill\n"
        "tok = bytemill.train(['the cat sat on the mat'], bytemill.Word(), special_tokens=['<x>'], progress=False)\n"
        "print(tok.fingerprint, hash(tok))"
    )
    assert python(code).split() == [tok.fingerprint, str(hash(tok))]
    assert len(tok.fingerprint) == 64


class Mine(bytemill.Tokenizer):
    pass


def test_pickles_and_copies(tok: bytemill.Tokenizer) -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        back = pickle.loads(pickle.dumps(tok, protocol))
        assert back == tok and type(back) is bytemill.Tokenizer
        assert back.encode("the cat <x>") == tok.encode("the cat <x>")
        assert back.training_stats == tok.training_stats
    assert copy.copy(tok) == tok and copy.deepcopy(tok) == tok
    assert copy.deepcopy({"a": [tok]})["a"][0] == tok
    mine = Mine(bytemill._core.from_bytes(tok.to_bytes()))
    assert type(pickle.loads(pickle.dumps(mine))) is Mine


def test_a_tokenizer_is_frozen(tok: bytemill.Tokenizer) -> None:
    for name in ("vocab_size", "fingerprint", "anything"):
        with pytest.raises(AttributeError):
            setattr(tok, name, 1)
    tok.vocab().clear()
    tok.special_tokens.clear()
    assert tok.vocab_size == len(tok.vocab()) == 10 and len(tok.special_tokens) == 5


def test_repr(tok: bytemill.Tokenizer) -> None:
    assert repr(tok) == (
        "<bytemill.Tokenizer word: 10 tokens, specials <PAD> <UNK> <BOS> <EOS> <x>, "
        f"fingerprint {tok.fingerprint[:12]}>"
    )
    bare = words(["a"], pad_token=None, unk_token=None, bos_token=None, eos_token=None)
    assert repr(bare).startswith("<bytemill.Tokenizer word: 1 tokens, specials none, fingerprint ")
    many = words(["a"], special_tokens=[f"<{i}>" for i in range(800)])
    assert "<PAD> <UNK> <BOS> <EOS> <0> " in repr(many) and "<7> … and 792 more, fingerprint" in repr(many)
    assert repr(tok("the cat")) == "Encoding(2 ids)"


def test_html_shows_a_sample_and_escapes(tok: bytemill.Tokenizer) -> None:
    html = tok._repr_html_()
    assert "<td style='text-align:left'>10 tokens</td>" in html
    assert "&lt;PAD&gt; &lt;UNK&gt;" in html and "<PAD>" not in html
    assert html.count("<span ") == len(tok.tokenize("The quick brown fox jumps over the lazy dog."))
    assert f'<span title="{tok.token_to_id("the")}"' in html
    assert "<span" not in words(["a"], unk_token=None)._repr_html_()
