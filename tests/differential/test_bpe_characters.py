"""BPE training over characters against `tokenizers`, where that leaves nothing to chance."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bytemill import pretokenizers

from ..conftest import need
from .test_bpe_training import CORPORA, learn, model

tokenizers = need("tokenizers")

pytestmark = [pytest.mark.peer, pytest.mark.shared]


@pytest.mark.parametrize("name", ["english", "chinese", "mixed"])
def test_characters(name: str, shared: Path) -> None:
    text = CORPORA[name](shared)
    limit = clear_limit(text.replace(" ", "▁"), 60)
    for options in ({}, {"limit_alphabet": limit}, {"initial_alphabet": ["☃"]}, {"max_token_length": 4}):
        theirs = characters(text, 3000, tokenizers.pre_tokenizers.Metaspace(), **options)
        ours = learn(
            text,
            3000,
            ties="huggingface",
            byte_level=False,
            unk_token="<unk>",
            pretokenizer=pretokenizers.Metaspace(),
            **options,
        )
        assert model(ours.to_bytes("tokenizer.json")) == model(theirs)


def clear_limit(text: str, least: int) -> int:
    """So many that the last character kept is more frequent than the first one left out: of equals, chance decides."""
    counts = [count for _, count in Counter(text).most_common()]
    return next(limit for limit in range(least, len(counts)) if counts[limit - 1] > counts[limit])


def characters(text: str, size: int, pretokenizer: Any, **options: Any) -> Any:
    marks = {name: value for name, value in options.items() if name in MARKS}
    tok = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="<unk>", **marks))
    tok.pre_tokenizer = pretokenizer
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=size, special_tokens=["<unk>"], show_progress=False, **options)
    tok.train_from_iterator([text], trainer)
    return tok


MARKS = {"end_of_word_suffix": "</w>", "continuing_subword_prefix": "##"}


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("name", ["english", "code", "mixed"])
def test_marks(name: str, mark: str, shared: Path) -> None:
    """Marked characters have their ids by chance there, so ties end by chance: what comes before one is compared."""
    text = CORPORA[name](shared)[:300_000]
    options = {mark: MARKS[mark]}
    size = 60 + 2 * len(set(text))
    theirs = characters(text, size, tokenizers.pre_tokenizers.BertPreTokenizer(), **options)
    ours = learn(text, size, ties="huggingface", byte_level=False, unk_token="<unk>", pretokenizer="bert", **options)
    certain = merges_before_a_tie(text, mark)
    (vocab, merges), (their_vocab, their_merges) = model(ours.to_bytes("tokenizer.json")), model(theirs)
    assert len(certain) >= 5
    assert merges[: len(certain)] == their_merges[: len(certain)] == certain
    assert len(vocab) == len(their_vocab)


def merges_before_a_tie(text: str, mark: str) -> list[list[str]]:
    """By counting all pairs again for each merge."""
    prefix, suffix = ("##", "") if mark == "continuing_subword_prefix" else ("", "</w>")
    words = {
        (piece[0], *(prefix + c for c in piece[1:-1]), prefix + piece[-1] + suffix): count
        for piece, count in Counter(piece for piece, _ in pretokenizers.Bert().split(text)).items()
        if len(piece) > 1
    }
    merges: list[list[str]] = []
    while len(merges) < 40:
        pairs: Counter[tuple[str, str]] = Counter()
        for word, count in words.items():
            for pair in itertools.pairwise(word):
                pairs[pair] += count
        (best, most), (_, second) = pairs.most_common(2)
        if most == second:
            break
        merges.append(list(best))
        words = {merged(word, best, best[0] + best[1].removeprefix(prefix)): count for word, count in words.items()}
    return merges


def merged(word: tuple[str, ...], pair: tuple[str, str], token: str) -> tuple[str, ...]:
    made: list[str] = []
    for unit in word:
        # What was just made is longer than the left part, so it is not taken for it.
        if made and (made[-1], unit) == pair:
            made[-1] = token
        else:
            made.append(unit)
    return tuple(made)
