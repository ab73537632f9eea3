"""The word tokenizer: the character tokenizer with another way to split and another way to join."""

import re
from collections.abc import Callable, Iterable

from . import splitting
from .chars import ROLES, CharTokenizer, Split

#: Characters that want no space before them, and those that want none after them.
CLOSING = frozenset(".,;:!?%)]}'’”»…。，、；：！？）】》」』-/")
OPENING = frozenset("([{'’“«¿¡（【《「『-#$@/")
#: What stands before a space within a number or a name, and what after it.
WITHIN = [
    (r"[0-9] \.$", r"[0-9]"),
    (r"[0-9] ,$", r"[0-9]{3}(?![0-9])"),
    (r"[0-9] :$", r"[0-9]{2}(?![0-9])"),
    (r"/ [^ ]{1,24} \.$", r"[a-z0-9]"),
    (r"\. [^ ]{2,24} \.$", r"[a-z0-9]"),
]


def spaced(tokens: list[str]) -> str:
    """Joins words with spaces, then drops each space before a closing character, after an opening one, or within a
    number or a name.

    >>> spaced(["Hello", ",", "world", "!"])
    'Hello, world!'
    >>> spaced(["I", "don", "'", "t", "(", "yet", ")", "pay", "$", "5"])
    "I don't (yet) pay $5"
    >>> spaced("$ 3 . 14 , 1 , 000 at http : / / a . b".split())
    '$3.14, 1,000 at http://a.b'
    """
    text = " ".join(tokens)
    kept = []
    for i, c in enumerate(text):
        closes = text[i + 1 : i + 2] in CLOSING
        opens = i > 0 and text[i - 1] in OPENING
        within = (re.search(before, text[:i]) and re.match(after, text[i + 1 :]) for before, after in WITHIN)
        if c != " " or not (closes or opens or any(within)):
            kept.append(c)
    return "".join(kept)


class WordTokenizer(CharTokenizer):
    """
    >>> tok = WordTokenizer()
    >>> tok.train(["the cat sat on the mat."])
    >>> tok.tokens[4:]
    ['the', '.', 'cat', 'mat', 'on', 'sat']
    >>> tok.encode("the cat<EOS> the dog.")
    [4, 6, 3, 4, 1, 5]
    >>> tok.decode([4, 6, 3, 4, 1, 5])
    'the cat <EOS> the <UNK>.'
    """

    def __init__(
        self,
        special_tokens: Iterable[str] = ROLES,
        unk: str | None = "<UNK>",
        split: Split = splitting.bert,
        joined: Callable[[list[str]], str] = spaced,
        **normalization: bool,
    ) -> None:
        super().__init__(special_tokens, unk, split, **normalization)
        self.joined = joined

    def pieces(self, text: str) -> list[str]:
        return self.split(text)

    def join(self, tokens: list[str]) -> str:
        return self.joined(tokens)
