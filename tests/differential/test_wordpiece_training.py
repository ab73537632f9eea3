"""WordPiece training by frequency: the vocabulary of `tokenizers`, as far as that is the same twice.

The library gives ids to marked characters in the order of a hash table, and resolves ties by ids; so two of its own
trainings differ. Ours may differ from one of them no more than they do from one another.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import bytemill

from ..conftest import need
from .texts import files

tokenizers = need("tokenizers")

from tokenizers import models, normalizers, pre_tokenizers, trainers  # noqa: E402

pytestmark = [pytest.mark.peer, pytest.mark.shared]

SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def theirs(texts: list[str], size: int) -> set[str]:
    tok = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tok.normalizer = normalizers.BertNormalizer()
    tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=SPECIALS, min_frequency=2, show_progress=False)
    tok.train_from_iterator(texts, trainer)
    return set(tok.get_vocab())


@pytest.mark.parametrize("size", [800, 3_000])
def test_the_same_vocabulary(size: int, shared: Path) -> None:
    texts = [text for name, text in files(shared, sample=60_000) if "botchan" in name or "wikitext2_valid" in name]
    ours = set(bytemill.train(texts, bytemill.WordPiece(vocab_size=size), progress=False).vocab())
    several = [theirs(texts, size) for _ in range(4)]
    apart = max(len(one ^ other) for one in several for other in several)
    assert len(ours) == size
    assert min(len(ours ^ one) for one in several) <= max(apart, size // 100)
