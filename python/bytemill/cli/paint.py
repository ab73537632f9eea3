"""Tokens made visible in a terminal: side by side in colour or in brackets, or in columns above their ids."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ..results.html import COLOURS
from ..results.visible import BETWEEN, text_of, visible
from .console import console

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

UNKNOWN_COLOUR = "#d62828"

#: For terminals with 16 colours, which would show all of `COLOURS` as white.
FEW_COLOURS = ("bright_cyan", "bright_yellow", "bright_green", "bright_magenta", "white")

#: Characters tokenized at a time.
PART = 1 << 14


@dataclasses.dataclass(frozen=True)
class Cell:
    """A token: what it covers of the text, and what stands before it that no token covers."""

    id: int
    #: As text; bytes that are only part of a character are written as their numbers.
    token: str
    start: int
    end: int
    covered: str
    gap: str
    unknown: bool
    #: Whether it shares a character with a neighbour.
    partial: bool

    @property
    def label(self) -> str:
        """What is shown for it, the same in every view."""
        if self.unknown:
            return f"{self.token}:{visible(self.covered)}"
        return visible(self.token if self.partial or not self.covered else self.covered)


def cells(tok: Tokenizer, text: str, specials: Any = None) -> Iterator[Cell | str]:
    """The tokens of a text one after another, and at the end the text after the last token.

    A long text is taken in parts, cut where the tokenizer says that nothing changes by it.
    """
    unk = json.loads(tok.definition())["unk"]
    position, begin, size = 0, 0, PART
    while True:
        part = text[begin : begin + size]
        cut = None
        if begin + size < len(text):
            cut = tok._last_cut(part)
            if cut is None or cut[0] == 0:
                size *= 2
                continue
            part = part[: cut[0]]
        # The text alone and all of it, whatever the file says of the inputs of its model.
        encoding = tok(
            part, add_special_tokens=False, offsets="chars", truncation=False, padding=False, specials=specials
        )
        spans = [(start + begin, end + begin) for start, end in encoding.offsets]
        for i, (id, token, (start, end)) in enumerate(zip(encoding.ids, encoding.tokens, spans, strict=True)):
            # Several tokens may share one character (its bytes); only the first of them covers it.
            covered = text[max(start, position) : end]
            partial = start < position or (i + 1 < len(spans) and spans[i + 1][0] < end)
            own = text_of(tok.id_to_bytes(id) or b"")
            unknown = id == unk and bool(covered) and covered != own
            # An unknown piece of Unigram is written as it stands in the text.
            shown = own if partial or unknown else token
            yield Cell(id, shown, start, end, covered, text[position:start], unknown, partial)
            position = max(position, end)
        if cut is None:
            yield text[position:]
            return
        begin, size = begin + cut[1], PART


class Painter:
    """Gives each token its colour, or brackets where there are none."""

    def __init__(self) -> None:
        self.screen = console()
        self.colours: list[Callable[[str], str]] = []
        system = self.screen.color_system
        if system is None or self.screen.no_color:
            return
        from rich.color import ColorSystem
        from rich.style import Style

        depth = {"standard": ColorSystem.STANDARD, "256": ColorSystem.EIGHT_BIT, "truecolor": ColorSystem.TRUECOLOR}
        known = depth.get(system, ColorSystem.STANDARD)

        def painter(style: str) -> Callable[[str], str]:
            parsed = Style.parse(style)
            return lambda text: parsed.render(text, color_system=known)

        colours = COLOURS if known != ColorSystem.STANDARD else FEW_COLOURS
        self.colours = [painter(f"black on {colour}") for colour in colours]
        self.unknown = painter(f"white on {UNKNOWN_COLOUR}")

    def paint(self, cell: Cell, index: int) -> str:
        if not self.colours:
            return f"[{cell.label}]"
        if cell.unknown:
            return self.unknown(cell.label)
        return self.colours[index % len(self.colours)](cell.label)

    def width(self, label: str) -> int:
        from rich.cells import cell_len

        return cell_len(label) + (0 if self.colours else 2)


def flowing(found: Iterable[Cell | str]) -> Iterator[str]:
    """The text as it stands, token beside token; a line end inside a token also ends the line."""
    painter = Painter()
    after = ""  # white space that is shown only if something follows it
    for index, cell in enumerate(found):
        if isinstance(cell, str):
            yield (after + cell.translate(BETWEEN)).rstrip()
            break
        yield after + cell.gap.translate(BETWEEN) + painter.paint(cell, index)
        after = "\n" if cell.covered.endswith("\n") else ""
    yield "\n"


def columns(found: Iterable[Cell | str]) -> Iterator[str]:
    """Tokens above their ids, as many columns as the terminal has room for."""
    painter = Painter()
    above, below, used = "", "", 0
    for index, cell in enumerate(found):
        if isinstance(cell, str):
            break
        label = painter.width(cell.label)
        width = max(label, len(str(cell.id)))
        if used and used + width > painter.screen.width:
            yield f"{above.rstrip(' ')}\n{below.rstrip(' ')}\n"
            above, below, used = "", "", 0
        above += painter.paint(cell, index) + " " * (width - label + 1)
        below += str(cell.id).ljust(width + 1)
        used += width + 1
    if used:
        yield f"{above.rstrip(' ')}\n{below.rstrip(' ')}\n"
