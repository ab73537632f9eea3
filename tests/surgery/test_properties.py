"""Random edits of random tokenizers: what reports and maps say is true of every short text, and in other libraries."""

from __future__ import annotations

import itertools
import json
import random
import warnings
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
import sentencepiece
import tiktoken
import tokenizers

import bytemill
from bytemill import surgery
from bytemill.errors import BytemillError, SpecError
from bytemill.surgery.reach import reach
from tests.effort import ALL

from .models import KINDS, OPERATIONS, add, tokenizer

SEEDS = range(12 if ALL else 3)
#: Edits in a row.
STEPS = 6
#: Every text of up to five of these, and some longer ones.
EVERY = ["".join(row) for size in range(1, 5) for row in itertools.product("abc ", repeat=size)]
MORE = ["abcabc acb", "aabbcc<x>ab<y>", "<|end|>abc", "cab é中 abba", "<renamed> a <mask>", "ab" * 20, "<s>a</s>"]
TEXTS = [*EVERY, *MORE]


def ids_of(tok: bytemill.Tokenizer, text: str) -> list[int] | None:
    try:
        return tok.encode(text, specials="all")
    except BytemillError:
        return None


def checked(
    rng: random.Random, tok: bytemill.Tokenizer, operation: Callable[..., surgery.Edit], kind: str
) -> surgery.Edit | None:
    """An edit of which everything is true; None if it is refused."""
    try:
        edit = operation(rng, tok)
    except SpecError:
        return None
    check_map(tok, edit)
    check_texts(tok, edit)
    check_library(edit.tokenizer, kind)
    return edit


@pytest.mark.peer
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.__name__)
@pytest.mark.parametrize("kind", KINDS)
def test_reports_and_maps_are_true(kind: str, operation: Callable[..., surgery.Edit]) -> None:
    done = 0
    for seed in SEEDS:
        rng = random.Random(f"{kind} {operation.__name__} {seed}")
        tok = tokenizer(rng, kind)
        done += checked(rng, tok, operation, kind) is not None
    refused = {("ranks", "reorder"), ("any_pairs", "rename"), ("characters", "rename"), ("wordpieces", "rename")}
    assert done or (kind, operation.__name__) in refused | {("scored", "rename")}


@pytest.mark.peer
@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_edits_are_true_after_each(kind: str) -> None:
    """Each edit is made of what the edit before it has left."""
    for seed in SEEDS:
        rng = random.Random(f"row {kind} {seed}")
        tok = tokenizer(rng, kind)
        done = 0
        for operation in rng.choices(OPERATIONS, k=STEPS):
            edit = checked(rng, tok, operation, kind)
            if edit is not None:
                done += 1
                tok = edit.tokenizer
        assert done >= STEPS // 3


def check_map(tok: bytemill.Tokenizer, edit: surgery.Edit) -> None:
    new, moved, report = edit.tokenizer, edit.embedding_map, edit.report
    assert (len(moved.new_ids), len(moved.old_ids)) == (tok.vocab_size, new.vocab_size)
    for old in range(tok.vocab_size):
        name, id = tok.id_to_token(old), int(moved.new_ids[old])
        if id >= 0:
            assert new.id_to_token(id) == report.renamed.get(name or "", name)
            assert moved.old_ids[id] == old
        else:
            assert name is None or report.removed[old] == name
    for id in range(new.vocab_size):
        if moved.old_ids[id] < 0:
            assert new.id_to_token(id) == report.added.get(id)
            assert (id in moved.sources) == (id in report.added)
    again = surgery.EmbeddingMap.of(
        (tok.vocab_size, new.vocab_size), {int(n): o for o, n in enumerate(moved.new_ids) if n >= 0}, moved.sources
    )
    assert again == moved
    assert moved.resize(np.eye(tok.vocab_size)).shape == (new.vocab_size, tok.vocab_size)


def check_texts(tok: bytemill.Tokenizer, edit: surgery.Edit) -> None:
    report, seen, seen_before = edit.report, set[int](), set[int]()
    for text in TEXTS:
        before, after = ids_of(tok, text), ids_of(edit.tokenizer, text)
        seen.update(after or ())
        seen_before.update(before or ())
        same = (after is None) if before is None else edit.embedding_map.move(before).tolist() == after
        assert report.changes(text, specials="all") == (not same), text
        assert same or report.may_change(text), text
    assert not seen & {*report.reach.unreachable}
    check_reach(edit, seen_before, seen)
    everything = report.reach.reached | {*report.reach.unreachable} | report.reach.undecided
    assert not report.reach.reached & ({*report.reach.unreachable} | report.reach.undecided)
    assert {id for id in report.added if id not in edit.tokenizer.added_tokens.values()} <= everything | controls(edit)


def check_reach(edit: surgery.Edit, seen_before: set[int], seen: set[int]) -> None:
    """What is lost and gained, beside the ids that the texts had before and have after the edit."""
    report, old_ids = edit.report, edit.embedding_map.old_ids
    ordinary = {*report.reach.reached, *report.reach.unreachable, *report.reach.undecided}
    for id in ordinary:
        old = int(old_ids[id])
        if old < 0:
            assert id not in report.lost and id not in report.gained
            continue
        assert not (id in report.lost and id in seen), (id, report.lost[id])
        assert not (id in report.gained and old in seen_before), id
        if old in seen_before and id in report.reach.unreachable:
            assert id in report.lost, id
        if id in report.reach.reached and old not in reached_by(report.before):
            assert id in report.gained, id


@cache
def reached_by(tok: bytemill.Tokenizer) -> frozenset[int]:
    return reach(tok).reached


def controls(edit: surgery.Edit) -> set[int]:
    """New pieces of SentencePiece that are no text."""
    try:
        types = edit.tokenizer.piece_types()
    except BytemillError:
        return set()
    return {id for id, kind in enumerate(types) if kind in ("control", "user_defined")}


@pytest.mark.parametrize("kind", ["byte_pairs", "characters", "ranks", "any_pairs"])
def test_new_tokens_of_bpe_stand_for_their_sources_in_every_text(kind: str) -> None:
    """With each new id replaced by its sources, the new ids of a text are the old ones."""
    done = 0
    for seed in SEEDS:
        rng = random.Random(f"sources {kind} {seed}")
        tok = tokenizer(rng, kind)
        try:
            edit = add(rng, tok)
        except SpecError:
            continue
        if (facts := json.loads(tok.definition())).get("whole_pieces") and facts.get("symbols", {}).get("suffix"):
            continue  # a token without the mark may be a whole piece, too, whose last part had the mark before
        done += 1
        moved = edit.embedding_map
        for text in TEXTS:
            before, after = ids_of(tok, text), ids_of(edit.tokenizer, text)
            if before is None or after is None or any(b"<" in (tok.id_to_bytes(id) or b"") for id in before):
                continue  # what is unknown, or becomes bytes, may be merged with what is beside it
            if leaves_out(tok, text):
                continue
            spelt = [(int(moved.old_ids[id]),) if moved.old_ids[id] >= 0 else moved.sources[id] for id in after]
            assert [*itertools.chain(*spelt)] == before, text
    assert done


def check_library(new: bytemill.Tokenizer, kind: str) -> None:
    peer = theirs(new, kind)
    if peer is None:
        return
    for text in TEXTS:
        try:
            expected = peer(text)
        except KeyError:
            continue  # the library fails on bytes that no token stands for
        assert new.encode(text, specials="none" if kind in ("ranks", "sentencepieces") else "all") == expected, text


def theirs(tok: bytemill.Tokenizer, kind: str) -> Callable[[str], list[int]] | None:
    """The tokenizer in the library of its format, after saving; None if the format cannot hold it."""
    if kind == "ranks":
        ranks = {token: id for token, id in tok.vocab_bytes().items() if id not in tok.added_tokens.values()}
        lines = tok.to_bytes("tiktoken").decode().splitlines()
        assert len(lines) == len(ranks)
        pattern = {"gpt2": GPT2, "cl100k": CL100K}.get(_pattern(tok), "[a-z]+|[^a-z]")
        encoding = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens=tok.special_tokens)
        return encoding.encode_ordinary
    if kind == "sentencepieces":
        model = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes("model"))
        assert [model.id_to_piece(id) for id in range(len(model))] == [tok.id_to_token(id) for id in range(len(tok))]
        return model.encode
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            library = tokenizers.Tokenizer.from_str(tok.to_bytes("tokenizer.json").decode())
    except BytemillError:
        return None
    return lambda text: library.encode(text, add_special_tokens=False).ids


GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|"
    r"\s+(?!\S)|\s"
)


def _pattern(tok: bytemill.Tokenizer) -> str:
    return str(json.loads(tok.definition())["pretokenizer"]["type"])


def leaves_out(tok: bytemill.Tokenizer, text: str) -> bool:
    """Whether characters are dropped that the tokenizer does not know: then others stand side by side."""
    places = tok(text, offsets=True, add_special_tokens=False, truncation=False).offsets
    covered = {place for start, end in places for place in range(start, end)}
    return any(place not in covered for place, c in enumerate(text) if not c.isspace())
