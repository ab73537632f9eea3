"""bytemill: train, encode, decode and ship every tokenizer family.

>>> import bytemill
>>> tok = bytemill.train(["the cat sat on the mat"], bytemill.Word(), progress=False)
>>> tok.encode("the cat")
[4, 5]
>>> tok.decode([4, 5])
'the cat'
"""

from . import code, errors, normalizers, pretokenizers
from ._arguments.lengths import Padding, Truncation
from ._core import DecodeStream, Encoding, __version__
from .code import split_identifier
from .loading import load
from .pretokenizers import Code
from .results.explanation import Explanation
from .results.ragged import Ragged
from .results.report import EncodeReport
from .results.segmentation import Segmentation
from .tokenizer import Tokenizer
from .training import BPE, Char, PieceCounts, SentencePiece, Unigram, Word, WordPiece, count_pieces, train

__all__ = [
    "BPE",
    "Char",
    "Code",
    "DecodeStream",
    "EncodeReport",
    "Encoding",
    "Explanation",
    "Padding",
    "PieceCounts",
    "Ragged",
    "Segmentation",
    "SentencePiece",
    "Tokenizer",
    "Truncation",
    "Unigram",
    "Word",
    "WordPiece",
    "__version__",
    "code",
    "count_pieces",
    "errors",
    "load",
    "normalizers",
    "pretokenizers",
    "split_identifier",
    "train",
]


def __dir__() -> list[str]:
    """What users may use; submodules that the package imports for itself are not shown."""
    return __all__
