"""The measured numbers in pages that are not generated. Each stands between two comments that name it:

<!--bench o200k-large-file bytemill cold_mb_s-->203<!--/bench-->
"""

from __future__ import annotations

import re

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
