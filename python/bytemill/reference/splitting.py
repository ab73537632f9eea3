r"""Text → pieces, by asking one question of each character.

>>> whitespace("Hello, world... x_y")
['Hello', ',', 'world', '...', 'x_y']
>>> whitespace_split("Hello, world...")
['Hello,', 'world...']
>>> bert("Hello, world...")
['Hello', ',', 'world', '.', '.', '.']
"""

import unicodedata
from collections.abc import Callable, Hashable

#: Unicode's White_Space. (`str.isspace` also takes the separators U+001C to U+001F, which are not.)
WHITE = frozenset("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {chr(c) for c in range(0x2000, 0x200B)}

REMOVED, ISOLATED = "removed", "isolated"


def is_white(c: str) -> bool:
    return c in WHITE


def is_word(c: str) -> bool:
    r"""`\w`: letters, marks, decimal digits, letter-like numbers, connectors such as `_`, zero-width joiners."""
    category = unicodedata.category(c)
    return category[0] in "LM" or category in ("Nd", "Nl", "Pc") or c in "\u200c\u200d"


def is_punctuation(c: str) -> bool:
    """Every ASCII symbol, and what Unicode calls punctuation (so `$` is, and `€` is not)."""
    is_ascii_symbol = c.isascii() and c.isprintable() and not c.isalnum() and c != " "
    return is_ascii_symbol or unicodedata.category(c)[0] == "P"


def is_numeric(c: str) -> bool:
    return unicodedata.category(c)[0] == "N"


def runs(text: str, class_of: Callable[[str], Hashable]) -> list[str]:
    """Runs of characters of one class; `ISOLATED` characters stand alone, `REMOVED` ones are dropped.

    >>> runs("ab-c 12", lambda c: {"-": ISOLATED, " ": REMOVED}.get(c, c.isdigit()))
    ['ab', '-', 'c', '12']
    """
    pieces: list[str] = []
    before: Hashable = REMOVED
    for c in text:
        here = class_of(c)
        if here != REMOVED:
            if here == before and here != ISOLATED:
                pieces[-1] += c
            else:
                pieces.append(c)
        before = here
    return pieces


def whitespace(text: str) -> list[str]:
    r"""`\w+|[^\w\s]+`"""
    return runs(text, lambda c: REMOVED if is_white(c) else "word" if is_word(c) else "other")


def whitespace_split(text: str) -> list[str]:
    return runs(text, lambda c: REMOVED if is_white(c) else "kept")


def bert(text: str) -> list[str]:
    return runs(text, lambda c: REMOVED if is_white(c) else ISOLATED if is_punctuation(c) else "kept")


def punctuation(text: str, behavior: str = "isolated") -> list[str]:
    """Splits at punctuation alone; the behaviour says what becomes of it.

    >>> for behavior in BEHAVIORS:
    ...     print(behavior, punctuation("-aa--a-", behavior))
    removed ['aa', 'a']
    isolated ['-', 'aa', '-', '-', 'a', '-']
    contiguous ['-', 'aa', '--', 'a', '-']
    merged_with_previous ['-', 'aa-', '-', 'a-']
    merged_with_next ['-aa', '-', '-a', '-']
    """
    return split_at(text, is_punctuation, behavior)


def digits(text: str, individual: bool = False) -> list[str]:
    """
    >>> digits("call 123"), digits("call 123", individual=True)
    (['call ', '123'], ['call ', '1', '2', '3'])
    """
    return split_at(text, is_numeric, "isolated" if individual else "contiguous")


def delimiter(text: str, character: str = " ") -> list[str]:
    """
    >>> delimiter("a--b-", "-")
    ['a', 'b']
    """
    return runs(text, lambda c: REMOVED if c == character else "kept")


def fixed_length(text: str, length: int) -> list[str]:
    """
    >>> fixed_length("abcde", 2)
    ['ab', 'cd', 'e']
    """
    return [text[i : i + length] for i in range(0, len(text), length)]


BEHAVIORS = ("removed", "isolated", "contiguous", "merged_with_previous", "merged_with_next")


def split_at(text: str, is_match: Callable[[str], bool], behavior: str) -> list[str]:
    if behavior == "removed":
        return runs(text, lambda c: REMOVED if is_match(c) else "kept")
    if behavior == "contiguous":
        return runs(text, is_match)
    pieces = runs(text, lambda c: ISOLATED if is_match(c) else "kept")
    if behavior == "merged_with_previous":
        return merged(pieces, is_match)
    if behavior == "merged_with_next":
        backwards = merged([piece[::-1] for piece in reversed(pieces)], is_match)
        return [piece[::-1] for piece in reversed(backwards)]
    return pieces


def merged(pieces: list[str], is_match: Callable[[str], bool]) -> list[str]:
    """A match joins the piece before it, unless that is a match itself."""
    out: list[str] = []
    after_match = True
    for piece in pieces:
        match = is_match(piece[0])
        if match and not after_match:
            out[-1] += piece
        else:
            out.append(piece)
        after_match = match
    return out
