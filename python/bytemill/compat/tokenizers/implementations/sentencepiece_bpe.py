"""BPE after the manner of SentencePiece."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import decoders, pre_tokenizers
from .._added import AddedToken
from .._tokenizer import Tokenizer
from ..models import BPE
from ..normalizers import NFKC
from ..trainers import BpeTrainer
from .base_tokenizer import BaseTokenizer


class SentencePieceBPETokenizer(BaseTokenizer):
    """Merges characters; a mark stands for a space."""

    def __init__(
        self,
        vocab: str | dict[str, int] | None = None,
        merges: str | list[tuple[str, str]] | None = None,
        unk_token: str | AddedToken = "<unk>",
        replacement: str = "▁",
        add_prefix_space: bool = True,
        dropout: float | None = None,
        fuse_unk: bool | None = False,
    ) -> None:
        lists = (vocab, merges) if vocab is not None and merges is not None else ()
        tokenizer = Tokenizer(BPE(*lists, dropout=dropout, unk_token=str(unk_token), fuse_unk=bool(fuse_unk)))
        if tokenizer.token_to_id(str(unk_token)) is not None:
            tokenizer.add_special_tokens([str(unk_token)])
        scheme = "always" if add_prefix_space else "never"
        tokenizer.normalizer = NFKC()
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement=replacement, prepend_scheme=scheme)
        tokenizer.decoder = decoders.Metaspace(replacement=replacement, prepend_scheme=scheme)
        parameters = {
            "model": "SentencePieceBPE",
            "unk_token": unk_token,
            "replacement": replacement,
            "add_prefix_space": add_prefix_space,
            "dropout": dropout,
        }
        super().__init__(tokenizer, parameters)

    @staticmethod
    def from_file(vocab_filename: str, merges_filename: str, **kwargs: Any) -> SentencePieceBPETokenizer:
        return SentencePieceBPETokenizer(*BPE.read_file(vocab_filename, merges_filename), **kwargs)

    def train(
        self,
        files: str | list[str],
        vocab_size: int = 30000,
        min_frequency: int = 2,
        special_tokens: list[str | AddedToken] = ["<unk>"],  # noqa: B006
        limit_alphabet: int = 1000,
        initial_alphabet: list[str] = [],  # noqa: B006
        show_progress: bool = True,
    ) -> None:
        trainer = BpeTrainer(
            vocab_size=vocab_size,
            min_frequency=min_frequency,
            special_tokens=special_tokens,
            limit_alphabet=limit_alphabet,
            initial_alphabet=initial_alphabet,
            show_progress=show_progress,
        )
        self._tokenizer.train([files] if isinstance(files, str) else files, trainer)

    def train_from_iterator(
        self,
        iterator: Iterable[Any],
        vocab_size: int = 30000,
        min_frequency: int = 2,
        special_tokens: list[str | AddedToken] = ["<unk>"],  # noqa: B006
        limit_alphabet: int = 1000,
        initial_alphabet: list[str] = [],  # noqa: B006
        show_progress: bool = True,
        length: int | None = None,
    ) -> None:
        trainer = BpeTrainer(
            vocab_size=vocab_size,
            min_frequency=min_frequency,
            special_tokens=special_tokens,
            limit_alphabet=limit_alphabet,
            initial_alphabet=initial_alphabet,
            show_progress=show_progress,
        )
        self._tokenizer.train_from_iterator(iterator, trainer, length)
