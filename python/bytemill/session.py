"""Session: the ids of a text that grows and changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arguments import checks
from ._arguments.types import Specials, Text

if TYPE_CHECKING:
    from .tokenizer import Tokenizer

#: Ids that are taken out of a view at a time.
_BLOCK = 4096


class SessionIds(Sequence[int]):
    """The ids of a session as they were when `Session.ids` was read. Later edits do not change them.

    Nothing is copied before it is asked for. `numpy.asarray(ids)` makes an array of all of them.
    """

    __slots__ = ("_chunks",)

    def __init__(self, chunks: _core.IdChunks) -> None:
        self._chunks = chunks

    def __len__(self) -> int:
        return len(self._chunks)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> list[int]: ...
    def __getitem__(self, index: int | slice) -> int | list[int]:
        if isinstance(index, slice):
            places = range(len(self))[index]
            if not places:
                return []
            first, last = min(places[0], places[-1]), max(places[0], places[-1])
            ids: list[int] = self._chunks.array(first, last + 1).tolist()
            return ids[:: places.step] if places.step > 0 else ids[::-1][:: -places.step]
        place = range(len(self))[index]
        return int(self._chunks.array(place, place + 1)[0])

    def __iter__(self) -> Iterator[int]:
        for start in range(0, len(self), _BLOCK):
            yield from self._chunks.array(start, min(start + _BLOCK, len(self))).tolist()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, SessionIds):
            return np.array_equal(np.asarray(self), np.asarray(other))
        if isinstance(other, (list, tuple)):
            return len(self) == len(other) and self.tolist() == list(other)
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]  # equal to lists, which have none

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("the ids of a session lie in chunks, so that an array of them is a copy")
        array = self._chunks.array(0, len(self))
        return array if dtype is None else array.astype(dtype, copy=False)

    def tolist(self) -> list[int]:
        """Returns all ids as a list."""
        return self[:]

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self[:8]))
        return f"SessionIds({len(self)} ids: {shown}{', …' if len(self) > 8 else ''})"


class Session:
    """A text that grows and changes, and its ids. Made by `Tokenizer.session`.

    The ids are always those that `Tokenizer.encode` gives for the whole text. An edit takes time for what it changes,
    not for the text around it, if the session is `bounded`. Places and lengths count characters. If an edit raises, the
    session stays as it was. Threads may share a session.

    Examples:
        >>> import bytemill
        >>> tok = bytemill.train(["the cat sat on the mat, the cat ran"], bytemill.BPE(262), progress=False)
        >>> session = tok.session("the cat")
        >>> session.append(" sat")
        >>> session.replace((4, 7), "mat")
        >>> session.text
        'the mat sat'
        >>> session.ids == tok.encode("the mat sat")
        True
    """

    __slots__ = ("_session", "_specials", "_tokenizer")

    def __init__(self, tokenizer: Tokenizer, text: Text = "", specials: Specials = None) -> None:
        self._tokenizer = tokenizer
        self._specials = specials
        self._session = tokenizer._session(text, specials)

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer."""
        return self._tokenizer

    @property
    def text(self) -> str:
        """The whole text, which is put together for this."""
        return self._session.text()

    @property
    def length(self) -> int:
        """The number of characters of the text."""
        return self._session.length()

    @property
    def ids(self) -> SessionIds:
        """The ids of the text as it is now."""
        return SessionIds(self._session.ids())

    @property
    def stable(self) -> int:
        """The number of ids at the start that stay, whatever text is appended.

        It is a number that is certain, and may be smaller than the largest that is.
        """
        return self._session.stable()

    @property
    def unstable(self) -> list[int]:
        """The ids at the end that appended text could change: those after the `stable` ones."""
        view = self.fork()
        return view.ids[view.stable :]

    @property
    def bounded(self) -> bool:
        """Whether the time that an edit takes depends on the edit alone. If not, `unbounded_reason` says why."""
        return self._session.unbounded() is None

    @property
    def unbounded_reason(self) -> str | None:
        """Why an edit may encode all of the text, or a long stretch of it; None if the session is `bounded`."""
        return self._session.unbounded()

    def append(self, text: Text) -> None:
        """Puts a text after the end."""
        self._session.replace(None, None, text)

    def prepend(self, text: Text) -> None:
        """Puts a text before the start."""
        self._session.replace(0, 0, text)

    def replace(self, span: tuple[int, int], text: Text) -> None:
        """Puts a text in the place of the characters from `span[0]` to before `span[1]`.

        An empty span inserts, an empty text deletes.
        """
        self._session.replace(*_span(span), text)

    def truncate(self, length: int) -> None:
        """Deletes what comes after the first `length` characters."""
        self._session.replace(checks.whole_number("length", length, least=0), None, "")

    def count(self, span: tuple[int, int] | None = None) -> int:
        """Counts the ids of the text, or those that a span of it has a part in.

        For a span, these are the tokens of the whole text from the first that reaches beyond its start to the last that
        begins before its end. A token that lies across the end of a span counts. `Tokenizer.count` tells how many ids
        the text of the span would have alone.
        """
        if span is None:
            return len(self._session.ids())
        return self._session.count(*_span(span))

    def cut_index(self, limit: int, *, from_end: bool = False) -> int:
        """Returns where to cut the text so that the part before it has at most `limit` ids.

        With `from_end` it is the part after it. The rule is that of `Tokenizer.cut_index`.
        """
        checks.flag("from_end", from_end)
        return self._session.cut_index(checks.whole_number("limit", limit, least=0), from_end)

    def cut(self, limit: int, *, from_end: bool = False) -> str:
        """Returns the beginning of the text, or with `from_end` its end, that has at most `limit` ids."""
        view = self.fork()
        index = view.cut_index(limit, from_end=from_end)
        return view.text[index:] if from_end else view.text[:index]

    def fork(self) -> Session:
        """Returns a session with the same text, which changes independently. What both have in common is shared."""
        forked = object.__new__(Session)
        forked._tokenizer, forked._specials = self._tokenizer, self._specials
        forked._session = self._session.fork()
        return forked

    def __copy__(self) -> Session:
        return self.fork()

    def __deepcopy__(self, memo: object) -> Session:
        return self.fork()

    def __reduce__(self) -> tuple[Any, ...]:
        return Session, (self._tokenizer, self.text, self._specials)

    def __repr__(self) -> str:
        return f"<bytemill.Session: {self.length:,} characters, {len(self.ids):,} ids>"


def _span(span: tuple[int, int]) -> tuple[int, int]:
    if not isinstance(span, tuple) or len(span) != 2:
        raise TypeError(f"span is a tuple of a start and an end, like (0, 5), not {span!r}")
    start, end = (checks.whole_number(name, value, least=0) for name, value in zip(("start", "end"), span, strict=True))
    return start, end
