"""The exceptions of bytemill, each a `BytemillError` and also the builtin exception that fits it; and warnings."""


class BytemillError(Exception):
    """The base of all exceptions of bytemill."""


class FormatError(BytemillError, ValueError):
    """A file is damaged, in another format or version, or contains something that cannot be reproduced exactly."""


class NotFoundError(BytemillError, FileNotFoundError):
    """A name for which there is neither a file nor a tokenizer in the caches of other libraries."""


class SpecialTokenError(BytemillError, ValueError):
    """A text contains a special token, and the call refuses special tokens."""

    #: The token.
    token: str | None = None


class TextError(BytemillError, ValueError):
    """A text is not valid Unicode."""


class UnknownIdError(BytemillError, KeyError):
    """An id is not in the vocabulary."""

    # KeyError shows the repr of its argument; these messages are sentences.
    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class UnknownTokenError(BytemillError, ValueError):
    """The vocabulary cannot express a text, and the tokenizer has no unknown token."""


class SpecError(BytemillError, ValueError):
    """An argument, an option or a name is wrong. The message says what is possible."""


class SkippedDocuments(UserWarning):
    """With `errors="skip"`, training or counting has left out rows that hold no text. The message names the first."""


class UnknownLanguage(UserWarning):
    """No grammar is here for a programming language: its sources are split by their characters alone."""


class GrammarError(BytemillError, ImportError):
    """The grammar of a programming language is in a package of its own, which is missing or cannot be used."""


class OtherGrammar(UserWarning):
    """A tokenizer for source code was made with another version of its language's grammar than the installed one."""
