"""The measured numbers in pages that are not generated. Each stands between two comments that name it:

<!--bench o200k-large-file bytemill cold_mb_s-->203<!--/bench-->
"""

from __future__ import annotations

import re
from pathlib import Path

from .records import Newest
from .tables import number

FIGURE = re.compile(r"<!--bench ([\w.-]+) ([\w.-]+) (\w+)-->.*?<!--/bench-->")


def filled(page: str, lines: Newest) -> str:
    """The page with every number as the record has it.

    >>> from .results import Line
    >>> line = Line(row="r", engine="e", cold_mb_s=203.4)
    >>> filled("<!--bench r e cold_mb_s-->1<!--/bench--> MB/s", {"r": [line]})
    '<!--bench r e cold_mb_s-->203<!--/bench--> MB/s'
    """

    def figure(match: re.Match[str]) -> str:
        row, engine, measure = match.groups()
        line = next((line for line in lines.get(row, []) if line.engine == engine), None)
        if line is None:
            raise LookupError(f"a page asks for {engine} in {row}, which was not measured")
        return f"<!--bench {row} {engine} {measure}-->{number(getattr(line, measure))}<!--/bench-->"

    return FIGURE.sub(figure, page)


def write_block(page: Path, marks: tuple[str, str], content: str) -> None:
    """Puts a generated part into a page that is not generated, between two lines that mark it."""
    block = re.compile(re.escape(marks[0]) + ".*?" + re.escape(marks[1]), re.DOTALL)
    written, found = block.subn(lambda _: marks[0] + content + marks[1], page.read_text(encoding="utf-8"))
    if not found:
        raise LookupError(f"{page.name} has no line {marks[0].strip()}")
    page.write_text(written, encoding="utf-8")
