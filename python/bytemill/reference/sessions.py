"""Sessions: a text that grows and changes. Here everything is encoded anew whenever somebody asks."""

from __future__ import annotations

from collections.abc import Callable

#: The ids of a text, and the place of each as the characters that it begins at and ends before.
Encode = Callable[[str], tuple[list[int], list[tuple[int, int]]]]


class Session:
    """A text and what is asked about it.

    >>> by_letters = lambda text: ([ord(c) for c in text], [(i, i + 1) for i in range(len(text))])
    >>> session = Session(by_letters, "cat")
    >>> session.replace((0, 1), "m")
    >>> session.text, session.ids, session.count((1, 3))
    ('mat', [109, 97, 116], 2)
    """

    def __init__(self, encode: Encode, text: str = "") -> None:
        self.encode = encode
        self.text = text

    @property
    def ids(self) -> list[int]:
        return self.encode(self.text)[0]

    def replace(self, span: tuple[int, int], text: str) -> None:
        start, end = span
        if not 0 <= start <= end <= len(self.text):
            raise ValueError(f"{span} is not a span of {len(self.text)} characters")
        self.text = self.text[:start] + text + self.text[end:]

    def append(self, text: str) -> None:
        self.replace((len(self.text), len(self.text)), text)

    def prepend(self, text: str) -> None:
        self.replace((0, 0), text)

    def truncate(self, length: int) -> None:
        self.replace((length, len(self.text)), "")

    def count(self, span: tuple[int, int]) -> int:
        """The tokens from the first that reaches beyond the start of a span to the last that begins before its end."""
        start, end = span
        if start == end < len(self.text):
            return 0
        places = self.encode(self.text)[1]
        reaching = [i for i, (_, last) in enumerate(places) if last > start or start == 0]
        beginning = [i for i, (first, _) in enumerate(places) if first < end or end == len(self.text)]
        return max(0, beginning[-1] + 1 - reaching[0]) if reaching and beginning else 0


def is_stable(encode: Encode, text: str, stable: int, appended: list[str]) -> bool:
    """Whether the first ids of a text stay as they are for each of some texts that may follow."""
    ids = encode(text)[0][:stable]
    return all(encode(text + more)[0][:stable] == ids for more in appended)
