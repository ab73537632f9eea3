"""Source code: pieces with their syntax, language detection, source files, and the words of identifiers.

Examples:
    >>> from bytemill import code
    >>> [(piece.kind, piece.text) for piece in code.code_pieces("x = 1  # one", language="python")][-3:]
    [('number', b'1'), ('whitespace', b'  '), ('comment', b'# one')]
"""

from .docstrings import DocField, DocSection, Documentation, documentation
from .pieces import (
    KINDS,
    LANGUAGES,
    WHEEL_LANGUAGES,
    CodeEncoding,
    CodePiece,
    CodePieces,
    CodeToken,
    code_pieces,
    detect_language,
    files,
    keywords,
    split_identifier,
)

__all__ = [
    "KINDS",
    "LANGUAGES",
    "WHEEL_LANGUAGES",
    "CodeEncoding",
    "CodePiece",
    "CodePieces",
    "CodeToken",
    "DocField",
    "DocSection",
    "Documentation",
    "code_pieces",
    "detect_language",
    "documentation",
    "files",
    "keywords",
    "split_identifier",
]
