"""Names that users give: what a message says when one is unknown."""

from __future__ import annotations

import difflib
from collections.abc import Mapping


def unknown_name(what: str, name: str, known: Mapping[str, object]) -> str:
    """A message for a misspelt name, with the nearest known one."""
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return f"there is no {what} named {name!r}{hint} (known: {', '.join(sorted(known))})"
