"""What is wrong with a file → FormatError → its whole message."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill.errors import FormatError
from tests.samples import words

TOK = words(["the cat"], add_eos=True)
BINARY = TOK.to_bytes("mill")
READABLE = json.loads(TOK.to_bytes("mill.json"))
SHARED = json.loads(TOK.to_bytes("tokenizer.json"))
ADDED = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}


def patched(at: int, *new: int) -> bytes:
    return BINARY[:at] + bytes(new) + BINARY[at + len(new) :]


def changed(file: dict[str, Any], change: Callable[[dict[str, Any]], object]) -> bytes:
    """A JSON file after a change; without its checksum, which would be the only complaint."""
    file = copy.deepcopy(file)
    file.pop("checksum", None)
    change(file)
    return json.dumps(file).encode()


def ours(change: Callable[[dict[str, Any]], object]) -> bytes:
    return changed(READABLE, change)


def theirs(change: Callable[[dict[str, Any]], object]) -> bytes:
    return changed(SHARED, change)


def put(*path: str | int) -> Callable[..., Callable[[dict[str, Any]], object]]:
    """`put("a", 0)(5)` sets file["a"][0] = 5."""

    def setter(value: object) -> Callable[[dict[str, Any]], object]:
        def change(file: Any) -> None:
            for key in path[:-1]:
                file = file[key]
            file[path[-1]] = value

        return change

    return setter


UNKNOWN = (
    "of no tokenizer format that is known here "
    "(known: .mill, .mill.json, tokenizer.json, .tiktoken, tekken.json, vocab.json with merges.txt, vocab.txt, .model)"
)
UNSUPPORTED = "is not supported by this version"
NEWER = "version 2 is newer than 1, the newest that is known here: upgrade bytemill"

TABLE: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "the file is empty"),
    "text": (b"some text", f"the file: {UNKNOWN}"),
    "tiktoken": (
        b"IQ== 0\n",
        "the file: a .tiktoken file does not hold its pattern, and its name is none of gpt2, r50k_base, p50k_base, "
        "p50k_edit, cl100k_base, o200k_base, o200k_harmony; pass pattern= and special_tokens=",
    ),
    "sentencepiece": (b"\x0a\x07\x0a\x05<unk>", "pieces: none is the unknown piece"),
    "json": (
        b'{"a": 1, "b": []}',
        "the file: JSON, but of no tokenizer format that is known here (its keys: a, b)",
    ),
    "words and numbers": (
        b'{"a": 1, "b": 2}',
        'the file: these are two files, named vocab.json and merges.txt, and "a.file" is neither',
    ),
    "half json": (b'{"a": ', "the file: not valid JSON: EOF while parsing a value at line 1 column 6"),
    "half gzip": (gzip.compress(BINARY)[:60], "the gzip stream: incomplete deflate stream"),
    # .mill
    "half a header": (BINARY[:50], "the file: truncated: it ends inside its header"),
    "translated line ends": (
        patched(5, 0x0A, 0x0A),
        "the file: its first bytes were changed, as by a transfer that translates line ends",
    ),
    "newer binary": (patched(8, 2), f"the file: {NEWER}"),
    "version 0": (patched(8, 0), "the file: version 0 does not exist"),
    "half a binary": (BINARY[:-1], "the file: truncated or damaged: its checksum is wrong"),
    "more than a binary": (BINARY + b"\0", "the file: truncated or damaged: its checksum is wrong"),
    "another family": (patched(10, 1), "the file: truncated or damaged: its checksum is wrong"),
    # .mill.json
    "newer json": (ours(put("bytemill")(2)), f"the file: {NEWER}"),
    "a token twice": (
        ours(put("vocab")([None] * 4 + ["cat", "cat"])),
        'the vocabulary has "cat" twice, as id 4 and as id 5',
    ),
    "no hexadecimal": (ours(put("vocab", 4)({"hex": "4x"})), 'vocab: "4x" is not a token\'s bytes in hexadecimal'),
    "another answer": (
        ours(put("self_test")([{"text": "the", "ids": [4]}])),
        'self-test: "the" should give [4] and gives [5]',
    ),
    "an id of two": (
        ours(put("vocab", 0)("zero")),
        'id 0 belongs to the added token "<PAD>" and to "zero" of the vocabulary',
    ),
    "an id of none": (ours(put("definition", "unk")(17)), "id 17 is used, but no token has it"),
    "added twice": (
        ours(put("definition", "added", 0, "content")("<EOS>")),
        'the added token "<EOS>" is there twice',
    ),
    "two with an id": (
        ours(put("definition", "added", 0, "id")(3)),
        'the added tokens "<PAD>" and "<EOS>" share the id 3',
    ),
    "an enormous id": (ours(put("definition", "added", 0, "id")(2**31)), "ids must be below 134217728"),
    "words for characters": (
        ours(put("definition", "family")("char")),
        'token 4, "cat", of a character vocabulary is not one character',
    ),
    # tokenizer.json
    "their version": (theirs(put("version")("2.0")), 'version: expected "1.0", found "2.0"'),
    "no model type": (
        theirs(lambda file: [file["model"].pop(key) for key in ("type", "unk_token")]),
        'model: has no "type", and nothing else that tells it',
    ),
    "a model of no type": (
        theirs(lambda file: file.update(model={"unk_id": 1, "vocab": [["a", 0.0]]})),
        "model.unk_id: is no token's id",
    ),
    "another model": (theirs(put("model", "type")("Other")), f"model.type: the model Other {UNSUPPORTED}"),
    "no vocabulary": (theirs(lambda file: file["model"].pop("vocab")), 'model: has no "vocab"'),
    "an id that is none": (
        theirs(put("model", "vocab", "the")(-1)),
        "model.vocab.the: expected a whole number from 0 to 4294967295, found -1",
    ),
    "a large id": (
        theirs(put("model", "vocab", "the")(2**30)),
        "model.vocab: the id 1073741824 is too large for 6 tokens",
    ),
    "one id": (theirs(put("model", "vocab", "the")(4)), 'model.vocab: "cat" and "the" share the id 4'),
    "an unknown key": (theirs(put("surprise")(1)), "surprise: a key that is not known here"),
    "an unknown key below": (theirs(put("model", "surprise")(1)), "model.surprise: a key that is not known here"),
    "truncation": (theirs(put("truncation")({"max_length": 5})), 'truncation: has no "strategy"'),
    "a strategy of padding": (
        theirs(put("padding")({"strategy": "Longest", "direction": "Right"})),
        'padding.strategy: expected "BatchLongest" or "Fixed", found "Longest"',
    ),
    "padding": (theirs(put("padding")({})), 'padding: has no "strategy"'),
    "a normalizer": (
        theirs(put("normalizer")({"type": "Other"})),
        f"normalizer.type: the normalizer Other {UNSUPPORTED}",
    ),
    "a flag": (
        theirs(put("normalizer")({"type": "Strip", "strip_left": 1, "strip_right": True})),
        "normalizer.strip_left: expected true or false, found 1",
    ),
    "a pre-tokenizer": (
        theirs(put("pre_tokenizer")({"type": "Sequence", "pretokenizers": [{"type": "Custom"}]})),
        f"pre_tokenizer.pretokenizers[0].type: the pre-tokenizer Custom {UNSUPPORTED}",
    ),
    "a behavior": (
        theirs(put("pre_tokenizer")({"type": "Punctuation", "behavior": "Merged"})),
        'pre_tokenizer.behavior: "Merged" is not one of '
        "Removed, Isolated, Contiguous, MergedWithPrevious, MergedWithNext",
    ),
    "a delimiter": (
        theirs(put("pre_tokenizer")({"type": "CharDelimiterSplit", "delimiter": "ab"})),
        "pre_tokenizer.delimiter: expected one character",
    ),
    "a length": (
        theirs(put("pre_tokenizer")({"type": "FixedLength", "length": 0})),
        "FixedLength needs a length of at least 1, not 0",
    ),
    "a pattern": (
        theirs(
            put("pre_tokenizer")(
                {"type": "Split", "pattern": {"Regex": r"(a)\1"}, "behavior": "Isolated", "invert": False}
            )
        ),
        r'pre_tokenizer.pattern.Regex: the pattern "(a)\\1": \1 is not supported',
    ),
    "a replacement of nothing": (
        theirs(put("normalizer")({"type": "Replace", "pattern": {"Regex": "a*"}, "content": "b"})),
        'normalizer.pattern: replacing what may be empty, as "a*" may, is not supported by this version',
    ),
    "a scheme": (
        theirs(put("pre_tokenizer")({"type": "Metaspace", "replacement": "_", "add_prefix_space": False})),
        'pre_tokenizer.add_prefix_space: is false, and prepend_scheme is not "never"',
    ),
    "two templates": (
        theirs(
            put("post_processor")(
                {
                    "type": "Sequence",
                    "processors": [{"type": "BertProcessing", "sep": ["<EOS>", 3], "cls": ["<BOS>", 2]}] * 2,
                }
            )
        ),
        f"post_processor.processors[1]: a template around a template {UNSUPPORTED}",
    ),
    "a decoder": (theirs(put("decoder")({"type": "Custom"})), f"decoder.type: the decoder Custom {UNSUPPORTED}"),
    "a processor": (
        theirs(put("post_processor")({"type": "Custom"})),
        f"post_processor.type: the post-processor Custom {UNSUPPORTED}",
    ),
    "a sequence": (
        theirs(put("post_processor", "single", 0)({"Sequence": {"id": "C", "type_id": 0}})),
        'post_processor.single[0].Sequence: the sequence is "A" or "B", not "C"',
    ),
    "their token twice": (
        theirs(lambda file: file["added_tokens"].append({"id": 9, "content": "<EOS>", **ADDED})),
        'added_tokens[4]: "<EOS>" is there twice',
    ),
    "a list for an object": (theirs(put("model", "vocab")([])), "model.vocab: expected an object, found a list"),
    "an object for a list": (theirs(put("added_tokens")({})), "added_tokens: expected a list, found an object"),
    "null for a text": (theirs(put("version")(None)), "version: expected a string, found null"),
}


@pytest.mark.parametrize("name", TABLE)
def test_messages(name: str, tmp_path: Path) -> None:
    content, message = TABLE[name]
    path = tmp_path / "a.file"
    path.write_bytes(content)
    with pytest.raises(FormatError) as caught:
        bytemill.load(path)
    assert str(caught.value) == f"{path}: {message}"


def test_a_changed_file_is_told_how_to_become_valid_again(tmp_path: Path) -> None:
    file = {**READABLE, "vocab": [None] * 4 + ["cat", "dog"]}
    (tmp_path / "a").write_text(json.dumps(file))
    with pytest.raises(FormatError) as caught:
        bytemill.load(tmp_path / "a")
    start, end = str(caught.value).split(" found: ")
    assert start[:-17] == f"{tmp_path / 'a'}: checksum: {READABLE['checksum']} is stated and"
    assert end == 'the file was changed. If that was on purpose, remove the line "checksum"'


def test_a_folder_without_a_tokenizer(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        bytemill.load(tmp_path)
    names = (
        "tokenizer.mill, tokenizer.mill.json, tokenizer.json, tokenizer.json.gz, tekken.json, vocab.json, vocab.txt, "
        "tokenizer.model, spiece.model, sentencepiece.bpe.model"
    )
    assert str(caught.value) == f"{tmp_path}: the folder has none of {names}; name the file itself"


def test_what_tokenizer_json_cannot_express() -> None:
    clash = words(["CAT"], special_tokens=["cat"], lowercase=True)
    with pytest.raises(FormatError) as caught:
        clash.to_bytes("tokenizer.json")
    assert str(caught.value) == (
        'tokenizer.json cannot express the special token "cat", which other text becomes when it is normalized; '
        "write .mill instead, or train with a special token that normalizing or splitting changes"
    )


def test_a_special_token_that_text_could_become_is_not_exported() -> None:
    leaking = bytemill.train(
        ["a b"], bytemill.Word(lowercase=True, eos_token="</s>"), pretokenizer="whitespace_split", progress=False
    )
    assert leaking.encode("a </S>") == [4, 1]
    with pytest.raises(FormatError, match=r'cannot express the special token "</s>"'):
        leaking.to_bytes("tokenizer.json")
