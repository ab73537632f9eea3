"""What must be equal whatever the tokenizer: every way to the ids of a text leads to the same."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bytemill
from bytemill.errors import BytemillError
from tests.differential.sentencepiece_models import streamed
from tests.sessions import SMALL, check_answers, random_edit, session_in_chunks

from .tally import Difference, expect, expect_each
from .texts import random_parts


def result(call: Callable[[], Any]) -> Any:
    """What a call gives; its kind of error, if it is one that a user may see. All others go on."""
    try:
        return call()
    except BytemillError as error:
        if "please report it" in str(error):
            raise
        return type(error)


def check_ways(
    tok: bytemill.Tokenizer, general: bytemill.Tokenizer, text: str, rng: random.Random, times: int = 1
) -> None:
    """Encodes a text in every way there is; `times` is how often the template has it."""
    ids = result(lambda: general.encode(text))
    expect("encode", result(lambda: tok.encode(text)), ids)
    expect("encode_array", result(lambda: tok.encode_array(text).tolist()), ids)
    expect("encode_batch", result(lambda: tok.encode_batch([text, text], threads=2).to_list()), both(ids))
    expect("with offsets", result(lambda: without_template(tok, text, True)), repeated(ids, times))
    expect("with words", result(lambda: without_template(tok, text, False)), repeated(ids, times))
    if not isinstance(ids, list):
        return
    expect("count", tok.count(text), len(ids))
    expect("count_batch", tok.count_batch([text]).tolist(), [len(ids)])
    limit = rng.randint(0, len(ids) + 1)
    expect("count_till", tok.count_till(text, limit), len(ids) if len(ids) <= limit else None)
    parts = random_parts(rng, text)
    expect(f"encode_iterable of {parts!r}", list(tok.encode_iterable(parts)), ids)
    expect(f"streamed {ids}", streamed(tok, ids), tok.decode(ids))
    check_cuts(tok, text, ids, limit)
    check_seams(tok, text, ids, rng)
    check_session(tok, text, rng)


def check_rows(tok: bytemill.Tokenizer, general: bytemill.Tokenizer, texts: list[str]) -> list[list[int]]:
    """The ids of many texts, by the ways that take many at once."""
    rows = tok.encode_batch(texts, threads=1).to_list()
    expect_each("general ids of", texts, general.encode_batch(texts, threads=1).to_list(), rows)
    expect_each("encode", texts, map(tok.encode, texts), rows)
    expect_each("count of", texts, tok.count_batch(texts).tolist(), map(len, rows))
    return rows


def both(ids: Any) -> Any:
    return [ids, ids] if isinstance(ids, list) else ids


def repeated(ids: Any, times: int) -> Any:
    return ids * times if isinstance(ids, list) else ids


def without_template(tok: bytemill.Tokenizer, text: str, offsets: bool) -> list[int]:
    return tok(text, add_special_tokens=False, offsets=offsets, truncation=False, padding=False).ids


def check_cuts(tok: bytemill.Tokenizer, text: str, ids: list[int], limit: int) -> None:
    for from_end in (False, True):
        part = tok.cut(text, limit, from_end=from_end)
        if tok.count(part) > limit:
            raise Difference(f"cut to {limit}, from_end={from_end}: {part!r} has {tok.count(part)} ids")
        if limit >= len(ids):
            expect("a text that fits", part, text)


def check_seams(tok: bytemill.Tokenizer, text: str, ids: list[int], rng: random.Random) -> None:
    """A cut holds whatever follows: long texts are cut so and their parts encoded on several threads."""
    at = rng.randint(0, len(text))
    seam = tok._last_cut(text[:at])
    if seam is not None:
        first, second = text[: seam[0]], text[seam[1] :]
        expect(f"cut into {first!r} and {second!r}", tok.encode(first) + tok.encode(second), ids)


def check_session(tok: bytemill.Tokenizer, text: str, rng: random.Random) -> None:
    """A session has the ids of the whole text after every edit."""
    session = session_in_chunks(tok, text, SMALL)
    for _ in range(6):
        new = rng.choice([*random_parts(rng, text), ""])
        before, text = text, random_edit(rng, session, text, new)
        expect(f"session after {before!r}", (session.text, session.ids.tolist()), (text, tok.encode(text)))
        check_answers(rng, session, text, new)


def check_files(tok: bytemill.Tokenizer, text: str) -> None:
    """A file as one document, and the tokenizer itself saved and read again."""
    text = text.lstrip("\ufeff")  # which is no text at the start of a file
    if not text:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.txt"
        path.write_text(text, newline="")
        rows = result(lambda: tok.encode_files(path, progress=False).to_list())
        expect("encode_files", rows, [ids] if isinstance(ids := result(lambda: tok.encode(text)), list) else ids)
        for name in ("a.mill", "a.mill.json"):
            tok.save(Path(folder) / name)
            expect(name, bytemill.load(Path(folder) / name).fingerprint, tok.fingerprint)
