"""Tokenizers that are broken in one way each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bytemill
from bytemill.reference.bpe import ALPHABET

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def json_tokenizer(model: dict[str, Any], **stages: Any) -> bytemill.Tokenizer:
    content = {"version": "1.0", "added_tokens": [], "model": model, **stages}
    return bytemill.loads(json.dumps(content))


def added(id: int, content: str, special: bool = True) -> dict[str, Any]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": id, "content": content, "special": special, **flags}


BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


def byte_bpe(more: list[str], merges: list[list[str]], leave_out: str = "", **stages: Any) -> bytemill.Tokenizer:
    tokens = [letter for letter in ALPHABET.values() if letter not in leave_out] + more
    model = {"type": "BPE", "vocab": {token: id for id, token in enumerate(tokens)}, "merges": merges}
    return json_tokenizer(model, pre_tokenizer=BYTE_LEVEL, decoder=BYTE_LEVEL, **stages)


def wordpiece(tokens: list[str], **stages: Any) -> bytemill.Tokenizer:
    vocab = {token: id for id, token in enumerate(["[UNK]", *tokens])}
    model = {
        "type": "WordPiece",
        "vocab": vocab,
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
    }
    return json_tokenizer(model, **stages)


def unigram(scores: dict[str, float], **stages: Any) -> bytemill.Tokenizer:
    return json_tokenizer({"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], *scores.items()]}, **stages)


def a_token_that_no_merge_makes() -> bytemill.Tokenizer:
    return byte_bpe(["ab", "abc", "orphan"], [["a", "b"], ["ab", "c"]])


def a_token_that_an_earlier_merge_breaks() -> bytemill.Tokenizer:
    return byte_bpe(["bc", "ab", "abc"], [["b", "c"], ["a", "b"], ["ab", "c"]])


def an_upper_case_token_under_lower_case() -> bytemill.Tokenizer:
    return wordpiece(["a", "b", "Cat"], normalizer={"type": "Lowercase"}, pre_tokenizer={"type": "BertPreTokenizer"})


def a_token_with_a_space_after_splitting_at_spaces() -> bytemill.Tokenizer:
    return wordpiece(["a", "b", "a b"], pre_tokenizer={"type": "WhitespaceSplit"})


def a_continuing_mark_where_marks_are_words() -> bytemill.Tokenizer:
    return wordpiece(["a", "!", "##!"], pre_tokenizer={"type": "BertPreTokenizer"})


def a_piece_with_a_better_row() -> bytemill.Tokenizer:
    return unigram({"a": -1.0, "b": -1.0, "ab": -5.0})


def twins() -> bytemill.Tokenizer:
    return unigram({"é": -1.0, "e\u0301": -1.0, "ＡＢ": -2.0, "AB": -2.0})


def a_hole_in_the_ids() -> bytemill.Tokenizer:
    return json_tokenizer({"type": "WordLevel", "vocab": {"a": 0, "b": 5, "<unk>": 6}, "unk_token": "<unk>"})


def a_missing_byte() -> bytemill.Tokenizer:
    return byte_bpe([], [], leave_out="xq")


def a_special_token_that_is_a_word() -> bytemill.Tokenizer:
    return byte_bpe([], [], added_tokens=[added(256, "User")])


def a_special_token_in_the_model() -> bytemill.Tokenizer:
    return wordpiece(
        ["<", ">", "pad", "<pad>"], pre_tokenizer={"type": "WhitespaceSplit"}, added_tokens=[added(4, "<pad>")]
    )


def words_without_an_unknown_token() -> bytemill.Tokenizer:
    return bytemill.train(["a b"], bytemill.Word(unk_token=None), progress=False)


def characters_without_an_unknown_token() -> bytemill.Tokenizer:
    return json_tokenizer({"type": "BPE", "vocab": {c: i for i, c in enumerate(LETTERS)}, "merges": []})


def a_template_with_an_unknown_token(folder: Path) -> bytemill.Tokenizer:
    byte_bpe([], [], added_tokens=[added(256, "<|im_start|>")]).save(folder / "tokenizer.json")
    template = "{% for m in messages %}<|im_start|>{{ m.content }}<|im_end|>{% endfor %}"
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": template}))
    return bytemill.load(folder)


def a_role_without_a_token(folder: Path) -> bytemill.Tokenizer:
    byte_bpe([], [], added_tokens=[added(256, "<|end|>")]).save(folder / "tokenizer.json")
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"eos_token": "<|endoftext|>", "bos_token": {"content": "<|end|>"}})
    )
    return bytemill.load(folder)


def a_template_with_a_wrong_id() -> bytemill.Tokenizer:
    special = {"[CLS]": {"id": "[CLS]", "ids": [999], "tokens": ["[CLS]"]}}
    single = [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    processor = {
        "type": "TemplateProcessing",
        "single": single,
        "pair": [*single, {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": special,
    }
    return byte_bpe([], [], post_processor=processor)


#: What lint must find, in whom.
PLANTED = {
    "unreachable-token": [
        a_token_that_no_merge_makes,
        a_token_that_an_earlier_merge_breaks,
        an_upper_case_token_under_lower_case,
        a_token_with_a_space_after_splitting_at_spaces,
        a_continuing_mark_where_marks_are_words,
        a_piece_with_a_better_row,
    ],
    "near-duplicate": [twins],
    "hole-in-ids": [a_hole_in_the_ids],
    "missing-byte": [a_missing_byte],
    "special-is-ordinary-text": [a_special_token_that_is_a_word],
    "special-in-model": [a_special_token_in_the_model],
    "refused-text": [words_without_an_unknown_token],
    "dropped-text": [characters_without_an_unknown_token],
    "template-without-token": [a_template_with_an_unknown_token],
    "role-without-token": [a_role_without_a_token],
    "template-id-without-token": [a_template_with_a_wrong_id],
}
