"""NormalizedString and PreTokenizedString: a text on its way through stages that are written in Python.

Only such stages see these objects. All others work inside the engine, many times as fast.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from itertools import compress
from typing import Any, NamedTuple

from ... import _core
from ._encoding import Encoding, PanicException
from ._errors import as_the_library, of_custom
from ._stage import compact, of_kind

Offsets = tuple[int, int]

#: What the library calls the ways to treat what separates, and how the file writes them.
_BEHAVIORS = {
    "removed": "Removed",
    "isolated": "Isolated",
    "merged_with_previous": "MergedWithPrevious",
    "merged_with_next": "MergedWithNext",
    "contiguous": "Contiguous",
}


class Regex:
    """A regular expression."""

    def __init__(self, s: str) -> None:
        of_kind(s, str)
        self._pattern = s
        with as_the_library():
            split = {"type": "Split", "pattern": {"Regex": s}, "behavior": "Removed", "invert": False}
            _core._stage_split(compact(split), "", True)


def pattern_of(pattern: object) -> dict[str, str]:
    """A pattern as the file writes it."""
    if isinstance(pattern, str):
        return {"String": pattern}
    if isinstance(pattern, Regex):
        return {"Regex": pattern._pattern}
    raise TypeError(
        f"failed to extract enum PyPattern ('str | tokenizers.Regex'): '{type(pattern).__name__}' object is neither"
    )


def behavior_of(behavior: object) -> str:
    """A behavior as the file writes it."""
    name = getattr(behavior, "value", behavior)
    if not isinstance(name, str):
        raise TypeError(f"'{type(behavior).__name__}' object is not an instance of 'str'")
    if name not in _BEHAVIORS:
        known = ", ".join(_BEHAVIORS)
        raise ValueError(f"Wrong value for SplitDelimiterBehavior, expected one of: `{known}`")
    return _BEHAVIORS[name]


class Aligned(NamedTuple):
    """A text, and the stretch of another one that each of its characters stands for."""

    text: str
    places: list[Offsets]


def aligned(characters: Iterable[tuple[str, Offsets]]) -> Aligned:
    """What the core gives for a text."""
    listed = list(characters)
    return Aligned("".join(c for c, _ in listed), [place for _, place in listed])


class NormalizedString:
    """A text that normalizers change, which keeps the original and the places in it."""

    def __init__(self, sequence: str) -> None:
        of_kind(sequence, str)
        self._original = sequence
        self._normalized = sequence
        #: For each character, the stretch of the original that it stands for.
        self._places = [(at, at + 1) for at in range(len(sequence))]
        #: Where the original starts in the text that it is part of.
        self._start = 0

    @property
    def original(self) -> str:
        return self._original

    @property
    def normalized(self) -> str:
        return self._normalized

    def __repr__(self) -> str:
        return f'NormalizedString(original="{self._original}", normalized="{self._normalized}")'

    def __str__(self) -> str:
        return self._normalized

    @contextmanager
    def _lent(self) -> Iterator[NormalizedString]:
        """The same text for code that may change it now, and not keep it."""
        lent = copy(self)
        try:
            yield lent
            self.__dict__.update(lent.__dict__)
        finally:
            lent.__class__ = _Returned

    def nfc(self) -> None:
        self._apply({"type": "NFC"})

    def nfd(self) -> None:
        self._apply({"type": "NFD"})

    def nfkc(self) -> None:
        self._apply({"type": "NFKC"})

    def nfkd(self) -> None:
        self._apply({"type": "NFKD"})

    def lowercase(self) -> None:
        self._apply({"type": "Lowercase"})

    def uppercase(self) -> None:
        upper = [c.upper() for c in self._normalized]
        places = [place for text, place in zip(upper, self._places, strict=True) for _ in text]
        self._normalized, self._places = "".join(upper), places

    def strip(self) -> None:
        self._apply({"type": "Strip", "strip_left": True, "strip_right": True})

    def lstrip(self) -> None:
        self._apply({"type": "Strip", "strip_left": True, "strip_right": False})

    def rstrip(self) -> None:
        self._apply({"type": "Strip", "strip_left": False, "strip_right": True})

    def replace(self, pattern: str | Regex, content: str) -> None:
        """Puts `content` in the place of every match."""
        self._apply({"type": "Replace", "pattern": pattern_of(pattern), "content": content})

    def prepend(self, s: str) -> None:
        """Puts text before it, which stands for what the first character stands for."""
        if self._normalized:
            self._normalized = s + self._normalized
            self._places = [self._places[0]] * len(s) + self._places

    def append(self, s: str) -> None:
        """Appends text that stands for what the last character stands for."""
        if self._normalized:
            self._normalized += s
            self._places = self._places + [self._places[-1]] * len(s)

    def clear(self) -> None:
        self._normalized, self._places = "", []

    def filter(self, func: Callable[[str], bool]) -> None:
        """Keeps the characters for which `func` gives True."""
        _needs_function("filter", func)
        answers = [func(c) for c in self._normalized]
        if any(type(answer) is not bool for answer in answers):
            raise PanicException("`filter` expect a callable with the signature: `fn(char) -> bool`")
        self._normalized = "".join(compress(self._normalized, answers))
        self._places = list(compress(self._places, answers))

    def map(self, func: Callable[[str], str]) -> None:
        """Puts what `func` gives for each character in its place."""
        _needs_function("map", func)
        mapped = [func(c) for c in self._normalized]
        if any(not isinstance(c, str) or not c for c in mapped):
            raise PanicException("`map` expect a callable with the signature: `fn(char) -> char`")
        # The library takes the first character of a longer text.
        self._normalized = "".join(c[0] for c in mapped)

    def for_each(self, func: Callable[[str], object]) -> None:
        """Calls `func` for each character."""
        _needs_function("for_each", func)
        for c in self._normalized:
            func(c)

    def slice(self, range: int | tuple[int, int] | builtins.slice) -> NormalizedString | None:
        """Returns a stretch of the normalized text, or None where there is none."""
        start, end = _bounds(range, len(self._normalized))
        return self._part(start, end) if 0 <= start < end else None

    def __getitem__(self, range: int | tuple[int, int] | builtins.slice) -> NormalizedString | None:
        return self.slice(range)

    def split(self, pattern: str | Regex, behavior: Any) -> list[NormalizedString]:
        """Returns the parts between matches."""
        written = {"type": "Split", "pattern": pattern_of(pattern), "behavior": behavior_of(behavior), "invert": False}
        with as_the_library():
            pieces = _core._stage_split(compact(written), self._normalized, True)
        return [self._realigned(aligned(piece)) for piece in pieces]

    def _apply(self, stage: dict[str, Any]) -> None:
        with as_the_library():
            self._align(aligned(_core._stage_normalize(compact(stage), self._normalized)))

    def _align(self, new: Aligned) -> None:
        """Takes another text, whose places are in this one."""
        self._places = [self._original_place(place) for place in new.places]
        self._normalized = new.text

    def _original_place(self, place: Offsets) -> Offsets:
        start, end = place
        if start < end:
            return (self._places[start][0], self._places[end - 1][1])
        at = self._places[start][0] if start < len(self._places) else len(self._original)
        return (at, at)

    def _part(self, start: int, end: int) -> NormalizedString:
        places = [(at, at + 1) for at in range(start, end)]
        return self._realigned(Aligned(self._normalized[start:end], places))

    def _realigned(self, piece: Aligned) -> NormalizedString:
        """A piece of this text, whose places are in it."""
        places = [self._original_place(place) for place in piece.places]
        start = min((place[0] for place in places), default=0)
        end = max((place[1] for place in places), default=start)
        part = NormalizedString(self._original[start:end])
        part._normalized = piece.text
        part._places = [(first - start, last - start) for first, last in places]
        part._start = self._start + start
        return part

    def _original_start(self) -> int:
        return self._start

    def _original_offsets(self) -> Offsets:
        return (self._start, self._start + len(self._original))

    def _offsets_of_bytes(self, offsets: Offsets) -> Offsets:
        """Where bytes of the normalized text stand in the whole original, in characters."""
        encoded = self._normalized.encode()
        start, end = (len(encoded[:at].decode(errors="ignore")) for at in offsets)
        first, last = self._original_place((start, min(end, len(self._normalized))))
        return (self._start + first, self._start + last)


def _needs_function(name: str, func: object) -> None:
    if not callable(func):
        raise TypeError(f"`{name}` expect a callable with the signature: `fn(char) -> …`")


def _bounds(given: int | tuple[int, int] | slice, length: int) -> Offsets:
    if isinstance(given, int):
        at = given + length if given < 0 else given
        return (at, min(at + 1, length))
    if isinstance(given, slice):
        start, end, _ = given.indices(length)
        return (start, end)
    start, end = given
    return (start, min(end, length))


class _Returned(NormalizedString):
    """A text that was lent, and that nobody may use any more."""

    def __getattribute__(self, name: str) -> Any:
        raise Exception("Cannot use a NormalizedStringRefMut outside `normalize`")


class Token:
    """A token that a model has found."""

    def __init__(self, id: int, value: str, offsets: Offsets) -> None:
        of_kind(value, str)
        self._tuple = (id, value, offsets)

    @property
    def id(self) -> int:
        return self._tuple[0]

    @property
    def value(self) -> str:
        return self._tuple[1]

    @property
    def offsets(self) -> Offsets:
        return self._tuple[2]

    def as_tuple(self) -> tuple[int, str, Offsets]:
        return self._tuple


class _Split:
    """A part of a text, and its tokens once it has them."""

    def __init__(self, text: NormalizedString, tokens: list[Token] | None = None) -> None:
        self.text = text
        self.tokens = tokens


class PreTokenizedString:
    """A text in parts, which pre-tokenizers split further and models turn into tokens."""

    def __init__(self, s: str) -> None:
        of_kind(s, str)
        self._original = s
        self._splits = [_Split(NormalizedString(s))]

    @classmethod
    def _of_parts(cls, original: str, parts: Iterable[tuple[NormalizedString, list[Token] | None]]) -> Any:
        pretok = cls(original)
        pretok._splits = [_Split(text, tokens) for text, tokens in parts]
        return pretok

    def split(self, func: Callable[[int, NormalizedString], Iterable[NormalizedString]]) -> None:
        """Replaces every part without tokens by what `func` gives for its number and itself."""
        if not callable(func):
            raise TypeError("`split` expect a callable with the signature: `fn(index: int, normalized: …) -> list`")
        numbers = iter(range(len(self._splits)))

        def parts(text: NormalizedString) -> Iterable[NormalizedString]:
            with of_custom():
                made = func(next(numbers), text)
                of_kind(made, Sequence)
                for part in made:
                    of_kind(part, NormalizedString)
                return made

        self._refine(parts)

    def _refine(self, func: Callable[[NormalizedString], Iterable[NormalizedString]]) -> None:
        refined = []
        for split in self._splits:
            if split.tokens is not None:
                refined.append(split)
                continue
            refined.extend(_Split(part) for part in func(split.text) if part.normalized)
        self._splits = refined

    def normalize(self, func: Callable[[NormalizedString], object]) -> None:
        """Calls `func` with every part without tokens, which it may change."""
        if not callable(func):
            raise TypeError("`normalize` expect a callable with the signature: `fn(normalized: NormalizedString)`")
        with of_custom():
            self._normalize(func)

    def _normalize(self, func: Callable[[NormalizedString], object]) -> None:
        for split in self._splits:
            if split.tokens is None:
                func(split.text)

    def tokenize(self, func: Callable[[str], Iterable[Token]]) -> None:
        """Gives every part without tokens those that `func` finds in its text."""
        if not callable(func):
            raise TypeError("`tokenize` expect a callable with the signature: `fn(str) -> List[Token]`")
        for split in self._splits:
            if split.tokens is None:
                with of_custom():
                    split.tokens = _tokens(func(split.text.normalized))

    def to_encoding(self, type_id: int = 0, word_idx: int | None = None) -> Encoding:
        """Returns the tokens of all parts."""
        rows = []
        for number, split in enumerate(self._splits):
            if split.tokens is None:
                raise Exception("Split has not been tokenized, call `PreTokenizedString::tokenize` first")
            word = number if word_idx is None else word_idx
            for id, value, offsets in (token.as_tuple() for token in split.tokens):
                rows.append((id, value, *split.text._offsets_of_bytes(offsets), word))
        return Encoding._of(_core.Encoding._of_tokens(rows, type_id))

    def get_splits(
        self, offset_referential: Any = "original", offset_type: Any = "char"
    ) -> list[tuple[str, Offsets, list[Token] | None]]:
        """Returns the parts: text, place, and tokens."""
        referential = _one_of("OffsetReferential", offset_referential, ("original", "normalized"))
        unit = _one_of("OffsetType", offset_type, ("byte", "char"))
        splits = []
        done = 0
        for split in self._splits:
            text = split.text.normalized
            length = len(text) if unit == "char" else len(text.encode())
            place = (done, done + length)
            done += length
            if referential == "original":
                place = split.text._original_offsets()
                if unit == "byte":
                    place = (len(self._original[: place[0]].encode()), len(self._original[: place[1]].encode()))
            splits.append((text, place, split.tokens))
        return splits


def _tokens(tokens: Any) -> list[Token]:
    of_kind(tokens, list)
    for token in tokens:
        of_kind(token, Token)
    return list(tokens)


def _one_of(name: str, given: Any, known: tuple[str, ...]) -> str:
    value = getattr(given, "value", given)
    if value not in known:
        raise ValueError(f"Wrong value for {name}, expected one of `{', '.join(known)}`")
    return str(value)
