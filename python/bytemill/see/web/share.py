"""Tokens as one page that stands alone, to be sent to somebody."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from ..page import TOKEN_COLOURS, page
from .tokens import DIFFERS, SPECIAL, UNKNOWN, shown_tokens

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer

#: Characters of a text that a shared page shows.
MOST = 20_000


def shared_page(tokenizers: dict[str, Tokenizer], text: str, specials: Any) -> str:
    rows = shown_tokens(tokenizers, text, (0, MOST), specials)
    return page("Tokens", "<h1>Tokens</h1>" + "".join(map(_row, rows)))


def _row(row: dict[str, Any]) -> str:
    name = html.escape(row["name"])
    if "error" in row:
        return f"<h2>{name}</h2><p>{html.escape(row['error'])}</p>"
    chips = "".join(_chip(i, token) for i, token in enumerate(row["tokens"]))
    about = f"{row['count']:,} tokens, {row['bytes']:,} bytes, {row['bytes_per_token']:.2f} bytes/token"
    return f"<h2>{name}</h2><p class='soft'>{about}</p><p>{chips}</p>"


def _chip(number: int, token: list[Any]) -> str:
    id, shown, start, end, flags, data = token
    marks = "".join(
        f" {name}" for bit, name in ((SPECIAL, "special"), (UNKNOWN, "unknown"), (DIFFERS, "differs")) if flags & bit
    )
    title = html.escape(f"{id}: {data} ({start} to {end})")
    return f'<span class="chip t{number % TOKEN_COLOURS}{marks}" title="{title}">{html.escape(shown)}</span>'
