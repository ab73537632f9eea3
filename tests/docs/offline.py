"""`python -m tests.docs.offline site`: fails if a built page would fetch anything from another host.

Links that a reader may follow are no fetch. Scripts of the theme know other hosts too, for features that no page uses;
these are found by what a page must have for them to start.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

#: Attributes from which a browser fetches at once. `href` is one in <link> alone.
FETCHED = {"src", "srcset", "data", "poster"}
#: `<link>`s that only name a page.
NAMED = {"canonical", "prev", "next", "alternate"}
#: Classes for which the theme's script loads code from elsewhere.
LOADERS = {"mermaid", "glightbox", "pyodide"}


class Page(HTMLParser):
    """Collects what a page fetches from other hosts.

    >>> page = Page()
    >>> page.feed('<a href="https://a"></a><img src="//b/c.png"><link rel="stylesheet" href="https://d"><i style="url(http://e)">')
    >>> page.outside
    ['//b/c.png', 'https://d', 'url(http://e)']
    """

    def __init__(self) -> None:
        super().__init__()
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        fetched = [value for name, value in given.items() if name in FETCHED]
        if tag == "link" and given.get("rel") not in NAMED:
            fetched.append(given.get("href", ""))
        self.outside += [value for value in fetched if re.match(r"(https?:)?//", value)]
        self.outside += outside_urls(given.get("style", ""))
        self.outside += sorted(LOADERS & set(given.get("class", "").split()))


def outside_urls(style: str) -> list[str]:
    return re.findall(r"url\(['\"]?(?:https?:)?//[^)]*\)", style) + re.findall(r"@import[^;]*//[^;]*", style)


def outside(site: Path) -> Iterator[str]:
    for path in sorted(site.rglob("*.html")):
        page = Page()
        page.feed(path.read_text(encoding="utf-8"))
        yield from (f"{path}: {found}" for found in page.outside)
    for path in sorted(site.rglob("*.css")):
        yield from (f"{path}: {found}" for found in outside_urls(path.read_text(encoding="utf-8")))


def main() -> int:
    site = Path(sys.argv[1])
    if not (site / "index.html").is_file():
        print(f"{site} holds no built site; run make docs", file=sys.stderr)
        return 1
    found = list(outside(site))
    print(*found, sep="\n", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
