"""WordPiece training by frequency: the vocabulary of `tokenizers`, token for token.

The library numbers marked characters in the order of a hash table and resolves ties by numbers, so two of its own
trainings differ. Its numbers are made certain by naming every character, marked or not, as a special token.
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


def theirs(texts: list[str], size: int, first: list[str]) -> list[str]:
    tok = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tok.normalizer = normalizers.BertNormalizer()
    tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=first, min_frequency=2, show_progress=False)
    tok.train_from_iterator(texts, trainer)
    return sorted(tok.get_vocab(), key=tok.token_to_id)


@pytest.mark.parametrize("size", [800, 3_000, 5_500])
def test_the_same_vocabulary(size: int, shared: Path) -> None:
    texts = [text for name, text in files(shared, sample=60_000) if "botchan" in name or "wikitext2_valid" in name]
    tok = bytemill.train(texts, bytemill.WordPiece(vocab_size=size), progress=False)
    ours = sorted(tok.vocab(), key=tok.vocab().__getitem__)
    characters = [token for token in ours if len(token.removeprefix("##")) == 1]
    assert ours == theirs(texts, size, [*SPECIALS, *characters])
