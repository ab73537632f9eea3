"""Explanations: pieces, and merges in their order."""

from __future__ import annotations

import dataclasses
import json
import random
from pathlib import Path

import bytemill
from bytemill.results.explanation import MergeStep
from tests.random_bpe import file, text


def low(tmp_path: Path) -> bytemill.Tokenizer:
    tokens = [*"lower", "lo", "er", "low", "lower", "\u00e9"]
    model = {
        "type": "BPE",
        "vocab": {token: id for id, token in enumerate(tokens)},
        "merges": ["l o", "e r", "lo w", "low er"],
    }
    definition = {"version": "1.0", "pre_tokenizer": {"type": "WhitespaceSplit"}, "model": model}
    (tmp_path / "tokenizer.json").write_text(json.dumps(definition))
    return bytemill.load(tmp_path)


def test_merges_in_their_order(tmp_path: Path) -> None:
    explanation = low(tmp_path).explain("\u00e9 lower")
    assert explanation.tokens == ["\u00e9", "lower"] and explanation.ids == [9, 8]
    piece = explanation.pieces[1]
    assert (piece.text, piece.start, piece.end, piece.symbols) == ("lower", 2, 7, list("lower"))
    assert piece.merges[:3] == [
        MergeStep(0, "l", "o", "lo", 0),
        MergeStep(1, "e", "r", "er", 3),
        MergeStep(2, "lo", "w", "low", 0),
    ]
    assert list(piece.states())[1:3] == [["lo", "w", "er"], ["low", "er"]]
    assert str(piece) == (
        "lower  (2 to 7)\n"
        "  l o w e r\n"
        "  rank 0      l + o     →  lo w e r\n"
        "  rank 1      e + r     →  lo w er\n"
        "  rank 2      lo + w    →  low er\n"
        "  rank 3      low + er  →  lower\n"
        "  = lower 8"
    )


def test_what_is_dropped_is_nothing(tmp_path: Path) -> None:
    assert str(low(tmp_path).explain("x")) == "x  (0 to 1)\n  = nothing"


def test_long_pieces_are_not_written_out(tmp_path: Path) -> None:
    lines = str(low(tmp_path).explain("lower" * 10)).splitlines()
    assert lines[2] == "  rank 0      l + o     →  lo at 0" and len(lines) == 43


def test_other_families_have_no_merges() -> None:
    words = bytemill.train(["a b"], bytemill.Word(), progress=False)
    explanation = words.explain("a <EOS> b")
    assert [piece.added for piece in explanation.pieces] == [False, True, False]
    assert (
        str(explanation) == "a  (0 to 1)\n  = a 4\n<EOS>  (2 to 7, an added token)\n  = <EOS> 3\nb  (8 to 9)\n  = b 5"
    )
    assert dataclasses.asdict(explanation)["pieces"][0]["merges"] == []


def test_random_models_add_up(tmp_path: Path) -> None:
    for seed in range(100):
        rng = random.Random(seed)
        (tmp_path / "tokenizer.json").write_text(json.dumps(file(rng)[0]))
        tok = bytemill.load(tmp_path)
        for _ in range(5):
            sample = text(rng)
            explanation = tok.explain(sample)
            assert explanation.ids == tok.encode(sample), (seed, sample)
            for piece in explanation.pieces:
                assert [piece.symbols, *piece.states()][-1] == piece.tokens or not piece.symbols, (seed, sample)
