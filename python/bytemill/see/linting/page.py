"""Findings as HTML."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from ..page import embedded

if TYPE_CHECKING:
    from .findings import Finding, Findings


def findings_body(found: Findings) -> str:
    """For a notebook."""
    items = "".join(map(_item, found.findings))
    return embedded(f"<dl>{items}</dl>" if items else "<p>nothing found</p>")


def _item(one: Finding) -> str:
    examples = "".join(f"<li><code>{html.escape(example)}</code></li>" for example in one.examples)
    more = f"<li>and {one.count - len(one.examples):,} more</li>" if one.count > len(one.examples) > 0 else ""
    return (
        f"<dt><b>{one.level}</b>: {html.escape(one.message)} <span class='soft'>{one.id}</span></dt>"
        f"<dd><ul>{examples}{more}</ul>→ {html.escape(one.advice)}</dd>"
    )
