"""`bytemill edit` does what the functions of `bytemill.surgery` do, and answers mistakes in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import bytemill
from bytemill import surgery

TEXT = "low lower lowest new newer newest\n"
MORE = "slow slower slowest\n"

Operation = Callable[[bytemill.Tokenizer], surgery.Edit]
OPERATIONS: dict[str, tuple[list[str], Operation]] = {
    "add": (
        ["--add", " lowly", "--add", " newly", "--on", "more.txt"],
        lambda tok: surgery.add_tokens(tok, [" lowly", " newly"]),
    ),
    "add whole": (
        ["--add", " low", "--no-stepping-stones"],
        lambda tok: surgery.add_tokens(tok, [" low"], stepping_stones=False),
    ),
    "add from lines": (["--add-from", "tokens.txt"], lambda tok: surgery.add_tokens(tok, [" lowly", " newly"])),
    "add with ids": (
        ["--add-from", "ids.json", "--kind", "special"],
        lambda tok: surgery.add_tokens(tok, {"<x>": 300}, kind="special"),
    ),
    "add into slots": (
        ["--add", "<x>", "--kind", "added", "--reserved"],
        lambda tok: surgery.add_tokens(tok, ["<x>"], kind="added", reserved=True),
    ),
    "remove": (["--remove", "lo"], lambda tok: surgery.remove_tokens(tok, ["lo"])),
    "remove from ids": (
        ["--remove-from", "gone.json", "--needed", "keep", "--ids", "keep"],
        lambda tok: surgery.remove_tokens(tok, ["lo", 263], needed="keep", ids="keep"),
    ),
    "prune": (
        ["--prune", "--vocab-size", "260", "--on", "more.txt"],
        lambda tok: surgery.prune(tok, [MORE], vocab_size=260),
    ),
    "prune to what is used": (
        ["--prune", "--min-count", "1", "--no-characters", "--ids", "keep", "--on", "more.txt"],
        lambda tok: surgery.prune(tok, [MORE], min_count=1, characters=False, ids="keep"),
    ),
    "prune to a script": (["--prune", "--script", "Greek"], lambda tok: surgery.prune(tok, scripts=["Greek"])),
    "extend": (
        ["--extend", "--vocab-size", "267", "--min-frequency", "1", "--on", "more.txt"],
        lambda tok: surgery.extend(tok, [MORE], vocab_size=267, min_frequency=1),
    ),
    "merge": (["--merge", "other.mill"], lambda tok: surgery.merge(tok, "other.mill")),
    "reorder": (["--reorder", "order.json"], lambda tok: surgery.reorder(tok, {5: 6, 6: 5})),
    "reorder by a list": (
        ["--reorder", "list.json"],
        lambda tok: surgery.reorder(tok, [1, 0, *range(2, tok.vocab_size)]),
    ),
    "compact": (["--compact"], surgery.compact),
    "rename": (["--rename", "<s>=<begin>"], lambda tok: surgery.rename_specials(tok, {"<s>": "<begin>"})),
}


def trained(text: str, specials: list[str]) -> bytemill.Tokenizer:
    return bytemill.train([text * 9], bytemill.BPE(264), special_tokens=specials, progress=False)


@pytest.fixture
def tok(folder: Path) -> bytemill.Tokenizer:
    tok = trained(TEXT, ["<s>", "<|reserved_1|>"])
    tok.save("tok.mill")
    trained(MORE, ["<t>"]).save("other.mill")
    Path("more.txt").write_text(MORE)
    Path("tokens.txt").write_text(" lowly\n newly\n")
    Path("ids.json").write_text('{"<x>": 300}')
    Path("gone.json").write_text(json.dumps(["lo", 263]))
    Path("order.json").write_text('{"5": 6, "6": 5}')
    Path("list.json").write_text(json.dumps([1, 0, *range(2, tok.vocab_size)]))
    return tok


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation(name, tok, invoke):
    arguments, operation = OPERATIONS[name]
    code, _, err = invoke("edit", "tok.mill", "new.mill", *arguments, "--map", "map.npz")
    assert code == 0, err
    expected = operation(tok)
    assert bytemill.load("new.mill") == expected.tokenizer
    assert surgery.EmbeddingMap.load("map.npz") == expected.embedding_map
    assert f"{tok.vocab_size:,} → {expected.tokenizer.vocab_size:,}" in err


MISTAKES = {
    "an object without ids": ("--reorder", '{"a": 1}', "expected an object of old and new ids, or a list of all old"),
    "a number": ("--reorder", "5", "expected an object of old and new ids, or a list of all old"),
    "names for ids": ("--reorder", '["x", 3]', "expected an object of old and new ids, or a list of all old"),
    "no JSON": ("--reorder", "{", "not valid JSON"),
    "numbers for tokens": ("--add-from", "[3]", "expected a list of tokens, or an object of tokens and their ids"),
    "ids that are none": ("--add-from", '{"a": "b"}', "expected an object of tokens and their ids"),
    "a flag for a token": ("--remove-from", "[true]", "expected a list of tokens or ids"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_files_with_something_else_are_refused(name, tok, invoke):
    option, content, message = MISTAKES[name]
    Path("wrong.json").write_text(content)
    code, _, err = invoke("edit", "tok.mill", "new.mill", option, "wrong.json")
    assert code == 1 and f"error: wrong.json: {message}" in err
    assert not Path("new.mill").exists()


def test_bytes_that_are_no_text_are_refused(tok, invoke):
    Path("wrong.txt").write_bytes(b"\xff\xfe")
    for option in ("--add-from", "--remove-from"):
        code, _, err = invoke("edit", "tok.mill", "new.mill", option, "wrong.txt")
        assert code == 1 and "wrong.txt: not valid UTF-8 at byte 0" in err
