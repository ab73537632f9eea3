"""Each operation by example: ids, roles, templates, settings, scores, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sentencepiece

import bytemill
from bytemill import surgery
from bytemill.errors import FormatError, SpecError
from tests.samples import Mistakes, raises_exactly
from tests.see.broken import added, byte_bpe, json_tokenizer, unigram, wordpiece

TEXT = ["low lower lowest new newer newest " * 9]


def bpe(**options: object) -> bytemill.Tokenizer:
    return bytemill.train(TEXT, bytemill.BPE(262), special_tokens=["<s>"], progress=False)


def pieces(model: str = "unigram", **options: bool) -> bytemill.Tokenizer:
    size = 17 + 256 * options.get("byte_fallback", False)
    spec = bytemill.SentencePiece(size, model=model, **options)  # type: ignore[arg-type]
    return bytemill.train(TEXT, spec, progress=False)


def bert(*more: str) -> bytemill.Tokenizer:
    return wordpiece([*more, "low", "##er"], pre_tokenizer={"type": "BertPreTokenizer"})


def test_tokens_get_the_next_ids_or_those_that_are_chosen() -> None:
    edit = surgery.add_tokens(bpe(), {"lowly": 300}, stepping_stones=True)
    assert edit.tokenizer.token_to_id("lowly") == 300
    assert edit.tokenizer.encode("lowly") == [300]
    assert {*edit.report.stepping_stones} == {*edit.report.added} - {300}
    assert edit.embedding_map.old_ids[299] == -1


def test_reserved_slots_are_taken_in_order() -> None:
    edit = surgery.add_tokens(bert("[unused0]", "[unused1]"), ["newt"], reserved=True)
    assert edit.tokenizer.token_to_id("newt") == 1 and edit.tokenizer.id_to_token(2) == "[unused1]"
    assert edit.report.removed == {1: "[unused0]"} and edit.tokenizer.tokenize("newt") == ["newt"]
    assert edit.embedding_map.sources == {1: (0,)}


def test_special_tokens_are_matched_and_plain_ones_are_not() -> None:
    special = surgery.add_tokens(bpe(), ["<x>"], kind="special").tokenizer
    assert special.special_tokens == {"<s>": 0, "<x>": 262} and special.decode([262], skip_special_tokens=True) == ""
    matched = surgery.add_tokens(bpe(), ["<x>"], kind="added")
    assert matched.tokenizer.decode([262], skip_special_tokens=True) == "<x>"
    assert matched.embedding_map.sources[262] == tuple(bpe().encode("<x>"))


@pytest.mark.parametrize("model", ["unigram", "bpe"])
@pytest.mark.parametrize("byte_fallback", [False, True])
def test_sentencepiece_agrees_after_every_operation(model: str, byte_fallback: bool) -> None:
    tok = pieces(model, byte_fallback=byte_fallback)
    own = "▁new" if model == "unigram" else "▁ne"
    edits = [
        surgery.add_tokens(tok, ["▁newly", "▁中文"]),
        surgery.add_tokens(tok, ["<x>"], kind="special"),
        surgery.add_tokens(tok, ["<x>"], kind="added"),
        surgery.remove_tokens(tok, [own]),
        surgery.remove_tokens(tok, [own], ids="keep"),
        surgery.extend(tok, ["slow slower slowest"] * 9, vocab_size=tok.vocab_size + 6),
        surgery.rename_specials(tok, {"<s>": "<begin>", "<unk>": "<what>"}),
        surgery.reorder(tok, {3: 4, 4: 3}),
    ]
    for edit in edits:
        new = edit.tokenizer
        library = sentencepiece.SentencePieceProcessor(model_proto=new.to_bytes("model"))
        again = bytemill.loads(new.to_bytes("model"))
        assert (library.bos_id(), library.eos_id(), library.unk_id()) == (new.bos_id, new.eos_id, new.unk_id)
        assert library.get_piece_size() == new.vocab_size
        for text in ["newly lowest 中文 slow", "<x>newer<x>", "", "  new é "]:
            assert library.encode(text) == new.encode(text) == again.encode(text)
            assert library.decode(library.encode(text)) == new.decode(new.encode(text))


def test_a_new_piece_wins_over_its_parts_and_over_nothing_else() -> None:
    tok = unigram({"a": -2.0, "b": -3.0, "c": -9.0})
    edit = surgery.add_tokens(tok, ["ab"])
    assert edit.tokenizer.score([4]) == pytest.approx(-4.99, abs=1e-5) and edit.embedding_map.sources == {4: (1, 2)}
    assert edit.tokenizer.tokenize("abc") == ["ab", "c"]
    # No worse than the rarest piece: what is unknown is 10 below that one.
    assert surgery.add_tokens(tok, ["ccc"]).tokenizer.score([4]) == -9.0
    assert surgery.add_tokens(tok, ["ab"], scores={"ab": -1.5}).tokenizer.score([4]) == -1.5


def test_wordpiece_stands_for_the_longest_tokens() -> None:
    edit = surgery.add_tokens(bert("lo", "##w"), ["lower", "##wer"])
    assert [*edit.embedding_map.sources.values()] == [(3, 4), (2, 4)]


def test_what_is_merged_from_a_token_goes_or_keeps_it() -> None:
    tok = byte_bpe(["ab", "abc", "abcd", "bc"], [["a", "b"], ["ab", "c"], ["abc", "d"], ["b", "c"]])
    gone = surgery.remove_tokens(tok, ["ab"])
    assert [*gone.report.removed.values()] == ["ab", "abc", "abcd"] and gone.tokenizer.tokenize("abcd") == [
        "a",
        "bc",
        "d",
    ]
    kept = surgery.remove_tokens(tok, ["ab", "abcd"], needed="keep")
    assert [*kept.report.removed.values()] == ["abcd"] and [*kept.report.kept] == ["ab"]
    holes = surgery.remove_tokens(tok, ["abcd"], ids="keep")
    assert holes.tokenizer.id_to_token(258) is None and holes.tokenizer.token_to_id("bc") == 259
    assert holes.report.moved == 0 and surgery.compact(holes.tokenizer).report.moved == 1


def test_a_token_that_is_merged_in_another_way_stays() -> None:
    tok = byte_bpe(["ab", "bc", "abc"], [["a", "b"], ["b", "c"], ["ab", "c"], ["a", "bc"]])
    edit = surgery.remove_tokens(tok, ["ab"])
    assert [*edit.report.removed.values()] == ["ab"] and edit.tokenizer.tokenize("abc") == ["abc"]


def test_templates_roles_and_padding_follow_the_ids() -> None:
    model = {"type": "WordLevel", "vocab": {"[UNK]": 0, "a": 1, "b": 2, "[CLS]": 3, "[SEP]": 4}, "unk_token": "[UNK]"}
    names = [added(3, "[CLS]"), added(4, "[SEP]")]
    processor = {"type": "BertProcessing", "sep": ["[SEP]", 4], "cls": ["[CLS]", 3]}
    tok = json_tokenizer(model, added_tokens=names, post_processor=processor, pre_tokenizer={"type": "Whitespace"})
    new = surgery.remove_tokens(tok, ["a"]).tokenizer
    assert new("b").ids == [2, 1, 3] and (new.cls_id, new.sep_id) == (2, 3)
    renamed = surgery.rename_specials(tok, {"[CLS]": "<first>"}).tokenizer
    assert renamed("b").tokens == ["<first>", "b", "[SEP]"] and renamed.cls_id == 3
    with pytest.raises(SpecError, match="the template around a text has it"):
        surgery.remove_tokens(tok, ["[CLS]"])


def test_settings_and_chat_templates_are_renamed(tmp_path: Path) -> None:
    tok = bpe()
    tok.save(tmp_path / "tokenizer.json")
    config = {
        "chat_template": "{{ '<s>' + messages[0].content }}",
        "bos_token": "<s>",
        "added_tokens": [{"content": "<s>"}],
    }
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    new = surgery.rename_specials(tmp_path, {"<s>": "<begin>"}).tokenizer
    assert new.settings.chat_template == "{{ '<begin>' + messages[0].content }}"
    assert new.settings.config["bos_token"] == "<begin>"
    assert new.settings.config["added_tokens"] == [{"content": "<begin>"}]


def test_pruning_to_scripts_keeps_what_others_are_merged_from() -> None:
    tok = bytemill.train(["слово за слово, word for word " * 9], bytemill.BPE(275), progress=False)
    edit = surgery.prune(tok, scripts=["Latin"])
    left = [token for token in edit.tokenizer.vocab() if len(token) > 1 and not token.startswith("<0x")]
    assert left and all(token.isascii() for token in left)
    assert edit.tokenizer.tokenize("word for word") == tok.tokenize("word for word")
    assert edit.tokenizer.decode(edit.tokenizer.encode("слово")) == "слово"
    # A character is two bytes merged: with its script it stays, without it goes.
    assert len(surgery.prune(tok, scripts=["Latin", "Cyrillic"]).report.removed) < len(edit.report.removed)


def test_pruning_keeps_what_texts_use() -> None:
    for tok in (bpe(), pieces(), pieces("bpe")):
        edit = surgery.prune(tok, ["low lowest"], min_count=1)
        assert edit.report.removed and edit.report.on_texts is not None
        assert edit.tokenizer.tokenize("low lowest") == tok.tokenize("low lowest")
        smaller = surgery.prune(tok, ["low lowest"], vocab_size=tok.vocab_size - 2)
        assert smaller.tokenizer.vocab_size == tok.vocab_size - 2


@pytest.mark.parametrize("kind", ["bpe", "ranks", "wordpiece", "words", "chars"])
def test_extending_keeps_ids_and_makes_texts_shorter(kind: str) -> None:
    tok = {
        "bpe": bpe,
        "ranks": lambda: bytemill.Tokenizer.from_ranks({bytes([b]): b for b in range(256)}, pattern="gpt2"),
        "wordpiece": lambda: bert("s", "##l", "##o", "##w", "##e", "##r", "##s", "##t"),
        "words": lambda: bytemill.train(TEXT, bytemill.Word(), progress=False),
        "chars": lambda: bytemill.train(TEXT, bytemill.Char(), progress=False),
    }[kind]()
    edit = surgery.extend(tok, ["slow slower slowest, ça va"] * 9, vocab_size=tok.vocab_size + 3)
    assert edit.tokenizer.vocab_size == tok.vocab_size + 3
    assert np.array_equal(edit.embedding_map.new_ids, np.arange(tok.vocab_size))
    assert edit.report.on_texts is not None and not edit.report.lost
    if kind in ("bpe", "ranks"):
        assert edit.report.on_texts.tokens_after < edit.report.on_texts.tokens_before
    else:
        unk = tok.unk_id
        counts = [t.encode("slow slower slowest, ça va").count(unk) for t in (tok, edit.tokenizer)]  # type: ignore[arg-type]
        assert counts[1] < counts[0] or kind == "wordpiece"


def test_bpe_is_extended_as_training_goes_on() -> None:
    more = ["slow slower slowest"] * 9
    edit = surgery.extend(bpe(), more, vocab_size=268)
    known = bytemill.train(more, bytemill.BPE(268), continue_from=bpe(), progress=False)
    assert edit.tokenizer == known


def test_merging_has_a_map_for_both() -> None:
    other = bytemill.train(["slow slower slowest"] * 9, bytemill.BPE(262), special_tokens=["<t>"], progress=False)
    edit = surgery.merge(bpe(), other)
    assert edit.other_map is not None
    for token, id in other.vocab().items():
        assert edit.tokenizer.id_to_token(int(edit.other_map.new_ids[id])) == token
    assert edit.tokenizer.special_tokens.keys() == {"<s>", "<t>"} and not edit.report.left_out


def test_maps_come_back(tmp_path: Path) -> None:
    moved = surgery.add_tokens(bpe(), ["<x>"], kind="special").embedding_map
    for name in ("map.npz", "map.json"):
        moved.save(tmp_path / name)
        assert surgery.EmbeddingMap.load(tmp_path / name) == moved
    told = json.loads((tmp_path / "map.json").read_text())
    hostile: list[Any] = [[], {}, {**told, "new_ids": [9**30]}, {**told, "new_ids": [-5]}, {**told, "old_ids": [[0]]}]
    hostile += [{**told, "sources": sources} for sources in ({"0": [-1]}, {"-1": [0]}, {"0": "ab"}, {"99999": [0]}, [])]
    for content in hostile:
        (tmp_path / "bad.json").write_text(json.dumps(content))
        with pytest.raises(FormatError, match="not an embedding map"):
            surgery.EmbeddingMap.load(tmp_path / "bad.json")
    for data in (b"", b"PK", (tmp_path / "map.npz").read_bytes()[:-30]):
        (tmp_path / "bad.npz").write_bytes(data)
        with pytest.raises(FormatError, match="not an embedding map"):
            surgery.EmbeddingMap.load(tmp_path / "bad.npz")
    for ids in ([-1], [262]):
        with pytest.raises(SpecError, match="ids are from 0 to 261"):
            moved.move(ids)
    old = np.arange(262 * 2, dtype=np.float32).reshape(262, 2)
    assert moved.resize(old)[262].tolist() == old.mean(axis=0).tolist()
    assert moved.resize(old, fill=[1, 2])[262].tolist() == [1, 2] and moved.resize(old).dtype == np.float32


MISTAKES: Mistakes = {
    "a token that is there": (
        lambda _: surgery.add_tokens(bpe(), ["lo"]),
        SpecError,
        "'lo' is a token already, with the id 259",
    ),
    "no tokens": (lambda _: surgery.add_tokens(bpe(), []), SpecError, "tokens is empty; name the tokens to add"),
    "an id that is taken": (
        lambda _: surgery.add_tokens(bpe(), {"<x>": 0}, kind="special"),
        SpecError,
        "the id 0 belongs to '<s>'; choose another, or remove that token first",
    ),
    "a token that the pretokenizer cuts": (
        lambda _: surgery.add_tokens(bert(), ["a-b"]),
        SpecError,
        "'a-b' cannot be a plain token: the pretokenizer always cuts it: a - b; add it with kind=\"added\"",
    ),
    "scores without Unigram": (
        lambda _: surgery.add_tokens(bpe(), ["x"], scores={"x": 1}),
        SpecError,
        "scores are for plain tokens of Unigram",
    ),
    "a single byte": (
        lambda _: surgery.remove_tokens(bpe(), ["a"]),
        SpecError,
        "'a' cannot be removed: texts are merged from single bytes",
    ),
    "an unknown token": (
        lambda _: surgery.remove_tokens(bpe(), ["nope"]),
        SpecError,
        "'nope' is not a token; tokens are named as Tokenizer.vocab() shows them",
    ),
    "a misspelt token": (
        lambda _: surgery.remove_tokens(bert(), ["lwo"]),
        SpecError,
        "'lwo' is not a token; tokens are named as Tokenizer.vocab() shows them; did you mean 'low'?",
    ),
    "a gap in Unigram": (
        lambda _: surgery.remove_tokens(unigram({"a": -1.0, "b": -2.0}), ["a"], ids="keep"),
        SpecError,
        "the id 1 would have no token, and a Unigram or SentencePiece vocabulary has no gaps; "
        'choose ids without a gap, or use ids="compact"',
    ),
    "nothing to prune to": (
        lambda _: surgery.prune(bpe()),
        SpecError,
        "say what to keep: vocab_size=, min_count= or scripts=",
    ),
    "too small a size": (
        lambda _: surgery.prune(bpe(), ["low"], vocab_size=9),
        SpecError,
        "vocab_size=9 is too small: 257 tokens must stay (special tokens, bytes, characters)",
    ),
    "two ids become one": (
        lambda _: surgery.reorder(bpe(), {1: 2}),
        SpecError,
        "the ids 1 and 2 would both become 2",
    ),
    "ranks in another order": (
        lambda _: surgery.reorder(
            bytemill.Tokenizer.from_ranks({bytes([b]): b for b in range(256)}, pattern="gpt2"), {1: 2, 2: 1}
        ),
        SpecError,
        "tokens of tiktoken merge in the order of their ids, so that their order cannot change; "
        "save the tokenizer as tokenizer.json, which lists its merges, and reorder that",
    ),
    "a name that is not special": (
        lambda _: surgery.rename_specials(bpe(), {"<ss>": "<t>"}),
        SpecError,
        "'<ss>' is not a special token; did you mean '<s>'?",
    ),
    "tokenizers of two families": (
        lambda _: surgery.merge(bpe(), bert()),
        SpecError,
        "tokenizers are merged that agree in family: the first has 'bpe', the second 'wordpiece'",
    ),
    "a size that is reached": (
        lambda _: surgery.extend(bpe(), TEXT, vocab_size=262),
        SpecError,
        "vocab_size=262 is not more than the 262 ids that there are; use prune",
    ),
    "a matrix of another size": (
        lambda _: surgery.compact(bpe()).embedding_map.resize(np.zeros((3, 2))),
        SpecError,
        "the matrix needs a row for each of 262 old ids; its shape is (3, 2)",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_explained(name: str, tmp_path: Path) -> None:
    raises_exactly(MISTAKES[name], tmp_path)
