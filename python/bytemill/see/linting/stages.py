"""What the stages before the model never leave: characters that are normalized away, borders that are always cut."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .subject import Subject

#: Pretokenizers that cut between two characters whatever stands around them.
LOCAL = ("whitespace", "whitespace_split", "bert", "punctuation", "digits")
#: A character of each class that such pretokenizers know.
BEFORE = ("a", "1", "!", "$", "的", "\u0301", "_", "é", "+")
SURROGATES = range(0xD800, 0xE000)
#: Characters that are normalized in one call.
CHUNK = 1 << 16


class Stages:
    """The normalizer and the pretokenizer, asked about a token's text."""

    def __init__(self, subject: Subject) -> None:
        self.tok = subject.tok
        self.normalizer: dict[str, Any] | None = subject.definition.get("normalizer")
        self.local = [
            json.dumps(step) for step in steps(subject.definition.get("pretokenizer")) if step["type"] in LOCAL
        ]
        self.kept: dict[str, bool] = {}
        self.cuts: dict[str, bool] = {}
        self.leading: dict[str, bool] = {}

    def lost(self, text: str) -> str | None:
        """A character that no normalized text has."""
        if self.normalizer is None:
            return None
        for character in text:
            if character not in self.kept:
                self.kept[character] = character in self.tok.normalize(character) or self._is_made(character)
            if not self.kept[character]:
                return character
        return None

    def _is_made(self, character: str) -> bool:
        return bool(made_characters(json.dumps(self.normalizer))[ord(character)])

    def cut(self, text: str) -> list[str] | None:
        """What a text is always cut into, if it is."""
        if not any(map(self._is_cut, [*text, *map("".join, pairwise(text))])):
            return None
        return self._pieces(text)

    def _is_cut(self, few: str) -> bool:
        """Whether a character is taken out, or there is a border between two."""
        if few not in self.cuts:
            self.cuts[few] = self._pieces(few) != [few]
        return self.cuts[few]

    def _pieces(self, text: str) -> list[str]:
        pieces = [text]
        for step in self.local:
            pieces = [inner for piece in pieces for inner, _ in _core.split(step, piece)]
        return pieces

    def never_follows(self, text: str) -> bool:
        """Whether a border is always before the text, whatever stands there."""
        if not self.local:
            return False
        first = text[0]
        if first not in self.leading:
            joined = any(self._joined(before, first) for before in (*BEFORE, first))
            self.leading[first] = not joined
        return self.leading[first]

    def _joined(self, before: str, first: str) -> bool:
        """Whether both can be in one piece."""
        return any(before + first in piece for piece in self._pieces(self.tok.normalize(before + first)))


# Edits of one tokenizer ask again and again about the same normalizer.
@lru_cache(maxsize=8)
def made_characters(normalizer: str) -> NDArray[np.bool_]:
    """By code point: whether normalizing can give that character.

    A normalizer gives what it makes of single characters, what its rules and settings spell, and characters that are
    composed of several, which stay as they are when they are alone.
    """
    made = np.zeros(sys.maxunicode + 1, np.bool_)
    made[[ord(character) for rule in rules(json.loads(normalizer)) for character in rule]] = True
    points = [point for point in range(sys.maxunicode + 1) if point not in SURROGATES]
    for first in range(0, len(points), CHUNK):
        # A line end composes with nothing, so that each character is by itself.
        text = _core.normalize(normalizer, "\n".join(map(chr, points[first : first + CHUNK])))
        made[np.frombuffer(text.encode("utf-32-le"), np.uint32)] = True
    return made


def steps(stage: dict[str, Any] | None) -> Iterator[dict[str, Any]]:
    if stage is None:
        return
    if stage["type"] == "sequence":
        for step in stage["steps"]:
            yield from steps(step)
    else:
        yield stage


def rules(value: Any) -> Iterator[str]:
    """Every text that the definition of a normalizer spells, those of its map of characters included."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "charsmap" and isinstance(inner, str):
                yield from (made for _, made in _core.charsmap_rules(base64.b64decode(inner)))
            else:
                yield from rules(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from rules(inner)
    elif isinstance(value, str):
        yield value
