"""Special tokens: found before anything else happens to the text, the leftmost first, the longest among those."""


def split(text: str, specials: list[str]) -> list[tuple[str, bool]]:
    """The special tokens of a text and the stretches between them, each with whether it is one.

    >>> split("a<x><x>!", ["<x>", "<x><x>"])
    [('a', False), ('<x><x>', True), ('!', False)]
    >>> split("", ["<x>"])
    []
    """
    parts: list[tuple[str, bool]] = []
    plain = ""
    at = 0
    while at < len(text):
        found = [token for token in specials if text.startswith(token, at)]
        if not found:
            plain += text[at]
            at += 1
            continue
        if plain:
            parts.append((plain, False))
            plain = ""
        longest = max(found, key=len)
        parts.append((longest, True))
        at += len(longest)
    if plain:
        parts.append((plain, False))
    return parts


def is_control(token: str, special: bool) -> bool:
    """Whether `specials=` decides about an added token. White space and single characters spell text, unless special.

    >>> is_control("<think>", special=False), is_control("    ", special=False), is_control("    ", special=True)
    (True, False, True)
    """
    is_space = all(character.isspace() or character == "▁" for character in token)
    return special or not (is_space or len(token) == 1)
