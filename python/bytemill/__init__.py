"""bytemill: train, encode, decode and ship every tokenizer family.

>>> import bytemill
>>> tok = bytemill.train(["the cat sat on the mat"], bytemill.Word(), progress=False)
>>> tok.encode("the cat")
[4, 5]
>>> tok.decode([4, 5])
'the cat'
"""

from . import errors, normalizers, pretokenizers
from ._core import DecodeStream, Encoding, __version__
from .arrays import Ragged
from .counting import PieceCounts, count_pieces
from .explaining import Explanation
from .tokenizer import EncodeReport, Tokenizer, load
from .training import BPE, Char, Unigram, Word, train

__all__ = [
    "BPE",
    "Char",
    "DecodeStream",
    "EncodeReport",
    "Encoding",
    "Explanation",
    "PieceCounts",
    "Ragged",
    "Tokenizer",
    "Unigram",
    "Word",
    "__version__",
    "count_pieces",
    "errors",
    "load",
    "normalizers",
    "pretokenizers",
    "train",
]
