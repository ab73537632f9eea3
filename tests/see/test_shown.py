"""What shows itself: `Tokenizer.show`, notebooks, films."""

from __future__ import annotations

import io
import json
import re

import pytest

import bytemill
from bytemill.progress import is_watched
from tests.samples import CORPUS, words

TOK = bytemill.train(CORPUS, bytemill.BPE(270), special_tokens=["<EOS>"], progress=False)
HOSTILE = "<script>alert(1)</script> \u202eevil \x00 &amp; the cat"


def test_show_has_the_tokens() -> None:
    found = TOK.show("the cat<EOS>", specials="all")
    assert found.ids == TOK.encode("the cat<EOS>", specials="all")
    assert repr(found).splitlines()[0] == "".join(
        f"[{token.replace(' ', '·')}]" for token in TOK.tokenize("the cat<EOS>", specials="all")
    )
    assert repr(TOK.show("")) == "\n0 tokens, 0 bytes"
    assert "the first 2,000 are shown" in repr(TOK.show("a b " * 2_000))


@pytest.mark.parametrize(
    "shown",
    [
        TOK,
        TOK(HOSTILE),
        TOK.explain(HOSTILE),
        TOK.show(HOSTILE),
        words().explain(HOSTILE),
        bytemill.compare([TOK], on=[HOSTILE]),
        bytemill.lint(TOK),
    ],
    ids=lambda shown: type(shown).__name__,
)
def test_notebooks_show_text_as_text(shown: object) -> None:
    page = shown._repr_html_()
    assert "<script" not in page and "\u202e" not in page and "\x00" not in page
    assert not re.search(r"(src|href)=|https?:", page)


def test_notebooks_show_progress() -> None:
    class OutStream(io.StringIO):
        """As a notebook has it: no terminal."""

    assert not is_watched(OutStream())
    OutStream.__module__ = "ipykernel.iostream"
    assert is_watched(OutStream())


def test_a_film_holds_every_merge() -> None:
    explanation = TOK.explain(HOSTILE)
    page = explanation.to_html()
    data = re.search(r'<script type="application/json" id="film">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    pieces = json.loads(data[1])
    assert [len(piece["merges"]) for piece in pieces] == [len(piece.merges) for piece in explanation.pieces]
    assert "alert(1)</script>" not in page and "\u202e" not in page and "http:" not in page


def test_a_family_without_merges_has_a_film_of_tokens() -> None:
    assert '"tokens": ["the", "cat"]' not in words().explain("the cat").to_html()
    assert '"tokens": ["cat"]' in words().explain("the cat").to_html()
