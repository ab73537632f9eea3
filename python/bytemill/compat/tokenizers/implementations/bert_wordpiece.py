"""WordPiece as BERT has it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._added import AddedToken
from .._tokenizer import Tokenizer
from ..decoders import WordPiece as WordPieceDecoder
from ..models import WordPiece
from ..normalizers import BertNormalizer
from ..pre_tokenizers import BertPreTokenizer
from ..processors import BertProcessing
from ..trainers import WordPieceTrainer
from .base_tokenizer import BaseTokenizer

_SPECIAL_TOKENS: list[str | AddedToken] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


class BertWordPieceTokenizer(BaseTokenizer):
    """Splits words into the longest tokens that the vocabulary has."""

    def __init__(
        self,
        vocab: str | dict[str, int] | None = None,
        unk_token: str | AddedToken = "[UNK]",
        sep_token: str | AddedToken = "[SEP]",
        cls_token: str | AddedToken = "[CLS]",
        pad_token: str | AddedToken = "[PAD]",
        mask_token: str | AddedToken = "[MASK]",
        clean_text: bool = True,
        handle_chinese_chars: bool = True,
        strip_accents: bool | None = None,
        lowercase: bool = True,
        wordpieces_prefix: str = "##",
    ) -> None:
        parameters: dict[str, Any] = {"model": "BertWordPiece"}
        parameters |= {
            name: value for name, value in locals().items() if name not in ("self", "vocab", "parameters", "__class__")
        }
        tokenizer = Tokenizer(WordPiece(vocab, unk_token=str(unk_token)))
        for token in map(str, (unk_token, sep_token, cls_token, pad_token, mask_token)):
            if tokenizer.token_to_id(token) is not None:
                tokenizer.add_special_tokens([token])
        tokenizer.normalizer = BertNormalizer(clean_text, handle_chinese_chars, strip_accents, lowercase)
        tokenizer.pre_tokenizer = BertPreTokenizer()
        if vocab is not None:
            sep, cls = (self._around(tokenizer, name, parameters) for name in ("sep_token", "cls_token"))
            tokenizer.post_processor = BertProcessing(sep, cls)
        tokenizer.decoder = WordPieceDecoder(prefix=wordpieces_prefix)
        super().__init__(tokenizer, parameters)

    @staticmethod
    def _around(tokenizer: Tokenizer, name: str, parameters: dict[str, Any]) -> tuple[str, int]:
        token = str(parameters[name])
        id = tokenizer.token_to_id(token)
        if id is None:
            raise TypeError(f"{name} not found in the vocabulary")
        return token, id

    @staticmethod
    def from_file(vocab: str, **kwargs: Any) -> BertWordPieceTokenizer:
        return BertWordPieceTokenizer(WordPiece.read_file(vocab), **kwargs)

    def train(
        self,
        files: str | list[str],
        vocab_size: int = 30000,
        min_frequency: int = 2,
        limit_alphabet: int = 1000,
        initial_alphabet: list[str] = [],  # noqa: B006
        special_tokens: list[str | AddedToken] = _SPECIAL_TOKENS,
        show_progress: bool = True,
        wordpieces_prefix: str = "##",
    ) -> None:
        trainer = WordPieceTrainer(
            vocab_size=vocab_size,
            min_frequency=min_frequency,
            limit_alphabet=limit_alphabet,
            initial_alphabet=initial_alphabet,
            special_tokens=special_tokens,
            show_progress=show_progress,
            continuing_subword_prefix=wordpieces_prefix,
        )
        self._tokenizer.train([files] if isinstance(files, str) else files, trainer)

    def train_from_iterator(
        self,
        iterator: Iterable[Any],
        vocab_size: int = 30000,
        min_frequency: int = 2,
        limit_alphabet: int = 1000,
        initial_alphabet: list[str] = [],  # noqa: B006
        special_tokens: list[str | AddedToken] = _SPECIAL_TOKENS,
        show_progress: bool = True,
        wordpieces_prefix: str = "##",
        length: int | None = None,
    ) -> None:
        trainer = WordPieceTrainer(
            vocab_size=vocab_size,
            min_frequency=min_frequency,
            limit_alphabet=limit_alphabet,
            initial_alphabet=initial_alphabet,
            special_tokens=special_tokens,
            show_progress=show_progress,
            continuing_subword_prefix=wordpieces_prefix,
        )
        self._tokenizer.train_from_iterator(iterator, trainer, length)
