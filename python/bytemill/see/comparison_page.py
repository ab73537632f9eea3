"""A comparison as HTML: the tables of the terminal, charts, and the differences in colour."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from .charts import bars
from .comparison_tables import ROWS, about, place
from .page import chips, embedded, html_table, page

if TYPE_CHECKING:
    from .comparison import Comparison
    from .measures import Amount

#: Scripts and files that a chart shows; tables have all of them.
MOST = 12


def comparison_page(found: Comparison) -> str:
    return page("Tokenizers compared", f"<h1>Tokenizers compared</h1>{_body(found)}")


def comparison_body(found: Comparison) -> str:
    """For a notebook."""
    return embedded(_body(found))


def _body(found: Comparison) -> str:
    parts = [
        f"<p class='soft'>{about(found.tokenizers[0])}</p>",
        html_table(["", *found.names], [[name, *map(shown, found.tokenizers)] for name, shown in ROWS.items()]),
        *_amounts("Bytes per token by script", found.names, found.by_script),
    ]
    if len(found.by_file) > 1:
        parts += _amounts("Bytes per token by file", found.names, found.by_file)
    if found.overlaps:
        rows = [[f"{one.left} and {one.right}", f"{one.shared:,}", f"{one.share:.1%}"] for one in found.overlaps]
        parts += ["<h2>Tokens in both vocabularies</h2>", html_table(["", "tokens", "of either"], rows)]
    for name in found.differences:
        parts.append(_differences(found, name))
    return "\n".join(parts)


def _amounts(title: str, names: list[str], rows: dict[str, list[Amount]]) -> list[str]:
    shown = {name: [one.bytes_per_token for one in row] for name, row in [*rows.items()][:MOST]}
    cells = [[name, f"{row[0].bytes:,}", *(f"{one.bytes_per_token:.3f}" for one in row)] for name, row in rows.items()]
    return [f"<h2>{title}</h2>", bars(title, shown, names), html_table(["", "bytes", *names], cells)]


def _differences(found: Comparison, name: str) -> str:
    title = f"<h2>{html.escape(found.names[0])} and {html.escape(name)}: the first differences</h2>"
    rows = found.differences[name]
    if not rows:
        return f"{title}<p>They cut the texts in the same places.</p>"
    items = "".join(
        f"<li><span class='soft'>{html.escape(place(one))}</span><br>{chips(one.left)}<br>{chips(one.right)}</li>"
        for one in rows
    )
    return f"{title}<ol>{items}</ol>"
