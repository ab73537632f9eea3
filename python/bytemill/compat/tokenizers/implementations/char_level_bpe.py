"""BPE of characters, as the first GPT has it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._added import AddedToken
from .._tokenizer import Tokenizer
from ..decoders import BPEDecoder
from ..models import BPE
from ..normalizers import BertNormalizer, Lowercase, unicode_normalizer_from_str
from ..pre_tokenizers import BertPreTokenizer, WhitespaceSplit
from ..trainers import BpeTrainer
from .base_tokenizer import BaseTokenizer, one_or_all


class CharBPETokenizer(BaseTokenizer):
    """Merges characters; the last token of a word has a suffix."""

    def __init__(
        self,
        vocab: str | dict[str, int] | None = None,
        merges: str | list[tuple[str, str]] | None = None,
        unk_token: str | AddedToken = "<unk>",
        suffix: str = "</w>",
        dropout: float | None = None,
        lowercase: bool = False,
        unicode_normalizer: str | None = None,
        bert_normalizer: bool = True,
        split_on_whitespace_only: bool = False,
    ) -> None:
        lists = (vocab, merges) if vocab is not None and merges is not None else ()
        tokenizer = Tokenizer(BPE(*lists, dropout=dropout, unk_token=str(unk_token), end_of_word_suffix=suffix))
        if tokenizer.token_to_id(str(unk_token)) is not None:
            tokenizer.add_special_tokens([str(unk_token)])
        normalizers = [unicode_normalizer_from_str(unicode_normalizer)] if unicode_normalizer else []
        if bert_normalizer:
            normalizers.append(BertNormalizer(lowercase=False))
        if lowercase:
            normalizers.append(Lowercase())
        tokenizer.normalizer = one_or_all(normalizers)
        tokenizer.pre_tokenizer = WhitespaceSplit() if split_on_whitespace_only else BertPreTokenizer()
        tokenizer.decoder = BPEDecoder(suffix=suffix)
        parameters = {
            "model": "BPE",
            "unk_token": unk_token,
            "suffix": suffix,
            "dropout": dropout,
            "lowercase": lowercase,
            "unicode_normalizer": unicode_normalizer,
            "bert_normalizer": bert_normalizer,
            "split_on_whitespace_only": split_on_whitespace_only,
        }
        super().__init__(tokenizer, parameters)

    @staticmethod
    def from_file(vocab_filename: str, merges_filename: str, **kwargs: Any) -> CharBPETokenizer:
        return CharBPETokenizer(*BPE.read_file(vocab_filename, merges_filename), **kwargs)

    def train(
        self,
        files: str | list[str],
        vocab_size: int = 30000,
        min_frequency: int = 2,
        special_tokens: list[str | AddedToken] = ["<unk>"],  # noqa: B006
        limit_alphabet: int = 1000,
        initial_alphabet: list[str] = [],  # noqa: B006
        suffix: str | None = "</w>",
        show_progress: bool = True,
    ) -> None:
        trainer = BpeTrainer(
            vocab_size=vocab_size,
            min_frequency=min_frequency,
            special_tokens=special_tokens,
            limit_alphabet=limit_alphabet,
            initial_alphabet=initial_alphabet,
            end_of_word_suffix=suffix,
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
        suffix: str | None = "</w>",
        show_progress: bool = True,
        length: int | None = None,
    ) -> None:
        trainer = BpeTrainer(
            vocab_size=vocab_size,
            min_frequency=min_frequency,
            special_tokens=special_tokens,
            limit_alphabet=limit_alphabet,
            initial_alphabet=initial_alphabet,
            end_of_word_suffix=suffix,
            show_progress=show_progress,
        )
        self._tokenizer.train_from_iterator(iterator, trainer, length)
