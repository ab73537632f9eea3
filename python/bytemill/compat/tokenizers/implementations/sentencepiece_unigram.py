"""Unigram after the manner of SentencePiece."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .. import decoders, pre_tokenizers
from .._added import AddedToken
from .._errors import as_the_library
from .._normalized import Regex
from .._tokenizer import Tokenizer
from ..models import Unigram
from ..normalizers import NFKC, Nmt, Replace, Sequence
from ..trainers import UnigramTrainer
from .base_tokenizer import BaseTokenizer


class SentencePieceUnigramTokenizer(BaseTokenizer):
    """Takes the most probable row of tokens; a mark stands for a space."""

    def __init__(
        self,
        vocab: list[tuple[str, float]] | None = None,
        replacement: str = "▁",
        add_prefix_space: bool = True,
    ) -> None:
        tokenizer = Tokenizer(Unigram() if vocab is None else Unigram(vocab))
        scheme = "always" if add_prefix_space else "never"
        tokenizer.normalizer = Sequence([Nmt(), NFKC(), Replace(Regex(" {2,}"), " ")])
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement=replacement, prepend_scheme=scheme)
        tokenizer.decoder = decoders.Metaspace(replacement=replacement, prepend_scheme=scheme)
        parameters = {
            "model": "SentencePieceUnigram",
            "replacement": replacement,
            "add_prefix_space": add_prefix_space,
        }
        super().__init__(tokenizer, parameters)

    def train(
        self,
        files: str | list[str],
        vocab_size: int = 8000,
        show_progress: bool = True,
        special_tokens: list[str | AddedToken] | None = None,
        initial_alphabet: list[str] | None = None,
        unk_token: str | None = None,
    ) -> None:
        trainer = UnigramTrainer(
            vocab_size=vocab_size,
            show_progress=show_progress,
            special_tokens=special_tokens or [],
            initial_alphabet=initial_alphabet or [],
            unk_token=unk_token,
        )
        self._tokenizer.train([files] if isinstance(files, str) else files, trainer)

    def train_from_iterator(
        self,
        iterator: Iterable[Any],
        vocab_size: int = 8000,
        show_progress: bool = True,
        special_tokens: list[str | AddedToken] | None = None,
        initial_alphabet: list[str] | None = None,
        unk_token: str | None = None,
        length: int | None = None,
    ) -> None:
        trainer = UnigramTrainer(
            vocab_size=vocab_size,
            show_progress=show_progress,
            special_tokens=special_tokens or [],
            initial_alphabet=initial_alphabet or [],
            unk_token=unk_token,
        )
        self._tokenizer.train_from_iterator(iterator, trainer, length)

    @staticmethod
    def from_spm(filename: str) -> SentencePieceUnigramTokenizer:
        """Reads a model of SentencePiece."""
        from .... import load  # The package is still being imported when this module is.

        with as_the_library():
            model = load(Path(filename), "model")
            if model.family != "unigram":
                raise Exception(
                    "You're trying to run a `Unigram` model but you're file was trained with a different algorithm"
                )
            tokenizer = SentencePieceUnigramTokenizer()
            tokenizer._tokenizer = Tokenizer.from_buffer(model.to_bytes("tokenizer.json"))
        tokenizer._parameters = {"model": "SentencePieceUnigram"}
        return tokenizer
