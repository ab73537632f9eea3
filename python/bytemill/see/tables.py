"""Tables of text for a terminal: numbers to the right, names to the left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def text_table(rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """Rows in columns, the first row being the head; the first `left` columns are aligned to the left.

    >>> print(text_table([("name", "tokens"), ("a", "12"), ("bcd", "1,234")]), end="")
    name  tokens
    a         12
    bcd    1,234
    """
    table = [list(row) for row in rows]
    widths = [max(map(_width, column)) for column in zip(*table, strict=True)]
    lines = []
    for row in table:
        cells = [
            cell + _gap(cell, width) if place < left else _gap(cell, width) + cell
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip() + "\n")
    return "".join(lines)


def _gap(cell: str, width: int) -> str:
    return " " * (width - _width(cell))


def _width(cell: str) -> int:
    """Columns of a terminal: a character of East Asia takes two."""
    if cell.isascii():
        return len(cell)
    from rich.cells import cell_len

    return cell_len(cell)
