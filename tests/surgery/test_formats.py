"""Every operation on a tokenizer of every format that is read: saved to that format, its library gives the same ids."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import bytemill
from bytemill import surgery
from bytemill.errors import BytemillError

from .formats import FORMATS, TEXTS, Format

Operation = Callable[[bytemill.Tokenizer, Format], surgery.Edit]


def other(tok: bytemill.Tokenizer, format: Format) -> bytemill.Tokenizer:
    """One of the same kind that has learned more."""
    return surgery.extend(tok, ["slowly lowlands slower " * 9], vocab_size=tok.vocab_size + 4).tokenizer


def first_special(tok: bytemill.Tokenizer) -> str:
    roles = {getattr(tok, f"{role}_id") for role in tok.roles}
    return next(name for name, id in tok.special_tokens.items() if id not in roles)


def swapped(tok: bytemill.Tokenizer, format: Format) -> dict[int, int]:
    a, b = (tok.vocab()[name] for name in [*tok.vocab()][-2:])
    return {a: b, b: a}


OPERATIONS: dict[str, Operation] = {
    "add a plain token": lambda tok, format: surgery.add_tokens(tok, [format.word]),
    "add a plain token with an id": lambda tok, format: surgery.add_tokens(tok, {format.word: tok.vocab_size}),
    "add a plain token in a slot": lambda tok, format: surgery.add_tokens(tok, [format.word], reserved=True),
    "add a matched token": lambda tok, format: surgery.add_tokens(tok, ["<x>"], kind="added"),
    "add special tokens": lambda tok, format: surgery.add_tokens(tok, ["<x>", "<y>"], kind="special"),
    "add a special token with an id": lambda tok, format: surgery.add_tokens(
        tok, {"<x>": tok.vocab_size + 1}, kind="special"
    ),
    "add a special token in a slot": lambda tok, format: surgery.add_tokens(
        tok, ["<x>"], kind="special", reserved=True
    ),
    "remove": lambda tok, format: surgery.remove_tokens(tok, [format.known]),
    "remove, others are kept": lambda tok, format: surgery.remove_tokens(tok, [format.known], needed="keep"),
    "remove, ids are kept": lambda tok, format: surgery.remove_tokens(tok, [format.known], ids="keep"),
    "prune to a size": lambda tok, format: surgery.prune(tok, TEXTS[1:3], vocab_size=tok.vocab_size - 4),
    "prune to a script": lambda tok, format: surgery.prune(tok, scripts=["Latin"]),
    "extend": lambda tok, format: surgery.extend(tok, ["slowly lowlands " * 9], vocab_size=tok.vocab_size + 3),
    "merge": lambda tok, format: surgery.merge(tok, other(tok, format)),
    "reorder": lambda tok, format: surgery.reorder(tok, swapped(tok, format)),
    "compact": lambda tok, format: surgery.compact(tok),
    "rename": lambda tok, format: surgery.rename_specials(tok, {first_special(tok): "<begin>"}),
}


#: What a format cannot hold, and where that is said: by the operation, or when the file is written.
NO_GAPS = "has no gaps"
NO_PIECE = "has no ids without a piece"
FIRST = "they have the first ones, and one of a reserved token can be taken"
REFUSED = {
    ("tokenizer.json, Unigram", "add a special token with an id"): NO_GAPS,
    ("tokenizer.json, Unigram", "remove, ids are kept"): NO_GAPS,
    ("tekken.json", "add a plain token in a slot"): FIRST,
    ("tekken.json", "add a matched token"): FIRST,
    ("tekken.json", "add special tokens"): FIRST,
    ("tekken.json", "add a special token with an id"): FIRST,
    ("tekken.json", "remove, ids are kept"): "cannot express that no token has the id",
    ("tekken.json", "reorder"): "tokens of tiktoken merge in the order of their ids",
    ("vocab.txt", "add a special token with an id"): "a vocabulary without a token for the id",
    ("vocab.txt", "remove, ids are kept"): "a vocabulary without a token for the id",
    (".model, Unigram", "add a special token with an id"): NO_PIECE,
    (".model, BPE", "add a special token with an id"): NO_PIECE,
    (".model, bytes", "add a special token with an id"): NO_PIECE,
}


@cache
def read(name: str, folder: Path) -> bytemill.Tokenizer:
    return FORMATS[name].saved(FORMATS[name].make(), folder)[0]


@pytest.mark.peer
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", FORMATS)
def test_what_comes_out_is_saved_and_read_by_the_library(
    name: str, operation: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    format = FORMATS[name]
    tok = read(name, tmp_path_factory.getbasetemp())
    refusal = REFUSED.get((name, operation))
    if refusal is not None:
        with pytest.raises(BytemillError, match=refusal):
            format.saved(OPERATIONS[operation](tok, format).tokenizer, tmp_path)
        return
    edit = OPERATIONS[operation](tok, format)
    again, path = format.saved(edit.tokenizer, tmp_path)
    library = format.library(edit.tokenizer, path)
    assert again.vocab() == edit.tokenizer.vocab()
    for text in TEXTS:
        expected = edit.tokenizer.encode(text, specials=format.specials)
        assert library(text) == expected == again.encode(text, specials=format.specials), text
