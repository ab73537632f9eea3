"""Sessions beside their slow twin, which encodes everything anew: random edits, and what must be equal after each."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import bytemill
from bytemill.errors import BytemillError
from bytemill.reference import sessions
from bytemill.session import Session

#: Chunks so small that a short text has several.
SMALL = 8


def session_in_chunks(tok: bytemill.Tokenizer, text: str, chunk_bytes: int, specials: Any = None) -> Session:
    """A session whose chunks have about this many bytes."""
    session = Session(tok, "", specials)
    session._session = tok._session(text, specials, chunk_bytes)
    return session


def encode_of(tok: bytemill.Tokenizer, specials: Any = None) -> sessions.Encode:
    """The ids of a text and their places, as the twin takes them."""

    def encode(text: str) -> tuple[list[int], list[tuple[int, int]]]:
        ids = tok.encode(text, specials=specials)
        # These places are not trimmed, as those of an input may be.
        ways = [outcome(lambda trusted=trusted: tok._encode_segments([(text, trusted)])) for trusted in (True, False)]
        places = [way[1] for way in ways if isinstance(way, tuple) and way[0] == ids]
        return ids, places[0] if places else tok(
            text, add_special_tokens=False, offsets=True, specials=specials
        ).offsets

    return encode


def random_edit(rng: random.Random, session: Session, text: str, new: str) -> str:
    """Makes an edit by a method of the session; returns the text that comes of it, or the old one if it is refused."""
    end = len(text)
    start, stop = sorted((rng.randint(0, end), rng.randint(0, end)))
    if rng.random() < 0.7:
        stop = min(end, start + rng.randint(0, 12))
    ways: list[tuple[Callable[[], None], str]] = [
        (lambda: session.append(new), text + new),
        (lambda: session.prepend(new), new + text),
        (lambda: session.replace((start, stop), new), text[:start] + new + text[stop:]),
        (lambda: session.replace((start, stop), ""), text[:start] + text[stop:]),
        (lambda: session.truncate(stop), text[:stop]),
    ]
    edit, edited = rng.choices(ways, weights=[3, 2, 6, 3, 1])[0]
    try:
        edit()
    except BytemillError as error:
        expected = outcome(lambda: session.tokenizer.encode(edited, specials=session._specials))
        assert expected is type(error), f"{edited!r} raised {error!r}, and encoding it gives {expected!r}"
        return text
    return edited


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except BytemillError as error:
        return type(error)


def check_answers(rng: random.Random, session: Session, text: str, appended: str) -> None:
    """What a session says about its text is what the tokenizer says."""
    tok, specials = session.tokenizer, session._specials
    twin = sessions.Session(encode_of(tok, specials), text)
    span = (start := rng.randint(0, len(text)), rng.randint(start, len(text)))
    limit, from_end = rng.randint(0, len(session.ids) + 1), rng.random() < 0.5
    places = twin.encode(text)[1]
    in_bytes = tok(text, add_special_tokens=False, offsets="bytes", specials=specials).offsets
    if has_places(places, len(text)) and has_places(in_bytes, len(text.encode())) and agree(places, in_bytes, text):
        # A place without a character may be some bytes of one, which the session has and the twin has not.
        if not any(start == end and start in span for start, end in places):
            assert session.count(span) == twin.count(span), (text, span)
        cut = tok.cut_index(text, limit, from_end=from_end, specials=specials)
        assert session.cut_index(limit, from_end=from_end) == cut, (text, limit, from_end)
    more = outcome(lambda: tok.encode(text + appended, specials=specials))
    stable = session.stable
    assert session.unstable == session.ids[stable:]
    assert not isinstance(more, list) or more[:stable] == session.ids[:stable], (text, appended, stable)


def has_places(places: list[tuple[int, int]], length: int) -> bool:
    """Whether tokens stand where they say. Like `tokenizers`, some BPE models place bytes of unknown text elsewhere."""
    starts, ends = [start for start, _ in places], [end for _, end in places]
    return starts == sorted(starts) and ends == sorted(ends) and max(ends, default=0) <= length


def agree(places: list[tuple[int, int]], in_bytes: list[tuple[int, int]], text: str) -> bool:
    """Whether no token ends inside a character that is not its own, as bytes of unknown text may after a prefix.

    Where a template has the text twice, the places in bytes go on.
    """
    ends = [0, *itertools.accumulate(len(c.encode()) for c in text)]
    return all(last <= ends[end] for (_, end), (_, last) in zip(places, in_bytes, strict=False))
