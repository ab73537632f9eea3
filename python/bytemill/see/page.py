"""Pages that stand alone: one file of HTML, which asks nothing of any other place."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..results.visible import visible

#: Nothing is fetched, whatever a text says.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'"
HERE = Path(__file__).parent
TOKEN_COLOURS = 5
BAR_COLOURS = 6


def style() -> str:
    return (HERE / "page.css").read_text(encoding="utf-8")


def page(title: str, body: str, script: str = "") -> str:
    """A whole document. `body` and `script` are trusted: whatever comes from a text was escaped before."""
    lines = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{html.escape(title)}</title>",
        f"<style>\n{style()}</style></head>",
        f"<body>\n{body}",
    ]
    if script:
        lines.append(f"<script>\n{script}</script>")
    return "\n".join([*lines, "</body></html>\n"])


def embedded(body: str) -> str:
    """A part of another page, such as a notebook, with its styles for itself alone."""
    scoped = style().replace(":root", ":scope").replace("body {", ":scope {").replace("max-width: 72rem;", "")
    return f'<div class="bytemill"><style>@scope (.bytemill) {{\n{scoped}}}</style>{body}</div>'


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of figures, which scrolls by itself where a screen is narrow."""
    top = "".join(f'<th scope="col">{html.escape(cell)}</th>' for cell in head)
    body = "".join(
        f'<tr><th scope="row">{html.escape(first)}</th>'
        + "".join(f"<td>{html.escape(cell)}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in rows
    )
    return (
        '<div class="wide" tabindex="0" role="region" aria-label="table"><table class="figures">'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def chips(parts: Iterable[str], titles: Iterable[str] | None = None) -> str:
    """Parts of a text as coloured boxes, with what cannot be seen made visible."""
    shown = [*parts]
    notes = [*titles] if titles is not None else [""] * len(shown)
    return "".join(
        f'<span class="chip t{i % TOKEN_COLOURS}"'
        + (f' title="{html.escape(note)}"' if note else "")
        + f">{html.escape(visible(part))}</span>"
        for i, (part, note) in enumerate(zip(shown, notes, strict=True))
    )
