"""bytemill: train, encode, decode and ship every tokenizer family.

>>> import bytemill
>>> tok = bytemill.train(["the cat sat on the mat"], bytemill.Word(), progress=False)
>>> tok.encode("the cat")
[4, 5]
>>> tok.decode([4, 5])
'the cat'
"""

from . import code, errors, normalizers, pretokenizers
from ._core import DecodeStream, Encoding, __version__
from .arrays import Ragged
from .code import split_identifier
from .counting import PieceCounts, count_pieces
from .explaining import Explanation
from .lengths import Padding, Truncation
from .pretokenizers import Code
from .segmentations import Segmentation
from .tokenizer import EncodeReport, Tokenizer, load
from .training import BPE, Char, SentencePiece, Unigram, Word, WordPiece, train

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
