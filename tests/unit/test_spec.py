"""The vectors of spec/: run by bytemill and by the reference here, and by crates/bytemill/tests/spec.rs."""

from __future__ import annotations

import json
from typing import Any

import pytest

import bytemill
from bytemill import pretokenizers
from bytemill.reference import splitting
from bytemill.reference.chars import CharTokenizer
from bytemill.reference.words import WordTokenizer, spaced
from tests.conftest import ROOT

FAMILIES = {"words": "word", "chars": "char"}
ROLES = ("pad", "unk", "bos", "eos")

Vector = dict[str, Any]


def vectors() -> list[Vector]:
    return [
        {"family": family, **json.loads(line)}
        for name, family in FAMILIES.items()
        for line in (ROOT / "spec" / f"{name}.jsonl").read_bytes().splitlines()
    ]


EVERY = pytest.mark.parametrize("vector", vectors(), ids=lambda v: f"{v['family']}: {v['name']}")

STAGES = {
    "whitespace": pretokenizers.Whitespace,
    "whitespace_split": pretokenizers.WhitespaceSplit,
    "punctuation": pretokenizers.Punctuation,
    "digits": pretokenizers.Digits,
}


def tokenizer(vector: Vector) -> bytemill.Tokenizer:
    spec = {"word": bytemill.Word, "char": bytemill.Char}[vector["family"]]
    stage = dict(vector.get("pretokenizer", {}))
    return bytemill.train(
        vector["documents"],
        spec(**vector.get("options", {})),
        special_tokens=vector.get("special_tokens", ()),
        pretokenizer=STAGES[stage.pop("type")](**stage) if stage else None,
        progress=False,
    )


def reference(vector: Vector) -> CharTokenizer:
    options = dict(vector.get("options", {}))
    roles = {role: options.pop(f"{role}_token", f"<{role.upper()}>") for role in ROLES}
    sizes = {name: options.pop(name) for name in ("vocab_size", "min_frequency") if name in options}
    specials = [token for token in roles.values() if token is not None] + vector.get("special_tokens", [])
    stage = dict(vector.get("pretokenizer", {}))
    if stage:
        split = getattr(splitting, stage.pop("type"))
        options["split"] = lambda text: split(text, **stage)
    if vector["family"] == "char":
        tok = CharTokenizer(specials, roles["unk"], **options)
    else:
        # Stages with an argument keep the white space, unless that is to remove something.
        keeps_all = bool(stage) and "removed" not in stage.values()
        tok = WordTokenizer(specials, roles["unk"], joined="".join if keeps_all else spaced, **options)
    tok.train(vector["documents"], **sizes)
    return tok


@EVERY
def test_bytemill(vector: Vector) -> None:
    tok = tokenizer(vector)
    policy = vector.get("specials", "all")
    ids = tok.encode(vector["text"], specials=policy)
    assert tok.tokenize(vector["text"], specials=policy) == vector["tokens"]
    assert ids == vector["ids"]
    assert tok.decode(ids) == vector["decoded"]


@EVERY
def test_reference(vector: Vector) -> None:
    tok = reference(vector)
    policy = vector.get("specials", "all")
    wanted = {"all": None, "none": []}[policy] if isinstance(policy, str) else policy
    ids = tok.encode(vector["text"], wanted)
    assert [tok.tokens[id] for id in ids] == vector["tokens"]
    assert ids == vector["ids"]
    assert tok.decode(ids) == vector["decoded"]


def test_every_vector_has_a_name_of_its_own() -> None:
    names = [(vector["family"], vector["name"]) for vector in vectors()]
    assert len(set(names)) == len(names) >= 60
