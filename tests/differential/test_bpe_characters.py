"""BPE training over characters against `tokenizers`, where that leaves nothing to chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
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
    """A limit where the last character kept is more frequent than the first one left out: chance decides on equals."""
    counts = [count for _, count in Counter(text).most_common()]
    return next(limit for limit in range(least, len(counts)) if counts[limit - 1] > counts[limit])


def characters(text: str, size: int, pretokenizer: Any, first: Sequence[str] = ("<unk>",), **options: Any) -> Any:
    marks = {name: value for name, value in options.items() if name in MARKS}
    tok = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="<unk>", **marks))
    tok.pre_tokenizer = pretokenizer
    options |= {"vocab_size": size, "special_tokens": list(first), "show_progress": False}
    tok.train_from_iterator([text], tokenizers.trainers.BpeTrainer(**options))
    return tok


MARKS = {"end_of_word_suffix": "</w>", "continuing_subword_prefix": "##"}


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("name", ["english", "code", "mixed"])
def test_marks(name: str, mark: str, shared: Path) -> None:
    """Marked characters have their ids by chance there, and ties end by ids: special tokens make them certain."""
    text = CORPORA[name](shared)[:300_000]
    marks = {mark: MARKS[mark]}
    tok = learn(text, 4000, ties="huggingface", byte_level=False, unk_token="<unk>", pretokenizer="bert", **marks)
    vocab, merges = model(tok.to_bytes("tokenizer.json"))
    made = {left + right.removeprefix("##") for left, right in merges}
    first = [token for token in sorted(vocab, key=vocab.__getitem__) if token not in made]
    theirs = characters(text, 4000, tokenizers.pre_tokenizers.BertPreTokenizer(), first, **marks)
    assert (vocab, merges) == model(theirs)
