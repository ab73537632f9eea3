"""`tokenizers.tokenizers`: the compiled module of the library, under which some programs find its names."""

from . import decoders, models, normalizers, pre_tokenizers, processors, trainers
from ._added import AddedToken
from ._encoding import Encoding
from ._normalized import NormalizedString, PreTokenizedString, Regex, Token
from ._tokenizer import Tokenizer

__version__ = "0.23.3"

__all__ = [
    "AddedToken",
    "Encoding",
    "NormalizedString",
    "PreTokenizedString",
    "Regex",
    "Token",
    "Tokenizer",
    "__version__",
    "decoders",
    "models",
    "normalizers",
    "pre_tokenizers",
    "processors",
    "trainers",
]
