"""Each option of BPE training, with a test that fails when it is ignored, and every refusal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill.errors import SpecError
from bytemill.progress import Progress
from bytemill.training import CorpusTooSmall

TEXT = "the cat sat on the mat, the bat sat on the cat; that hat, 第一 第一 " * 3


def learn(text: str = TEXT, size: int | None = 270, **options: Any) -> bytemill.Tokenizer:
    setup = {name: options.pop(name) for name in ("special_tokens", "pretokenizer", "progress") if name in options}
    setup.setdefault("progress", False)
    return bytemill.train([text], bytemill.BPE(vocab_size=size, **options), **setup)


def made(tok: bytemill.Tokenizer) -> list[bytes]:
    return [left + right for left, right in tok.merges() or []]


def test_vocab_size_is_exact_and_counts_special_tokens_and_bytes() -> None:
    tok = learn(size=270, special_tokens=["<a>", "<b>"], eos_token="<e>")
    assert (tok.vocab_size, len(made(tok))) == (270, 270 - 256 - 3)
    assert tok.special_tokens == {"<e>": 0, "<a>": 1, "<b>": 2}
    assert tok.id_to_bytes(3) == b"\x00"
    assert learn(size=256).merges() == []


def test_every_smaller_vocabulary_is_a_beginning_of_a_larger_one() -> None:
    assert made(learn(size=279))[:9] == made(learn(size=265))


def test_a_vocabulary_without_room_for_the_bytes() -> None:
    message = (
        "vocab_size=257 does not hold the 256 bytes and the 2 special tokens to begin with; it must be at least 258"
    )
    for ties in ("bytemill", "tiktoken"):
        with pytest.raises(SpecError, match=message):
            learn(size=257, special_tokens=["<a>", "<b>"], ties=ties)


def test_min_frequency_ends_the_training_with_a_warning() -> None:
    with pytest.warns(CorpusTooSmall) as caught:
        tok = learn("ab ab abc", size=400)
    assert made(tok) == [b"ab", b" ab"]
    assert str(caught[0].message) == (
        "vocab_size=400 was asked for and 258 is what there is: "
        "after 2 merges no pair of tokens occurs at least 2 times"
    )
    with pytest.warns(CorpusTooSmall):
        assert made(learn("ab ab abc", size=400, min_frequency=1)) == [b"ab", b" ab", b" abc"]


def test_without_a_size_all_that_can_merge_merges() -> None:
    assert learn("ab ab abc", size=None, min_frequency=1).vocab_size == 259


def test_max_token_length() -> None:
    assert max(map(len, made(learn(size=275)))) > 3
    assert max(map(len, made(learn(size=270, max_token_length=3)))) == 3


def test_ties() -> None:
    text = "xy ab zz"
    first = {ties: made(learn(text, 257, ties=ties, min_frequency=1))[0] for ties in ("bytemill", "tiktoken", "cs336")}
    # The first space comes before "ab", and no byte before a space.
    assert first == {"bytemill": b" a", "tiktoken": b"xy", "cs336": b"zz"}
    assert made(learn("ab ab Ā Ā", 257, min_frequency=1, ties="huggingface")) == [b"ab"]


def test_initial_alphabet() -> None:
    tok = learn("ab ab", size=4, initial_alphabet="")
    assert [tok.id_to_bytes(id) for id in range(tok.vocab_size)] == [b" ", b"a", b"b", b"ab"]
    tok = learn("ab ab", size=5, initial_alphabet=["é"], max_token_length=1)
    assert [tok.id_to_bytes(id) for id in range(5)] == [b" ", b"a", b"b", b"\xa9", b"\xc3"]
    tok = learn("ab ab", size=5, initial_alphabet=["é"], byte_level=False, unk_token=None, pretokenizer="gpt2")
    assert list(tok.vocab()) == [" ", "a", "b", "é", "ab"]


def test_limit_alphabet_keeps_the_most_frequent() -> None:
    tok = learn("aab aab ca", size=4, byte_level=False, limit_alphabet=2, unk_token="<u>", pretokenizer="whitespace")
    # What is not kept separates what is beside it.
    assert list(tok.vocab()) == ["<u>", "a", "b", "aa"]
    assert tok.tokenize("acaab") == ["a", "<u>", "aa", "b"]


def test_marks() -> None:
    tok = learn("low low lower", size=10, byte_level=False, end_of_word_suffix="</w>")
    assert {"low</w>", "w</w>"} <= set(tok.vocab()) and tok.decode(tok.encode("low lower")) == "low lower"
    tok = learn("low low lower", size=12, byte_level=False, continuing_subword_prefix="##")
    assert {"low", "##w"} <= set(tok.vocab()) and tok.decode(tok.encode("low lower")) == "low lower"
    tok = learn("low low lower", size=9, end_of_word_suffix="</w>", pretokenizer="bert", initial_alphabet="")
    assert tok.decode(tok.encode("low lower")) == "low lower"


def test_byte_fallback() -> None:
    tok = learn("low low", size=262, byte_level=False, byte_fallback=True)
    assert tok.tokenize("é") == ["▁", "<0xC3>", "<0xA9>"]
    assert tok.decode(tok.encode("low é")) == "low é"


def test_special_tokens_are_never_counted_and_never_crossed() -> None:
    tok = learn("a<x>b a<x>b a<x>b", size=258, special_tokens=["<x>"], pretokenizer="gpt2")
    assert made(tok) == [b" a"]
    assert tok.encode("a<x>b")[1] == 0


def test_role_tokens_and_templates_move_with_the_special_tokens() -> None:
    tok = learn(size=270, ties="rustbpe", eos_token="<e>", add_eos=True)
    assert tok.special_tokens == {"<e>": 269}
    assert list(tok("the").ids)[-1] == 269


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"unk_token": "<u>"}, "with byte_level=True nothing is unknown"),
    ({"limit_alphabet": 5}, "limit_alphabet goes with byte_level=False"),
    ({"byte_fallback": True}, "byte_fallback goes with byte_level=False"),
    ({"continuing_subword_prefix": "##"}, "continuing_subword_prefix goes with byte_level=False"),
    ({"end_of_word_suffix": "_"}, 'with byte_level=True the end_of_word_suffix can only be "</w>"'),
    ({"ties": "tiktoken", "byte_level": False}, 'ties="tiktoken" trains on all 256 bytes'),
    (
        {"byte_level": False, "end_of_word_suffix": "_", "continuing_subword_prefix": "##"},
        "end_of_word_suffix and continuing_subword_prefix both mark where words end",
    ),
    ({"byte_level": False, "end_of_word_suffix": ""}, "a mark cannot be empty"),
    ({"ties": "hugging_face"}, "there is no ties named 'hugging_face'; did you mean 'huggingface'?"),
    ({"max_token_length": 0}, "max_token_length must be at least 1, not 0"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED, ids=lambda value: str(value)[:40])
def test_contradictions_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError) as caught:
        learn(**options)
    assert message in str(caught.value)


def test_merging_reports_its_progress_and_can_be_stopped() -> None:
    letters = str.maketrans("0123456789", "abcdefghij")
    words = " ".join(str(i * i * 7919) for i in range(150_000)).translate(letters)
    phases: dict[str, Progress] = {}

    def watch(progress: Progress) -> None:
        phases[progress.phase] = progress

    learn(words, 20_000, progress=watch)
    assert phases["merging"].unit == "merges" and phases["merging"].total == 20_000 - 256

    class Enough(Exception):
        pass

    def stop(progress: Progress) -> None:
        if progress.phase == "merging":
            raise Enough

    with pytest.raises(Enough):
        learn(words, 20_000, progress=stop)


SPECIALS_FIRST_AND_LAST = pytest.mark.parametrize("ties", ["bytemill", "rustbpe", "tiktoken", "cs336"])


@SPECIALS_FIRST_AND_LAST
def test_truncated_is_what_a_shorter_training_gives(ties: str) -> None:
    whole = learn(size=276, ties=ties, special_tokens=["<a>", "<b>"])
    for size in (258, 261, 270, 276):
        assert whole.truncated(size) == learn(size=size, ties=ties, special_tokens=["<a>", "<b>"])
    with pytest.raises(SpecError, match=r"truncated\(257\) is less than the 258 ids that no merge makes"):
        whole.truncated(257)
    with pytest.raises(SpecError, match=r"truncated\(277\) of a tokenizer that has 276 ids"):
        whole.truncated(277)


def test_only_bpe_is_truncated() -> None:
    with pytest.raises(SpecError, match="truncated is of the family bpe, and this tokenizer is of the family word"):
        bytemill.train(["a b"], bytemill.Word(), progress=False).truncated(4)


@SPECIALS_FIRST_AND_LAST
def test_continue_from_the_same_text_is_what_a_longer_training_gives(ties: str) -> None:
    for setup in ({}, {"special_tokens": ["<a>"]}):
        if ties in ("rustbpe", "tiktoken") and setup:
            continue  # the ids of new tokens come after those of special tokens that were last
        short, long = learn(size=262, ties=ties, **setup), learn(size=276, ties=ties, **setup)
        spec = bytemill.BPE(vocab_size=276, ties=ties)
        assert bytemill.train([TEXT], spec, continue_from=short, progress=False) == long


def test_continue_from_moves_no_id() -> None:
    old = learn(size=262, special_tokens=["<a>"], ties="tiktoken")
    spec = bytemill.BPE(vocab_size=266)
    new = bytemill.train(["xyzzy xyzzy<a>xyzzy"], spec, continue_from=old, progress=False)
    assert [new.id_to_bytes(id) for id in range(262)] == [old.id_to_bytes(id) for id in range(262)]
    assert new.special_tokens == old.special_tokens
    assert new.tokenize("xyzzy") == ["xyzzy"] and new.vocab_size == 266
    characters = learn("low low lower", size=10, byte_level=False, unk_token="<u>", min_frequency=1)
    more = bytemill.train(
        ["slow slow"], bytemill.BPE(vocab_size=11, min_frequency=1), continue_from=characters, progress=False
    )
    assert list(more.vocab())[:10] == list(characters.vocab())


CONTINUED: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"byte_level": False}, {}, "byte_level is settled by continue_from; leave it out"),
    ({}, {"pretokenizer": "gpt2"}, "pretokenizer is settled by continue_from; leave it out"),
    ({}, {"special_tokens": ["<x>"]}, "special_tokens is settled by continue_from; leave it out"),
    ({"vocab_size": 260}, {}, r"vocab_size=260 is less than the 262 tokens of continue_from"),
]


@pytest.mark.parametrize(("options", "setup", "message"), CONTINUED)
def test_what_continue_from_settles(options: dict[str, Any], setup: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        bytemill.train([TEXT], bytemill.BPE(**options), continue_from=learn(size=262), progress=False, **setup)


def test_continue_from_takes_bpe_without_marks() -> None:
    words = bytemill.train(["a b"], bytemill.Word(), progress=False)
    with pytest.raises(SpecError, match="continue_from takes a tokenizer of the family bpe, not word"):
        bytemill.train(["a"], bytemill.BPE(), continue_from=words, progress=False)
    with pytest.raises(SpecError, match=r"continue_from=… goes with bytemill.BPE"):
        bytemill.train(["a"], bytemill.Word(), continue_from=learn(), progress=False)
    marked = learn("low low", size=6, byte_level=False, end_of_word_suffix="</w>")
    with pytest.raises(SpecError, match="continue_from takes no tokenizer that marks the parts of words"):
        bytemill.train(["a"], bytemill.BPE(), continue_from=marked, progress=False)


def test_the_log_has_every_merge_with_its_count(tmp_path: Path) -> None:
    spec = bytemill.BPE(vocab_size=259, pad_token="<p>")
    bytemill.train(["ab ab abé", "éé"], spec, log=tmp_path / "log.jsonl", progress=False)
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    assert lines == [
        {"left": "a", "right": "b", "id": 257, "count": 3},
        {"left": {"hex": "c3"}, "right": {"hex": "a9"}, "id": 258, "count": 3},
    ]


def test_the_time_of_each_phase_is_told_and_not_saved() -> None:
    tok = learn()
    assert tok.training_stats is not None
    assert set(tok.training_stats["seconds"]) == {"counting", "arranging", "merging", "building"}
    assert "seconds" not in tok.to_bytes("mill.json").decode()
    assert tok.to_bytes() == learn().to_bytes()
