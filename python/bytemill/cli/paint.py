"""Tokens made visible in a terminal: side by side in colour or in brackets, or in columns above their ids."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

from ..results.html import COLOURS
from ..tokenizer import Tokenizer
from .console import console

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

UNKNOWN_COLOUR = "#d62828"

#: For terminals with 16 colours, which would show all of `COLOURS` as white.
FEW_COLOURS = ("bright_cyan", "bright_yellow", "bright_green", "bright_magenta", "white")

#: Controls show as pictures, and those that reorder text or drive a terminal never reach it.
PICTURES: dict[int, str] = {
    **{code: chr(0x2400 + code) for code in range(0x20)},
    **{code: f"<U+{code:04X}>" for code in (*range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))},
    ord("\n"): "⏎",
    ord("\t"): "→",
    ord(" "): "·",
}
#: Between tokens, white space does what it does.
BETWEEN = {code: picture for code, picture in PICTURES.items() if chr(code) not in " \t\n"}


@dataclasses.dataclass(frozen=True)
class Cell:
    """A token: what it covers of the text, and what stands before it that no token covers."""

    id: int
    token: str
    start: int
    end: int
    covered: str
    gap: str
    unknown: bool


def cells(tok: Tokenizer, text: str, specials: str | None = None) -> tuple[list[Cell], str]:
    """The tokens of a text, and the rest after the last."""
    how: Any = specials
    unk = json.loads(tok.definition())["unk"]
    encoding = tok(text, add_special_tokens=False, offsets="chars", specials=how)
    found = []
    position = 0
    for id, token, (start, end) in zip(encoding.ids, encoding.tokens, encoding.offsets, strict=True):
        # Several tokens may share one character (its bytes); only the first of them covers it.
        covered = text[max(start, position) : end]
        gap = text[position:start]
        unknown = id == unk and bool(covered) and covered != token
        found.append(Cell(id, token, start, end, covered, gap, unknown))
        position = max(position, end)
    return found, text[position:]


def visible(text: str) -> str:
    return text.translate(PICTURES)


def label(cell: Cell) -> str:
    if cell.unknown:
        return f"{cell.token}:{visible(cell.covered)}"
    return visible(cell.covered or cell.token)


def flowing(found: list[Cell], rest: str) -> None:
    """The text as it stands, token beside token; a line end inside a token also ends the line."""
    from rich.text import Text

    screen = console()
    shown = Text()
    for index, cell in enumerate(found):
        shown.append(cell.gap.translate(BETWEEN))
        shown.append_text(painted(screen, label(cell), cell, index))
        if cell.covered.endswith("\n"):
            shown.append("\n")
    shown.append(rest.translate(BETWEEN))
    shown.rstrip()
    screen.print(shown)


def columns(found: list[Cell]) -> None:
    """Tokens above their ids, as many columns as the terminal has room for."""
    from rich.cells import cell_len
    from rich.text import Text

    screen = console()
    above, below = Text(), Text()
    for index, cell in enumerate(found):
        top = painted(screen, visible(cell.token), cell, index)
        width = max(top.cell_len, cell_len(str(cell.id)))
        if above and above.cell_len + width > screen.width:
            print_columns(screen, above, below)
            above, below = Text(), Text()
        above.append_text(top).append(" " * (width - top.cell_len + 1))
        below.append(str(cell.id).ljust(width + 1))
    if above:
        print_columns(screen, above, below)


def print_columns(screen: Console, above: Text, below: Text) -> None:
    above.rstrip()
    below.rstrip()
    screen.print(above, below, sep="\n")


def painted(screen: Console, text: str, cell: Cell, index: int) -> Text:
    from rich.text import Text

    if screen.color_system is None or screen.no_color:
        return Text(f"[{text}]")
    if cell.unknown:
        return Text(text, f"white on {UNKNOWN_COLOUR}")
    colours = COLOURS if screen.color_system in ("256", "truecolor") else FEW_COLOURS
    return Text(text, f"black on {colours[index % len(colours)]}")
