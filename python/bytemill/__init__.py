"""bytemill: train, encode, decode and ship every tokenizer family.

Examples:
    >>> import bytemill
    >>> tok = bytemill.train(["the cat sat on the mat, the cat ran"], bytemill.BPE(vocab_size=262), progress=False)
    >>> tok.tokenize("the cat")
    ['the', ' cat']
    >>> tok.decode(tok.encode("the cat"))
    'the cat'
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import code, engines, errors, normalizers, pretokenizers, surgery
    from ._arguments.lengths import Padding, Truncation
    from ._core import DecodeStream, Encoding, IdLists
    from .code import split_identifier
    from .data.estimate import Estimate
    from .data.tokens import TokenData, open_tokens
    from .embedding import embed
    from .loading import load, loads
    from .machine import Features, features
    from .pretokenizers import Code
    from .results.explanation import Explanation
    from .results.ragged import Ragged
    from .results.report import EncodeReport, FileCount, TokenFile
    from .results.round_trip import RoundTrip
    from .results.segmentation import Segmentation
    from .see.comparison import Comparison, compare
    from .see.linting import Finding, Findings, lint
    from .see.sweep import Sweep, SweepRow, sweep
    from .session import Session, SessionIds
    from .tokenizer import Tokenizer
    from .training import (
        BPE,
        Char,
        PieceCounts,
        SentencePiece,
        Unigram,
        Word,
        WordPiece,
        count_parts,
        count_pieces,
        train,
    )

__version__ = "0.1.0"

#: Where each public name is defined. A module is imported when one of its names is first used: `import bytemill` takes
#: a millisecond, and `bytemill --help` loads neither numpy nor the compiled core.
_HOMES = {
    "_arguments.lengths": ("Padding", "Truncation"),
    "_core": ("DecodeStream", "Encoding", "IdLists"),
    "code": ("code", "split_identifier"),
    "data.estimate": ("Estimate",),
    "data.tokens": ("TokenData", "open_tokens"),
    "embedding": ("embed",),
    "engines": ("engines",),
    "errors": ("errors",),
    "loading": ("load", "loads"),
    "machine": ("Features", "features"),
    "normalizers": ("normalizers",),
    "pretokenizers": ("Code", "pretokenizers"),
    "results.explanation": ("Explanation",),
    "results.ragged": ("Ragged",),
    "results.report": ("EncodeReport", "FileCount", "TokenFile"),
    "results.round_trip": ("RoundTrip",),
    "results.segmentation": ("Segmentation",),
    "see.comparison": ("Comparison", "compare"),
    "see.linting": ("Finding", "Findings", "lint"),
    "see.sweep": ("Sweep", "SweepRow", "sweep"),
    "session": ("Session", "SessionIds"),
    "surgery": ("surgery",),
    "tokenizer": ("Tokenizer",),
    "training": (
        "BPE",
        "Char",
        "PieceCounts",
        "SentencePiece",
        "Unigram",
        "Word",
        "WordPiece",
        "count_parts",
        "count_pieces",
        "train",
    ),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "BPE",
    "Char",
    "Code",
    "Comparison",
    "DecodeStream",
    "EncodeReport",
    "Encoding",
    "Estimate",
    "Explanation",
    "Features",
    "FileCount",
    "Finding",
    "Findings",
    "IdLists",
    "Padding",
    "PieceCounts",
    "Ragged",
    "RoundTrip",
    "Segmentation",
    "SentencePiece",
    "Session",
    "SessionIds",
    "Sweep",
    "SweepRow",
    "TokenData",
    "TokenFile",
    "Tokenizer",
    "Truncation",
    "Unigram",
    "Word",
    "WordPiece",
    "__version__",
    "code",
    "compare",
    "count_parts",
    "count_pieces",
    "embed",
    "engines",
    "errors",
    "features",
    "lint",
    "load",
    "loads",
    "normalizers",
    "open_tokens",
    "pretokenizers",
    "split_identifier",
    "surgery",
    "sweep",
    "train",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f".{home}", __name__)
    found = module if name == home else getattr(module, name)
    globals()[name] = found  # the next use finds it without this function
    return found


def __dir__() -> list[str]:
    """What users may use; submodules that the package imports for itself are not shown."""
    return __all__
