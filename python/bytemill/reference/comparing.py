"""What tokenizers are compared by, counted token by token and character by character.

An encoding is a list of tokens: `(id, start, end)`, the place being that of the token in the text, in characters.
"""

import math
import unicodedata
from collections import Counter
from collections.abc import Callable

Encoding = list[tuple[int, int, int]]


def words(text: str) -> list[tuple[int, int]]:
    """Where words begin and end: between white space, without what is no letter, mark or number at their ends.

    >>> words("a, (b-c) !")
    [(0, 1), (4, 7)]
    """
    found: list[tuple[int, int]] = []
    place = 0
    for stretch in text.split():
        place = text.index(stretch, place)
        inner = [i for i, c in enumerate(stretch) if unicodedata.category(c)[0] in ("L", "M", "N")]
        if inner:
            found.append((place + inner[0], place + inner[-1] + 1))
        place += len(stretch)
    return found


def is_whole(word: tuple[int, int], encoding: Encoding, unk: int | None) -> bool:
    """Whether one token, and no other, has a part of the word, and it is not the unknown token.

    >>> is_whole((1, 4), [(7, 0, 4), (8, 4, 5)], None), is_whole((1, 4), [(7, 0, 2), (8, 2, 5)], None)
    (True, False)
    """
    first, last = word
    ids = [id for id, start, end in encoding if any(start <= i < end or start == end == i for i in range(first, last))]
    return len(ids) == 1 and ids[0] != unk


def scripts(text: str, script_of: Callable[[str], str]) -> list[str]:
    """The script of each character: its own, or else that of the one before it, or else the first of the text.

    >>> scripts("1a b", lambda c: "Latin" if c.isalpha() else "")
    ['Latin', 'Latin', 'Latin', 'Latin']
    """
    first = next((script for script in map(script_of, text) if script), "other")
    found: list[str] = []
    for character in text:
        found.append(script_of(character) or (found[-1] if found else first))
    return found


def by_script(
    texts: list[str], encodings: list[Encoding], script_of: Callable[[str], str]
) -> dict[str, tuple[int, int]]:
    """Bytes and tokens of each script. A token is of the script that it begins with."""
    size, tokens = Counter[str](), Counter[str]()
    for text, encoding in zip(texts, encodings, strict=True):
        names = scripts(text, script_of)
        for character, name in zip(text, names, strict=True):
            size[name] += len(character.encode())
        for _, start, _ in encoding:
            tokens[names[min(start, len(names) - 1)]] += 1
    return {name: (size[name], tokens[name]) for name in size}


def renyi_efficiency(ids: list[int], vocabulary: int, alpha: float = 2.5) -> float:
    """The Rényi entropy of ids divided by the largest that a vocabulary allows.

    >>> round(renyi_efficiency([0, 1, 2, 3], 4), 12), round(renyi_efficiency([0, 0], 4), 12) + 0
    (1.0, 0.0)
    """
    power = sum((count / len(ids)) ** alpha for count in Counter(ids).values())
    return 1 / (1 - alpha) * math.log(power) / math.log(vocabulary)


def measure(texts: list[str], encodings: list[Encoding], vocabulary: int, unk: int | None) -> dict[str, float]:
    """The measures of a tokenizer on texts."""
    ids = [id for encoding in encodings for id, _, _ in encoding]
    number = sum(len(words(text)) for text in texts)
    whole = sum(
        is_whole(word, encoding, unk) for text, encoding in zip(texts, encodings, strict=True) for word in words(text)
    )
    size = sum(len(text.encode()) for text in texts)
    return {
        "documents": len(texts),
        "bytes": size,
        "characters": sum(map(len, texts)),
        "words": number,
        "tokens": len(ids),
        "unknown": 0 if unk is None else ids.count(unk),
        "whole": whole,
        "used": len(set(ids)),
        "renyi_efficiency": renyi_efficiency(ids, vocabulary),
        "bytes_per_token": size / len(ids),
        "tokens_per_word": len(ids) / number,
        "tokens_per_character": len(ids) / sum(map(len, texts)),
        "words_whole": whole / number,
        "vocabulary_used": len(set(ids)) / vocabulary,
    }


def first_difference(text: str, left: Encoding, right: Encoding) -> int | None:
    """Where the first stretch begins that is cut differently: the last border that both have before it.

    What no token covers belongs to the token after it; at the end of the text, to the last one.

    >>> first_difference("a bc", [(0, 0, 1), (1, 1, 4)], [(0, 0, 1), (1, 2, 3), (2, 3, 4)])
    1
    """
    ours, theirs = ({0, *(end for _, _, end in encoding[:-1]), len(text)} for encoding in (left, right))
    odd = ours ^ theirs
    return max(border for border in ours & theirs if border < min(odd)) if odd else None
