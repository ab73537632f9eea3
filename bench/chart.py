"""The bar charts of the README and the summary: the best cases and the weakest one, drawn from the record."""

from __future__ import annotations

import html
from dataclasses import dataclass

from .records import Newest, against_peers, measured
from .results import OURS, Line
from .rows import Benchmarks, Row
from .tables import number

WIDTH, BETWEEN = 420, 40  # of a panel, and between two side by side
LEFT, RIGHT = 96, 48  # room for the names of engines, and for the numbers after the bars
BAR, STEP, TITLE, GAP, NOTE = 16, 22, 34, 12, 20


@dataclass(frozen=True)
class Palette:
    text: str
    faint: str
    ours: str
    other: str


LIGHT = Palette(text="#1f2328", faint="#59636e", ours="#d9480f", other="#b6bec8")
DARK = Palette(text="#e6edf3", faint="#9198a1", ours="#ff922b", other="#545d68")


@dataclass(frozen=True)
class Panel:
    title: str
    row: str


ENCODE = Panel("Encode English with cl100k, one core", "cl100k-english")
TRAIN = Panel("Train a BPE on 60 MB, two cores", "train-bpe-60-mb-english")


def weakest(benchmarks: Benchmarks, lines: Newest) -> tuple[Row, float] | None:
    """The row in which an exact peer comes nearest to us, or passes us."""
    rows = ((row, against_peers(row, lines)) for row in benchmarks.rows)
    found = [(row, ratio) for row, ratio in rows if ratio is not None and _rates(measured(row, lines))]
    return min(found, key=lambda pair: pair[1], default=None)


def wide(benchmarks: Benchmarks, lines: Newest, palette: Palette) -> str:
    """The best case and the weakest one, side by side."""
    panels = _chosen(benchmarks, lines, ENCODE)
    drawn = [_panel(title, rates, x * (WIDTH + BETWEEN), 0, palette) for x, (title, rates) in enumerate(panels)]
    width = len(panels) * (WIDTH + BETWEEN) - BETWEEN
    return _svg(width, max(y for _, y in drawn), [part for parts, _ in drawn for part in parts], palette)


def narrow(benchmarks: Benchmarks, lines: Newest, palette: Palette) -> str:
    """The same and a training, one below the other, for small screens."""
    parts: list[str] = []
    y = 0
    for title, rates in _chosen(benchmarks, lines, ENCODE, TRAIN):
        drawn, y = _panel(title, rates, 0, y, palette)
        parts += drawn
    return _svg(WIDTH, y, parts, palette)


def _chosen(benchmarks: Benchmarks, lines: Newest, *panels: Panel) -> list[tuple[str, list[tuple[Line, float]]]]:
    rows = {row.name: row for row in benchmarks.rows}
    chosen = [(panel.title, rows[panel.row]) for panel in panels]
    if least := weakest(benchmarks, lines):
        chosen.append((f"Weakest of {len(rows)}: {least[0].name}", least[0]))
    return [(title, _rates(measured(row, lines))) for title, row in chosen]


def _svg(width: int, height: int, parts: list[str], palette: Palette) -> str:
    note = "MB/s in a fresh process. Outlined: differs from the reference library."
    height += NOTE
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="system-ui, -apple-system, Segoe UI, Roboto, sans-serif" role="img" '
        'aria-label="Speed of bytemill and other tokenizer libraries">'
    )
    return "\n".join([head, *parts, _text(0, height - 6, note, palette.faint, size=10), "</svg>\n"])


def _rates(lines: list[Line]) -> list[tuple[Line, float]]:
    found = [(line, line.cold_mb_s) for line in lines if line.cold_mb_s is not None]
    return sorted(found, key=lambda pair: -pair[1])


def _panel(title: str, rates: list[tuple[Line, float]], x: int, y: int, palette: Palette) -> tuple[list[str], int]:
    """The parts of a panel whose upper left corner is at x and y, and where it ends."""
    parts = [_text(x, y + 20, title, palette.text, size=15, weight=600)]
    y += TITLE
    most = max((rate for _, rate in rates), default=1.0)
    for line, rate in rates:
        colour = palette.ours if line.engine == OURS else palette.other
        width = max(2.0, (WIDTH - LEFT - RIGHT) * rate / most)
        fill = f'fill="{colour}"' if line.exact != "no" else f'fill="none" stroke="{colour}"'
        weight = 600 if line.engine == OURS else 400
        parts += [
            _text(x + LEFT - 8, y + 13, line.engine, palette.text, anchor="end", weight=weight),
            f'<rect x="{x + LEFT}" y="{y}" width="{width:.1f}" height="{BAR}" rx="3" {fill}/>',
            _text(x + LEFT + width + 6, y + 13, number(rate), palette.text, weight=weight),
        ]
        y += STEP
    return parts, y + GAP


def _text(
    x: float, y: float, text: str, colour: str, *, size: int = 13, weight: int = 400, anchor: str = "start"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.0f}" fill="{colour}" font-size="{size}" font-weight="{weight}" '
        f'text-anchor="{anchor}">{html.escape(text)}</text>'
    )
