"""What an encoding says before somebody asks where its tokens stand, and after: both are what `tokenizers` says."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from .both import BOTH, Library, letters, outcome, plain

pytestmark = pytest.mark.peer

TEXTS = ["", "a", "abc ab", "abc ab abcd z [S] zz a b c d e f g h", "[S][C]", "  ab  "]
#: Programs ask for these alone, in any order.
FIRST = ("ids", "type_ids", "attention_mask", "special_tokens_mask", "n_sequences", "tokens")

TEMPLATES = {
    "none": None,
    "around": dict(single="[C] $A [S]", pair="[C] $A [S] $B:1 [S]:1"),
    "types": dict(single="[C]:3 $A:2 [S]:1", pair="$A $B"),
    "twice": dict(single="$A [S] $A", pair="$A $B"),
    "without": dict(single="[C] [S]", pair="$A $B"),
    "several": dict(single="[C] [S] $A", pair="$A $B"),
}
TRUNCATIONS: list[dict[str, Any] | None] = [
    None,
    {"max_length": 6},
    {"max_length": 100},
    {"max_length": 2},
    {"max_length": 6, "direction": "left"},
    {"max_length": 8, "stride": 2},
    {"max_length": 6, "strategy": "only_second"},
    {"max_length": 6, "strategy": "only_first"},
]
PADDINGS: list[dict[str, Any] | None] = [
    None,
    {},
    {"length": 9, "pad_id": 4, "pad_type_id": 2, "pad_token": "e"},
    {"pad_to_multiple_of": 8, "direction": "left"},
    {"length": 0},
    {"length": 7, "pad_to_multiple_of": 4},
]


def made(m: Library, template: str, truncation: dict[str, Any] | None, padding: dict[str, Any] | None) -> Any:
    tok = letters(m)
    tok.add_special_tokens(["[C]", "[S]"])
    if (slots := TEMPLATES[template]) is not None:
        special = [(token, tok.token_to_id(token)) for token in ("[C]", "[S]")]
        tok.post_processor = m.processors.TemplateProcessing(special_tokens=special, **slots)
    if truncation is not None:
        tok.enable_truncation(**truncation)
    if padding is not None:
        tok.enable_padding(**padding)
    return tok


def told(encoding: Any) -> list[Any]:
    """What an encoding says first, and then all of it."""
    first = [len(encoding), *(getattr(encoding, name) for name in FIRST)]
    return [first, plain(encoding), *(getattr(encoding, name) for name in FIRST)]


@pytest.mark.parametrize("template", TEMPLATES)
def test_encodings_say_the_same_before_and_after(template: str) -> None:
    for truncation, padding, add in itertools.product(TRUNCATIONS, PADDINGS, (True, False)):

        def calls(m: Library, truncation=truncation, padding=padding, add=add) -> list[Any]:  # type: ignore[no-untyped-def]
            tok = made(m, template, truncation, padding)
            each = [told(tok.encode(text, add_special_tokens=add)) for text in TEXTS]
            together = tok.encode_batch(TEXTS, add_special_tokens=add)
            quick = tok.encode_batch_fast(TEXTS, add_special_tokens=add)
            return [each, [*map(told, together)], [*map(told, quick)]]

        theirs, ours = (outcome(lambda m=m: calls(m)) for m in BOTH)
        assert ours == theirs, (truncation, padding, add)


def test_an_encoding_is_of_its_moment() -> None:
    """What is added to a tokenizer changes no encoding that was made before."""

    def call(m: Library) -> list[Any]:
        tok = made(m, "around", None, None)
        before = tok.encode("abc ab")
        tok.add_tokens(["bc"])
        tok.enable_padding(length=12)
        tok.post_processor = m.processors.TemplateProcessing(single="$A", pair="$A $B", special_tokens=[])
        return [told(before), told(tok.encode("abc ab"))]

    theirs, ours = (outcome(lambda m=m: call(m)) for m in BOTH)
    assert ours == theirs


@pytest.mark.parametrize("model", ["BPE", "Unigram"])
def test_tokens_of_a_text_are_as_it_writes_them(model: str) -> None:
    """An added token takes white space along, and Unigram shows what it does not know."""

    def call(m: Library) -> list[Any]:
        if model == "BPE":
            tok = m.Tokenizer(m.models.BPE({"?": 0, "a": 1, "b": 2}, [], unk_token="?"))
        else:
            tok = m.Tokenizer(m.models.Unigram([("?", 0.0), ("a", -1.0), ("b", -1.5), ("ab", -2.0)], 0))
        tok.add_tokens([m.AddedToken("[L]", lstrip=True, rstrip=True), m.AddedToken("[P]")])
        return [told(tok.encode(text)) for text in ("ab", "a [L] b", "a[P]b", "axyb", "x", "ä?", "")]

    theirs, ours = (outcome(lambda m=m: call(m)) for m in BOTH)
    assert ours == theirs


def test_lists_are_the_callers_own() -> None:
    encoding = made(BOTH[1], "around", None, {}).encode("abc ab")
    encoding.ids.clear()
    encoding.type_ids.append(7)
    assert len(encoding.ids) == len(encoding.type_ids) == len(encoding)
