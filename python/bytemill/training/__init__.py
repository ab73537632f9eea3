"""Training: what to train (the specs), from what (sources, counts), and `train` itself."""

from .counts import PieceCounts, count_parts, count_pieces
from .sentencepiece import Normalization, SentencePiece, SentencePieceModel, Unigram
from .sources import LooksLikeFileNames
from .specs import BPE, Char, EndOfWord, Score, Ties, Word, WordPiece
from .trainer import CorpusTooSmall, Spec, train

__all__ = [
    "BPE",
    "Char",
    "CorpusTooSmall",
    "EndOfWord",
    "LooksLikeFileNames",
    "Normalization",
    "PieceCounts",
    "Score",
    "SentencePiece",
    "SentencePieceModel",
    "Spec",
    "Ties",
    "Unigram",
    "Word",
    "WordPiece",
    "count_parts",
    "count_pieces",
    "train",
]
