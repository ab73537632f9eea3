"""Training beside `sentencepiece`: the same maps of characters; the same merges, words and characters.

What we write, it reads, and encodes as we do.
"""

from __future__ import annotations

import functools
import io
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bytemill

from ..conftest import need

sentencepiece = need("sentencepiece")
need("google.protobuf")

from sentencepiece import sentencepiece_model_pb2 as messages  # noqa: E402

from .sentencepiece_models import load  # noqa: E402
from .texts import generated  # noqa: E402

pytestmark = pytest.mark.peer

RULES = ["nfkc", "nmt_nfkc", "nfkc_cf", "nmt_nfkc_cf"]


def theirs(lines: list[str], **options: Any) -> Any:
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=written, num_threads=1, minloglevel=2, **options
    )
    return messages.ModelProto.FromString(written.getvalue())


def ours(lines: list[str], path: Path, **options: Any) -> Any:
    tok = bytemill.train(lines, bytemill.SentencePiece(**options), progress=False)
    tok.save(path)
    return messages.ModelProto.FromString(path.read_bytes())


def pieces(model: Any) -> list[tuple[str, float]]:
    return [(piece.piece, piece.score) for piece in model.pieces]


def rules(charsmap: bytes) -> dict[bytes, bytes]:
    """Every rule of a precompiled map, by walking its double array."""
    size = int.from_bytes(charsmap[:4], "little")
    units = np.frombuffer(charsmap[4 : 4 + size], "<u4")
    labels, every = units & (1 << 31 | 0xFF), np.arange(1, 256)
    texts = charsmap[4 + size :]

    @functools.cache
    def below(place: int) -> list[tuple[bytes, bytes]]:
        """What may follow; places are shared by what goes on alike."""
        unit = int(units[place])
        base = place ^ ((unit >> 10) << ((unit >> 9 & 1) << 3))
        found: list[tuple[bytes, bytes]] = []
        if unit >> 8 & 1:
            at = int(units[base]) & ~(1 << 31)
            found.append((b"", texts[at : texts.index(b"\0", at)]))
        for byte in every[labels[base ^ every] == every].tolist():
            found += [(bytes([byte]) + key, text) for key, text in below(base ^ byte)]
        return found

    return dict(below(0))


@pytest.mark.parametrize("rule", RULES)
def test_maps_of_characters(rule: str, tmp_path: Path) -> None:
    """Each of more than 200,000 rules, and no other."""
    text = ["a b c"] * 5
    expected = theirs(text, model_type="char", vocab_size=10, normalization_rule_name=rule).normalizer_spec
    found = ours(text, tmp_path / "m.model", model="char", vocab_size=None, normalization=rule).normalizer_spec
    assert found.name == expected.name == rule
    assert rules(found.precompiled_charsmap) == rules(expected.precompiled_charsmap)
    assert len(found.precompiled_charsmap) < 1.2 * len(expected.precompiled_charsmap)


def test_they_normalize_with_our_maps(tmp_path: Path) -> None:
    text = ["a b c"] * 5
    ours(text, tmp_path / "m.model", model="char", vocab_size=None, normalization="nmt_nfkc_cf")
    own = theirs(text, model_type="char", vocab_size=10, normalization_rule_name="nmt_nfkc_cf")
    with_ours = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "m.model"))
    own = sentencepiece.SentencePieceProcessor(model_proto=own.SerializeToString())
    texts = generated(2_000, seed=5)
    assert [text for text in texts if with_ours.normalize(text) != own.normalize(text)] == []


def test_a_table_of_rules(tmp_path: Path) -> None:
    table = tmp_path / "rules.tsv"
    table.write_text("41\t61\t# A => a\nU+0041 0042\t7A\n20AC\n")
    text = ["a AB cA €"] * 5
    expected = theirs(text, model_type="char", use_all_vocab=True, normalization_rule_tsv=str(table))
    found = ours(text, tmp_path / "m.model", model="char", vocab_size=None, normalization=table)
    assert pieces(found) == pieces(expected)
    assert rules(found.normalizer_spec.precompiled_charsmap) == rules(expected.normalizer_spec.precompiled_charsmap)


def corpus(seed: int, lines: int = 400) -> list[str]:
    """Words of parts that come again, of several scripts, with numbers, punctuation and what a map changes."""
    chance = random.Random(seed)
    parts = ["lo", "wer", "new", "est", "ing", "про", "ба", "東京", "タワー", "7", "42", "-", "'", "e\u0301", "ﬁ", "ß"]
    word = lambda: "".join(chance.choices(parts, k=chance.randint(1, 4)))  # noqa: E731
    return [" ".join(word() for _ in range(chance.randint(1, 12))) for _ in range(lines)]


OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "bytes": {"byte_fallback": True, "character_coverage": 0.98},
    "symbols": {"user_defined_symbols": ["est", "東"]},
    "numbers": {"split_by_number": False},
    "digits": {"split_digits": True},
    "scripts": {"split_by_unicode_script": False},
    "whole": {"split_by_whitespace": False},
    "suffix": {"treat_whitespace_as_suffix": True},
    "spaces": {"remove_extra_whitespaces": False, "add_dummy_prefix": False},
}


#: Not words with symbols: there the word before a symbol with a space is lost.
COMBINED = [(model, name) for model in ("bpe", "char", "word") for name in OPTIONS]
COMBINED.remove(("word", "symbols"))


@pytest.mark.parametrize(("model", "name"), COMBINED)
@pytest.mark.filterwarnings("ignore::bytemill.training.CorpusTooSmall")
def test_the_same_pieces_and_scores(model: str, name: str, tmp_path: Path) -> None:
    lines, size = corpus(1), 320 if OPTIONS[name].get("byte_fallback") else 240
    options, rule = {"vocab_size": size, **OPTIONS[name]}, "nmt_nfkc" if name == "plain" else "identity"
    expected = theirs(lines, model_type=model, hard_vocab_limit=False, normalization_rule_name=rule, **options)
    found = ours(lines, tmp_path / "m.model", model=model, normalization=rule, **options)
    assert [piece for piece, _ in pieces(found)] == [piece for piece, _ in pieces(expected)]
    assert [score for _, score in pieces(found)] == pytest.approx([score for _, score in pieces(expected)], rel=1e-6)
    assert [piece.type for piece in found.pieces] == [piece.type for piece in expected.pieces]
    case = load(tmp_path / "m.model")
    assert [text for text in [*generated(100), *lines[:50]] if case.differences(text)] == []


@pytest.mark.parametrize("name", [*OPTIONS, "whitespace"])
def test_what_unigram_writes_is_read_there(name: str, tmp_path: Path) -> None:
    options = OPTIONS.get(name) or {"allow_whitespace_only_pieces": True, "remove_extra_whitespaces": False}
    lines, size = corpus(2), 350 if options.get("byte_fallback") else 100
    rule = "nmt_nfkc" if name == "plain" else "identity"
    found = ours(lines, tmp_path / "m.model", vocab_size=size, normalization=rule, **options)
    assert len(found.pieces) == size
    case = load(tmp_path / "m.model")
    assert [text for text in [*generated(100), *lines[:50]] if case.differences(text)] == []


@pytest.mark.shared
@pytest.mark.parametrize("size", [1_000, 8_000])
def test_the_same_merges_of_a_book(size: int, shared: Path, tmp_path: Path) -> None:
    lines = (shared / "corpora" / "botchan.txt").read_text("utf-8").splitlines()
    expected = theirs(lines, model_type="bpe", vocab_size=size)
    found = ours(lines, tmp_path / "m.model", model="bpe", vocab_size=size)
    assert pieces(found) == pieces(expected)
