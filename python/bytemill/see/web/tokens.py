"""Tokens of a text as the page shows them: those in view, and the numbers of the whole text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BytemillError
from ...results.visible import text_of, visible

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer

#: What a token is beside its id, as bits.
SPECIAL, UNKNOWN, PARTIAL, DIFFERS = 1, 2, 4, 8
#: Tokens that one answer has at most.
MOST = 10_000
#: Characters of a token that are shown: an unknown one may be as long as the text.
LONGEST = 200


def well_formed(text: str) -> str:
    """A text of a browser: half a surrogate pair, which no Unicode text has, becomes U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class Places:
    """Browsers count in units of UTF-16, Python in code points."""

    def __init__(self, text: str) -> None:
        points = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
        self.units: NDArray[np.int64] = np.concatenate([[0], np.cumsum(1 + (points > 0xFFFF))])

    def point(self, unit: int) -> int:
        """The code point that begins at a unit, or after it."""
        return int(np.searchsorted(self.units, min(max(unit, 0), int(self.units[-1]))))


def shown_tokens(
    tokenizers: dict[str, Tokenizer], text: str, view: tuple[int, int], specials: Any
) -> list[dict[str, Any]]:
    """For each tokenizer its numbers, and its tokens in view; those that end where another has no border are marked."""
    text = well_formed(text)
    places = Places(text)
    start, end = places.point(view[0]), places.point(view[1])
    rows = [_one(name, tok, text, (start, end), specials) for name, tok in tokenizers.items()]
    borders = [{token[3] for token in row.get("tokens", ())} for row in rows]
    for row in rows:
        for token in row.get("tokens", ()):
            if any(token[3] not in ends for ends in borders if ends):
                token[4] |= DIFFERS
    return rows


def _one(name: str, tok: Tokenizer, text: str, view: tuple[int, int], specials: Any) -> dict[str, Any]:
    try:
        found = tok(text, add_special_tokens=False, offsets="chars", truncation=False, padding=False, specials=specials)
    except BytemillError as error:
        return {"name": name, "error": str(error)}
    spans = np.array(found.offsets, dtype=np.int64).reshape(-1, 2)
    begins, ends = spans[:, 0], np.maximum(spans[:, 1], spans[:, 0] + 1)
    inside = np.nonzero((begins < view[1]) & (ends > view[0]))[0]
    ids = found.ids
    bytes = len(text.encode())
    facts = Facts(tok)
    tokens = [facts.token(ids[i], (int(spans[i, 0]), int(spans[i, 1])), text) for i in inside[:MOST]]
    return {
        "name": name,
        "family": tok.family,
        "count": len(ids),
        "bytes": bytes,
        "bytes_per_token": bytes / len(ids) if ids else 0.0,
        "first": int(inside[0]) if len(inside) else 0,
        "tokens": tokens,
        "left_out": max(0, len(inside) - MOST),
    }


class Facts:
    """What is known of a tokenizer's ids."""

    def __init__(self, tok: Tokenizer) -> None:
        self.tok = tok
        self.special = set(tok.special_tokens.values())
        self.unk = json.loads(tok.definition())["unk"]

    def token(self, id: int, span: tuple[int, int], text: str) -> list[Any]:
        """`[id, what is shown, start, end, flags, bytes in hexadecimal]`"""
        start, end = span
        data = self.tok.id_to_bytes(id) or b""
        covered = text[start:end]
        unknown = id == self.unk and covered.encode() != data
        whole = is_text(data)
        flags = SPECIAL * (id in self.special) | UNKNOWN * unknown | PARTIAL * (not whole)
        shown = visible(covered[: LONGEST + 1] if unknown else text_of(data))
        if len(shown) > LONGEST:
            shown = f"{shown[:LONGEST]}… ({end - start:,} characters)"
        return [id, shown or "∅", start, end, flags, data.hex(" ")]


def is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
