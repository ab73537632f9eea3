"""Added tokens where they are odd: white space that overlaps, holes in the ids, names that normalization changes."""

import json
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill.errors import FormatError

from ..conftest import need

tokenizers = need("tokenizers")

pytestmark = pytest.mark.peer


def added(content: str, **flags: bool) -> dict[str, Any]:
    off = dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized", "special"], False)
    return {"id": 0, "content": content, **off, **flags}


def both(tmp_path: Path, tokens: list[dict[str, Any]], **changes: Any) -> tuple[Any, bytemill.Tokenizer]:
    file = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": tokens,
        "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": {"[UNK]": 0, "x": 1, "foo": 9}, "unk_token": "[UNK]"},
    }
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({**file, **changes}))
    return tokenizers.Tokenizer.from_file(str(path)), bytemill.load(path)


@pytest.mark.parametrize("content", ["\n", " ", "  "])
@pytest.mark.parametrize("flags", [{"rstrip": True}, {"lstrip": True}, {"lstrip": True, "rstrip": True}, {}])
@pytest.mark.parametrize("normalized", [True, False])
def test_white_space_that_is_a_token(content: str, flags: dict[str, bool], normalized: bool, tmp_path: Path) -> None:
    theirs, ours = both(tmp_path, [added(content, normalized=normalized, **flags)])
    for text in ("x\n\nx", "x   x", "  x \n", "\n \n x", " "):
        expected, found = theirs.encode(text), ours(text, offsets=True)
        assert (found.ids, found.offsets, found.tokens) == (expected.ids, expected.offsets, expected.tokens), text


def test_new_tokens_are_numbered_from_the_size_of_the_model(tmp_path: Path) -> None:
    theirs, ours = both(tmp_path, [added("foo"), added("new"), added("newer")])
    assert ours.encode("x new foo newer") == theirs.encode("x new foo newer").ids == [1, 3, 9, 4]


def test_a_number_that_is_taken_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match='id 9 belongs to the added token "g" and to "foo" of the vocabulary'):
        both(tmp_path, [added(c) for c in "abcdefg"])


def test_the_model_names_its_own_tokens(tmp_path: Path) -> None:
    unknown = added("[UNK]", normalized=True, special=True)
    theirs, ours = both(tmp_path, [unknown], normalizer={"type": "Lowercase"})
    assert ours("x zz").tokens == theirs.encode("x zz").tokens == ["x", "[UNK]"]


def test_types_are_those_of_the_template_without_its_tokens_too(tmp_path: Path) -> None:
    text = [{"Sequence": {"id": "A", "type_id": 3}}]
    pair = [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}]
    template = {"type": "TemplateProcessing", "single": text, "pair": pair, "special_tokens": {}}
    theirs, ours = both(tmp_path, [], post_processor=template)
    for special in (True, False):
        assert ours("x foo", add_special_tokens=special).type_ids == [3, 3]
        expected = theirs.encode("x foo", "x", add_special_tokens=special).type_ids
        assert ours("x foo", "x", add_special_tokens=special).type_ids == expected == [0, 0, 0]


@pytest.mark.parametrize(
    ("content", "normalizer"),
    [("\n", {"type": "Strip", "strip_left": True, "strip_right": True}), ("\u0301", {"type": "StripAccents"})],
)
def test_a_token_of_which_nothing_is_left_is_refused(content: str, normalizer: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="normalization leaves nothing of it"):
        both(tmp_path, [added(content, normalized=True)], normalizer=normalizer)


def test_a_template_for_one_text_asks_for_one(tmp_path: Path) -> None:
    second = [{"Sequence": {"id": "B", "type_id": 0}}]
    template = {"type": "TemplateProcessing", "single": second, "pair": second, "special_tokens": {}}
    with pytest.raises(FormatError, match="the template for a single text asks for a second one"):
        both(tmp_path, [], post_processor=template)
