"""Byte-level BPE as GPT-2 has it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import decoders, pre_tokenizers, processors
from .._added import AddedToken
from .._tokenizer import Tokenizer
from ..models import BPE
from ..normalizers import Lowercase, unicode_normalizer_from_str
from ..trainers import BpeTrainer
from .base_tokenizer import BaseTokenizer, one_or_all


class ByteLevelBPETokenizer(BaseTokenizer):
    """Merges bytes, so that nothing is unknown."""

    def __init__(
        self,
        vocab: str | dict[str, int] | None = None,
        merges: str | list[tuple[str, str]] | None = None,
        add_prefix_space: bool = False,
        lowercase: bool = False,
        dropout: float | None = None,
        unicode_normalizer: str | None = None,
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        trim_offsets: bool = False,
    ) -> None:
        model = BPE()
        if vocab is not None and merges is not None:
            marks = {
                "continuing_subword_prefix": continuing_subword_prefix or "",
                "end_of_word_suffix": end_of_word_suffix or "",
            }
            model = BPE(vocab, merges, dropout=dropout, **marks)
        tokenizer = Tokenizer(model)
        normalizers = [unicode_normalizer_from_str(unicode_normalizer)] if unicode_normalizer else []
        tokenizer.normalizer = one_or_all([*normalizers, *([Lowercase()] if lowercase else [])])
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
        tokenizer.decoder = decoders.ByteLevel()
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=trim_offsets)
        parameters = {
            "model": "ByteLevelBPE",
            "add_prefix_space": add_prefix_space,
            "lowercase": lowercase,
            "dropout": dropout,
            "unicode_normalizer": unicode_normalizer,
            "continuing_subword_prefix": continuing_subword_prefix,
            "end_of_word_suffix": end_of_word_suffix,
            "trim_offsets": trim_offsets,
        }
        super().__init__(tokenizer, parameters)

    @staticmethod
    def from_file(vocab_filename: str, merges_filename: str, **kwargs: Any) -> ByteLevelBPETokenizer:
        return ByteLevelBPETokenizer(*BPE.read_file(vocab_filename, merges_filename), **kwargs)

    @staticmethod
    def _trainer(**options: Any) -> BpeTrainer:
        return BpeTrainer(initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), **options)

    def train(
        self,
        files: str | list[str],
        vocab_size: int = 30000,
        min_frequency: int = 2,
        show_progress: bool = True,
        special_tokens: list[str | AddedToken] = [],  # noqa: B006
    ) -> None:
        trainer = self._trainer(
            vocab_size=vocab_size,
            min_frequency=min_frequency,
            show_progress=show_progress,
            special_tokens=special_tokens,
        )
        self._tokenizer.train([files] if isinstance(files, str) else files, trainer)

    def train_from_iterator(
        self,
        iterator: Iterable[Any],
        vocab_size: int = 30000,
        min_frequency: int = 2,
        show_progress: bool = True,
        special_tokens: list[str | AddedToken] = [],  # noqa: B006
        length: int | None = None,
    ) -> None:
        trainer = self._trainer(
            vocab_size=vocab_size,
            min_frequency=min_frequency,
            show_progress=show_progress,
            special_tokens=special_tokens,
        )
        self._tokenizer.train_from_iterator(iterator, trainer, length)
