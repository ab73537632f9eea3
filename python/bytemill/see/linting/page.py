"""Findings as HTML."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from ..page import embedded
from .findings import SHOWN

if TYPE_CHECKING:
    from .findings import Finding, Findings


def findings_body(found: Findings) -> str:
    """For a notebook."""
    items = "".join(map(_item, found.findings))
    return embedded(f"<dl>{items}</dl>" if items else "<p>nothing found</p>")


def _item(one: Finding) -> str:
    examples = "".join(f"<li><code>{html.escape(example)}</code></li>" for example in one.examples[:SHOWN])
    more = f"<li>and {len(one.examples) - SHOWN:,} more</li>" if len(one.examples) > SHOWN else ""
    return (
        f"<dt><b>{one.level}</b>: {html.escape(one.message)} <span class='soft'>{one.id}</span></dt>"
        f"<dd><ul>{examples}{more}</ul>→ {html.escape(one.advice)}</dd>"
    )
