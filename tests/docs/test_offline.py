"""What `make docs` checks of the built site."""

from __future__ import annotations

import doctest
import sys
from pathlib import Path

import pytest

from . import offline


def test_a_fetch_is_told_from_a_link() -> None:
    assert doctest.testmod(offline) == doctest.TestResults(failed=0, attempted=3)


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("index.html", '<a href="https://elsewhere.org">a link</a>', []),
        (
            "index.html",
            '<script src="https://elsewhere.org/x.js"></script>',
            ["index.html: https://elsewhere.org/x.js"],
        ),
        ("index.html", '<div class="mermaid">', ["index.html: mermaid"]),
        ("a.css", "p {background: url('https://elsewhere.org/x')}", ["a.css: url('https://elsewhere.org/x')"]),
        ("a.css", "p {background: url('x.svg')}", []),
    ],
)
def test_what_comes_from_elsewhere_is_found(tmp_path: Path, name: str, content: str, found: list[str]) -> None:
    (tmp_path / name).write_text(content)
    assert list(offline.outside(tmp_path)) == [f"{tmp_path}/{line}" for line in found]


def test_a_site_that_was_not_built_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["offline", str(tmp_path)])
    assert offline.main() == 1
    (tmp_path / "index.html").write_text("<p>")
    assert offline.main() == 0
