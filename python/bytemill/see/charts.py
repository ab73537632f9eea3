"""Charts as SVG inside a page: bars in groups, and lines. Their colours are those of the page."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence

from .page import BAR_COLOURS

BAR, GAP, LABEL, WIDTH = 16, 10, 170, 760


def bars(title: str, groups: Mapping[str, Sequence[float]], names: Sequence[str], digits: int = 2) -> str:
    """A group of bars for each row, one bar for each name."""
    most = max((value for row in groups.values() for value in row), default=0.0) or 1.0
    room = WIDTH - LABEL - 60
    parts, y = [], 4.0
    for label, row in groups.items():
        middle = y + len(row) * BAR / 2 + 4
        parts.append(f'<text x="{LABEL - 8}" y="{middle:.0f}" text-anchor="end">{_short(label)}</text>')
        for number, (value, name) in enumerate(zip(row, names, strict=True)):
            long = room * value / most
            parts.append(
                f'<rect class="b{number % BAR_COLOURS}" x="{LABEL}" y="{y:.0f}" width="{long:.1f}" height="{BAR - 2}">'
                f"<title>{html.escape(name)}: {value:.{digits}f}</title></rect>"
                f'<text class="soft" x="{LABEL + long + 5:.1f}" y="{y + BAR - 4:.0f}">{value:.{digits}f}</text>'
            )
            y += BAR
        y += GAP
    return legend(names) + _svg(title, y, parts)


def legend(names: Sequence[str]) -> str:
    keys = "".join(
        f'<svg width="12" height="12" aria-hidden="true"><rect class="b{i % BAR_COLOURS}" width="12" height="12"/>'
        "</svg> "
        f"{html.escape(name)}&emsp;"
        for i, name in enumerate(names)
    )
    return f'<p class="soft">{keys}</p>'


HEIGHT, LEFT, BOTTOM = 280, 50, 40


def lines(title: str, series: dict[str, list[tuple[float, float]]]) -> str:
    """A line for each name; the horizontal axis doubles from mark to mark."""
    points = [point for row in series.values() for point in row]
    xs, ys = [math.log2(x) for x, _ in points], [y for _, y in points]
    left, right, most = min(xs), max(max(xs), min(xs) + 1), max(ys) or 1.0
    least = min(ys) * 0.9

    def place(x: float, y: float) -> tuple[float, float]:
        across = LEFT + (WIDTH - LEFT - 20) * (math.log2(x) - left) / (right - left)
        return across, HEIGHT - BOTTOM - (HEIGHT - BOTTOM - 15) * (y - least) / (most - least or 1.0)

    parts = [
        f'<line class="axis" x1="{LEFT}" x2="{WIDTH}" y1="{HEIGHT - BOTTOM}" y2="{HEIGHT - BOTTOM}"/>',
        f'<text class="soft" x="{LEFT - 6}" y="{place(2**left, most)[1] + 4:.0f}" text-anchor="end">{most:.2f}</text>',
        f'<text class="soft" x="{LEFT - 6}" y="{HEIGHT - BOTTOM}" text-anchor="end">{least:.2f}</text>',
    ]
    for x in sorted({x for x, _ in points}):
        across = place(x, least)[0]
        parts.append(f'<text class="soft" x="{across:.0f}" y="{HEIGHT - 18}" text-anchor="middle">{x:,.0f}</text>')
    for number, (name, row) in enumerate(series.items()):
        path = " ".join(f"{across:.1f},{down:.1f}" for across, down in (place(*point) for point in row))
        colour = f"var(--bar-{number % BAR_COLOURS})"
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for point in row:
            across, down = place(*point)
            note = f"<title>{html.escape(name)}, {point[0]:,.0f}: {point[1]:.3f}</title>"
            parts.append(
                f'<circle class="b{number % BAR_COLOURS}" cx="{across:.1f}" cy="{down:.1f}" r="4">{note}</circle>'
            )
    return legend([*series]) + _svg(title, HEIGHT, parts)


def _svg(title: str, height: float, parts: list[str]) -> str:
    return (
        f'<div class="wide"><svg role="img" aria-label="{html.escape(title)}" viewBox="0 0 {WIDTH} {height:.0f}" '
        f'width="{WIDTH}" height="{height:.0f}">' + "\n".join(parts) + "</svg></div>"
    )


def _short(label: str) -> str:
    return html.escape(label if len(label) <= 24 else f"…{label[-23:]}")
