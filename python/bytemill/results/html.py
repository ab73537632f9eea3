"""Seeing a tokenizer and what it makes: HTML for notebooks. (The terminal's colours are in `cli/inspect.py`.)"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from ..errors import UnknownTokenError
from .visible import visible

if TYPE_CHECKING:
    from .._core import Encoding
    from ..tokenizer import Tokenizer

#: Backgrounds that neighbouring tokens take in turn; readable under black text.
COLOURS = ("#fde2e4", "#d7e9f7", "#e2f0cb", "#fff1c9", "#e6dcf5")

SAMPLE = "The quick brown fox jumps over the lazy dog."

FIRST = 12  # tokens that a description shows


def listed(names: list[str], between: str = " ") -> str:
    """The first of them: some models have a thousand special tokens."""
    more = [f"… and {len(names) - FIRST:,} more"] if len(names) > FIRST else []
    return between.join(names[:FIRST] + more) or "none"


def html_tokens(tokens: list[str], ids: list[int]) -> str:
    """Tokens as coloured boxes, each with its id in the tooltip, and with what cannot be seen made visible."""
    boxes = [
        f'<span title="{id}" style="background:{COLOURS[i % len(COLOURS)]};color:#000;'
        f'padding:1px 3px;border-radius:3px;white-space:pre">{html.escape(visible(token))}</span>'
        for i, (token, id) in enumerate(zip(tokens, ids, strict=True))
    ]
    return '<div style="line-height:1.9">' + "".join(boxes) + "</div>"


#: Tokens of an encoding that a notebook shows.
SHOWN = 1_000


def html_encoding(encoding: Encoding) -> str:
    """What a notebook shows for the input of a model."""
    ids = encoding.ids
    more = f"; the first {SHOWN:,} are shown" if len(ids) > SHOWN else ""
    return f"<p>{len(ids):,} ids{more}</p>{html_tokens(encoding.tokens[:SHOWN], ids[:SHOWN])}"


def html_card(tok: Tokenizer) -> str:
    """What a notebook shows for a tokenizer: its numbers, and a sample in colour."""
    rows = [
        ("family", tok.family),
        ("vocabulary", f"{tok.vocab_size:,} tokens"),
        ("special tokens", listed(list(tok.special_tokens))),
        ("fingerprint", tok.fingerprint[:16]),
    ]
    left = "style='text-align:left'"
    cells = "".join(f"<tr><th {left}>{name}</th><td {left}>{html.escape(value)}</td></tr>" for name, value in rows)
    return f"<table>{cells}</table>{html_tokens(*_sample(tok))}"


def _sample(tok: Tokenizer) -> tuple[list[str], list[int]]:
    try:
        return tok.tokenize(SAMPLE, specials="none"), tok.encode(SAMPLE, specials="none")
    except UnknownTokenError:  # a vocabulary without an unknown token need not know these words
        return [], []
