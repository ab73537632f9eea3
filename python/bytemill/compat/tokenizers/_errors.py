"""What the library raises where the engine raises something else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import BytemillError, TextError, UnknownTokenError


@contextmanager
def as_the_library(kind: type[Exception] = Exception, before: str = "") -> Iterator[None]:
    """Errors of the engine as exceptions of the library, which has one class for nearly all."""
    try:
        yield
    except BytemillError as error:
        raise kind(f"{before}{error}") from error


@contextmanager
def of_custom() -> Iterator[None]:
    """Errors in the code of users as the library hands them on: one class, with the name of theirs in the message."""
    try:
        yield
    except Exception as error:
        raise Exception(f"{type(error).__qualname__}: {error}") from error


#: What each model says when it lacks a token for what it does not know.
_UNKNOWN = {
    "WordLevel": "WordLevel error: Missing [UNK] token from the vocabulary",
    "WordPiece": "WordPiece error: Missing [UNK] token from the vocabulary",
    "Unigram": "Encountered an unknown token but `unk_id` is missing",
}


def of_engine(error: BytemillError, model: str, unk_token: str | None) -> Exception:
    """The exception for what failed while a text was encoded."""
    if isinstance(error, TextError):
        return TypeError("TextInputSequence must be str")
    if not isinstance(error, UnknownTokenError):
        return Exception(str(error))
    return Exception(_UNKNOWN.get(model, f"Unk token `{unk_token}` not found in the vocabulary"))
