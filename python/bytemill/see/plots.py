"""Plots by matplotlib, into a file. Nothing else imports it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import SpecError

if TYPE_CHECKING:
    from .comparison import Comparison
    from .sweep import Sweep

KINDS = (".svg", ".png", ".pdf")
#: Scripts in a plot.
MOST = 8


def figure(path: str, columns: int) -> tuple[Any, Any]:
    """A figure and its axes, drawn without a screen."""
    if Path(path).suffix.lower() not in KINDS:
        raise SpecError(f"a plot is an .svg, .png or .pdf file, and {path!r} is none of these")
    try:
        import matplotlib
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'bytemill[plots]'") from None
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    # The same picture for the same numbers: no date, and ids of elements that do not change.
    matplotlib.rcParams["svg.hashsalt"] = "bytemill"
    made = Figure(figsize=(5.2 * columns, 4.2), layout="constrained")
    FigureCanvasAgg(made)
    return made, made.subplots(1, columns, squeeze=False)[0]


def save(made: Any, path: str) -> None:
    # Only the formats with a date take it away.
    dated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    made.savefig(path, metadata=dated.get(Path(path).suffix.lower()), dpi=150)


def plot_comparison(found: Comparison, path: str) -> None:
    made, (left, middle, right) = figure(path, 3)
    names = [_escaped(name) for name in found.names]
    for axes, title, values in (
        (left, "bytes per token", [one.bytes_per_token for one in found.tokenizers]),
        (middle, "words kept whole, %", [100 * one.words_whole for one in found.tokenizers]),
    ):
        axes.bar_label(axes.barh(names, values), fmt="%.2f", padding=3)
        axes.set_title(title)
        axes.invert_yaxis()
        axes.margins(x=0.15)
    scripts = [*found.by_script][:MOST]
    height = 0.8 / len(names)
    for number, name in enumerate(names):
        places = [place + number * height for place in range(len(scripts))]
        right.barh(places, [found.by_script[s][number].bytes_per_token for s in scripts], height=height, label=name)
    right.set_yticks([place + 0.4 - height / 2 for place in range(len(scripts))], scripts)
    middle.set_yticks([])
    right.set_title("bytes per token by script")
    right.invert_yaxis()
    right.legend(fontsize="small")
    save(made, path)


def _escaped(name: str) -> str:
    """A dollar sign would begin a formula."""
    return name.replace("$", r"\$")


def plot_sweep(found: Sweep, path: str) -> None:
    made, (axes,) = figure(path, 1)
    for family, points in found.series().items():
        axes.plot([x for x, _ in points], [y for _, y in points], marker="o", label=family)
    axes.set_xscale("log", base=2)
    sizes = sorted({x for points in found.series().values() for x, _ in points})
    axes.set_xticks(sizes, [f"{size:,.0f}" for size in sizes], rotation=45)
    axes.minorticks_off()
    axes.set_xlabel("tokens in the vocabulary")
    axes.set_title("bytes per token on held-out text")
    axes.legend()
    save(made, path)
