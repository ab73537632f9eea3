"""`tokenizers` 0.23.3 over bytemill: the same names, arguments and results, another engine.

`import bytemill.compat.tokenizers as tokenizers`, or `bytemill.compat.install("tokenizers")` for a whole program.
"""

from __future__ import annotations

from enum import Enum
from typing import List, Tuple, Union  # noqa: UP035

from . import decoders, models, normalizers, pre_tokenizers, processors, tokenizers, trainers
from ._added import AddedToken
from ._encoding import Encoding
from ._normalized import NormalizedString, PreTokenizedString, Regex, Token
from ._tokenizer import Tokenizer

__version__ = "0.23.3"

Offsets = Tuple[int, int]  # noqa: UP006
TextInputSequence = str
PreTokenizedInputSequence = Union[List[str], Tuple[str]]  # noqa: UP006, UP007
TextEncodeInput = Union[  # noqa: UP007
    TextInputSequence,
    Tuple[TextInputSequence, TextInputSequence],  # noqa: UP006
    List[TextInputSequence],  # noqa: UP006
]
PreTokenizedEncodeInput = Union[  # noqa: UP007
    PreTokenizedInputSequence,
    Tuple[PreTokenizedInputSequence, PreTokenizedInputSequence],  # noqa: UP006
    List[PreTokenizedInputSequence],  # noqa: UP006
]
InputSequence = Union[TextInputSequence, PreTokenizedInputSequence]  # noqa: UP007
EncodeInput = Union[TextEncodeInput, PreTokenizedEncodeInput]  # noqa: UP007


class OffsetReferential(Enum):
    """What offsets refer to."""

    ORIGINAL = "original"
    NORMALIZED = "normalized"


class OffsetType(Enum):
    """What offsets count."""

    BYTE = "byte"
    CHAR = "char"


class SplitDelimiterBehavior(Enum):
    """What becomes of the text that separates."""

    REMOVED = "removed"
    ISOLATED = "isolated"
    MERGED_WITH_PREVIOUS = "merged_with_previous"
    MERGED_WITH_NEXT = "merged_with_next"
    CONTIGUOUS = "contiguous"


# They need the names above.
from .implementations import (  # noqa: E402
    BertWordPieceTokenizer,
    ByteLevelBPETokenizer,
    CharBPETokenizer,
    SentencePieceBPETokenizer,
    SentencePieceUnigramTokenizer,
)

__all__ = [
    "AddedToken",
    "BertWordPieceTokenizer",
    "ByteLevelBPETokenizer",
    "CharBPETokenizer",
    "EncodeInput",
    "Encoding",
    "InputSequence",
    "NormalizedString",
    "OffsetReferential",
    "OffsetType",
    "Offsets",
    "PreTokenizedEncodeInput",
    "PreTokenizedInputSequence",
    "PreTokenizedString",
    "Regex",
    "SentencePieceBPETokenizer",
    "SentencePieceUnigramTokenizer",
    "SplitDelimiterBehavior",
    "TextEncodeInput",
    "TextInputSequence",
    "Token",
    "Tokenizer",
    "__version__",
    "decoders",
    "models",
    "normalizers",
    "pre_tokenizers",
    "processors",
    "tokenizers",
    "trainers",
]
