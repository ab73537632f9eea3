"""What can go wrong, as exceptions. Every one is a `BytemillError`, and also the builtin that fits it."""


class BytemillError(Exception):
    """The base of every exception that bytemill raises for a user's mistake."""


class FormatError(BytemillError, ValueError):
    """A file is corrupt, truncated, foreign, newer, or says something that we cannot reproduce exactly."""


class NotFoundError(BytemillError, FileNotFoundError):
    """A name for which there is neither a file nor a tokenizer in the caches of other libraries."""


class SpecialTokenError(BytemillError, ValueError):
    """A text contains a special token, and the call was told to refuse that."""


class TextError(BytemillError, ValueError):
    """A text is not valid Unicode."""


class UnknownIdError(BytemillError, KeyError):
    """An id that the vocabulary does not have."""

    # KeyError shows the repr of its argument; these messages are sentences.
    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class UnknownTokenError(BytemillError, ValueError):
    """A text that the vocabulary cannot express, in a tokenizer that has no unknown token."""


class SpecError(BytemillError, ValueError):
    """An argument, a training specification or a name that makes no sense, with the nearest one that does."""
