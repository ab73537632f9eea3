"""Which texts lead to a token, where that is not what the token spells; and tokens that an edit makes reachable."""

from __future__ import annotations

import sentencepiece
import tokenizers

import bytemill
from bytemill import surgery
from tests.see.broken import json_tokenizer, unigram


def merged(tokens: list[str], merges: list[list[str]], **model: object) -> bytemill.Tokenizer:
    vocab = {token: id for id, token in enumerate(tokens)}
    return json_tokenizer({"type": "BPE", "vocab": vocab, "merges": merges, **model})


def test_a_new_merge_makes_an_old_token_reachable() -> None:
    """`ccc` has no merge. `ccca` needs one that makes `ccc`, and texts without an `a` change, too."""
    tok = merged(["a", "c", "cc", "ccc", "<unk>"], [["c", "c"]], unk_token="<unk>")
    report = surgery.add_tokens(tok, ["ccca"]).report
    assert report.gained == {3: "ccc"} and not report.lost
    assert report.changes("ccc") and report.may_change("ccc") and not report.may_change("cc")
    assert "gained          1: ccc" in str(report)
    assert report.to_dict()["gained"] == {"3": "ccc"}


def test_a_removed_piece_makes_another_reachable() -> None:
    """Of Unigram, `ab` has a better row until one of its pieces is gone."""
    tok = unigram({"a": -1.0, "b": -1.0, "ab": -9.0, "c": -2.0})
    assert tok.tokenize("ab") == ["a", "b"]
    report = surgery.remove_tokens(tok, ["b"], ids="compact").report
    assert [*report.gained.values()] == ["ab"] and report.after.tokenize("ab") == ["ab"]


def test_a_token_that_holds_the_unknown_one_is_reached_by_texts_that_do_not_spell_it() -> None:
    tok = merged(["a", "<unk>", "<unk>a"], [["<unk>", "a"]], unk_token="<unk>")
    report = surgery.remove_tokens(tok, ["<unk>a"]).report
    assert tok.encode("?a") == [2] and report.changes("?a") and report.may_change("?a")
    assert not surgery.compact(tok).report.reach.unreachable


def test_characters_that_are_left_out_join_their_neighbours() -> None:
    tok = merged(["a", "b", "ab"], [["a", "b"]])
    report = surgery.remove_tokens(tok, ["ab"]).report
    assert tok.encode("a?b") == [2] and report.changes("a?b") and report.may_change("a?b")
    assert not surgery.add_tokens(tok, ["<x>"], kind="special").report.may_change("a?b")


def test_a_symbol_of_the_user_that_becomes_special_is_a_control_in_sentencepiece() -> None:
    spec = bytemill.SentencePiece(273, model="bpe", byte_fallback=True)
    tok = bytemill.train(["low lower lowest new newer newest " * 9], spec, progress=False)
    symbol = surgery.add_tokens(tok, ["<x>"], kind="added").tokenizer
    special = surgery.add_tokens(symbol, ["<x>"], kind="special").tokenizer
    for one in (symbol, special):
        library = sentencepiece.SentencePieceProcessor(model_proto=one.to_bytes("model"))
        assert library.encode("low<x>er") == one.encode("low<x>er", specials="none")


def test_words_keep_their_unknown_token_where_the_library_looks_for_it() -> None:
    tok = bytemill.train(["low lower"], bytemill.Word(), progress=False)
    for edit in (surgery.remove_tokens(tok, ["low", "lower"]), surgery.reorder(tok, {1: 5, 5: 1})):
        library = tokenizers.Tokenizer.from_str(edit.tokenizer.to_bytes("tokenizer.json").decode())
        assert library.encode("high low").ids == edit.tokenizer.encode("high low")
