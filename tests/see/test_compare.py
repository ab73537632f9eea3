"""`compare`: every figure equals the second implementation, and reports say what was found."""

from __future__ import annotations

import doctest
import importlib
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytemill
from bytemill.errors import SpecError, UnknownTokenError
from bytemill.reference import comparing
from bytemill.see.measures import placed
from bytemill.see.scripts import script_of
from tests.conftest import need
from tests.samples import CORPUS, TEXTS, chars, words

FAMILIES = {
    "bytes": bytemill.train(CORPUS, bytemill.BPE(270), special_tokens=["<EOS>"], progress=False),
    "wordpiece": bytemill.train(CORPUS, bytemill.WordPiece(100), progress=False),
    "pieces": bytemill.train(CORPUS, bytemill.SentencePiece(340, byte_fallback=True, model="bpe"), progress=False),
    "words": words(),
    "chars": chars(),
}


def encodings(tok: bytemill.Tokenizer, texts: list[str]) -> list[comparing.Encoding]:
    rows = [placed(tok, text) for text in texts]
    return [[(id, *span) for id, span in zip(ids, spans.tolist(), strict=True)] for ids, spans in rows]


def check_against_reference(tokenizers: dict[str, bytemill.Tokenizer], texts: list[str]) -> None:
    found = bytemill.compare(tokenizers, on=iter(texts))
    rows = {name: encodings(tok, texts) for name, tok in tokenizers.items()}
    for number, (name, tok) in enumerate(tokenizers.items()):
        unk = json.loads(tok.definition())["unk"]
        expected = comparing.measure(texts, rows[name], len(tok), unk)
        measures = found.tokenizers[number]
        assert {key: getattr(measures, key) for key in expected} == pytest.approx(expected)
        scripts = comparing.by_script(texts, rows[name], script_of)
        assert {key: (row[number].bytes, row[number].tokens) for key, row in found.by_script.items()} == scripts
    first, *others = rows.values()
    for theirs, differences in zip(others, found.differences.values(), strict=True):
        places = map(comparing.first_difference, texts, first, theirs)
        expected_place = next(((i, place) for i, place in enumerate(places) if place is not None), None)
        assert expected_place == next(((one.document, one.start) for one in differences), None)


def test_figures_equal_the_second_implementation() -> None:
    check_against_reference(FAMILIES, [*CORPUS, *filter(None, TEXTS)])


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1, max_size=4))
def test_figures_equal_on_any_text(texts: list[str]) -> None:
    # A text with a word in it, as the second implementation divides by their number; and with a space, as no file name.
    check_against_reference(FAMILIES, ["word Слово 语", *texts])


@pytest.mark.shared
def test_figures_equal_for_published_models(shared: Path) -> None:
    names = ("openai-gpt2/tokenizer.json", "bert-base-uncased/tokenizer.json", "t5-base/spiece.model")
    models = {name: bytemill.load(shared / "models" / name) for name in names}
    lines = (shared / "corpora" / "botchan.txt").read_text(encoding="utf-8").splitlines()
    check_against_reference(models, [*filter(None, lines[:150]), *CORPUS])


def test_overlap_counts_a_marked_space_as_a_space() -> None:
    one = bytemill.train(["a low low low lower"], bytemill.BPE(259), progress=False)
    other = bytemill.train(["a low low low lower"], bytemill.SentencePiece(None, model="word"), progress=False)
    found = bytemill.compare([one, other], on=["low"]).overlaps[0]
    vocabularies = [
        {
            token.replace("▁".encode(), b" ")
            for token, id in tok.vocab_bytes().items()
            if id not in tok.special_tokens.values()
        }
        for tok in (one, other)
    ]
    assert found.shared == len(vocabularies[0] & vocabularies[1]) > 0
    assert found.share == found.shared / len(vocabularies[0] | vocabularies[1])


def test_files_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the cat")
    (tmp_path / "b.jsonl").write_text('{"body": "the dog"}\n{"body": "sat"}\n')
    tok = FAMILIES["bytes"]
    found = bytemill.compare([tok], on=tmp_path, field="body")
    expected = {"a.txt": tok.count("the cat"), "b.jsonl": tok.count("the dog") + tok.count("sat")}
    assert {Path(name).name: row[0].tokens for name, row in found.by_file.items()} == expected
    assert found.tokenizers[0].documents == 3


def test_tokenizers_have_names(tmp_path: Path) -> None:
    tok = FAMILIES["bytes"]
    tok.save(tmp_path / "a.mill")
    assert bytemill.compare([tok, tok, tmp_path / "a.mill"], on=["x"]).names == [
        "bpe 270",
        "bpe 270 #2",
        f"{tmp_path.name}/a.mill",
    ]


def test_what_cannot_be_compared_is_refused() -> None:
    tok = FAMILIES["bytes"]
    with pytest.raises(SpecError, match="no text to compare on"):
        bytemill.compare([tok], on=[])
    with pytest.raises(SpecError, match="no tokenizer"):
        bytemill.compare([], on=["a"])
    with pytest.raises(TypeError, match=r"write \[tok\] for one"):
        bytemill.compare(tok, on=["a"])
    with pytest.raises(TypeError, match="not int"):
        bytemill.compare([3], on=["a"])
    closed = words(["a b"], unk_token=None)
    with pytest.raises(UnknownTokenError, match=r"^mine on texts: "):
        bytemill.compare({"mine": closed}, on=["zebra"])


class Outline(HTMLParser):
    """What a page would fetch, and whether its elements are closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.outside: list[str] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br", "input", "link"):
            self.open.append(tag)
        self.outside += [value for name, value in attrs if name in ("src", "href") and value]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_report_stands_alone() -> None:
    hostile = "<script>alert(1)</script> \u202e &amp; \x00 the cat"
    found = bytemill.compare({"<b>a</b>": FAMILIES["bytes"], "words": FAMILIES["words"]}, on=[hostile, *CORPUS])
    for page in (found.to_html(), found._repr_html_()):
        outline = Outline(page)
        assert not outline.outside and not outline.open
        assert "<script>" not in page and "<b>" not in page and "\u202e" not in page and "\x00" not in page
        assert "<svg" in page and "&lt;b&gt;a&lt;/b&gt;" in page
        assert not re.search(r"https?://", page)


@pytest.mark.web
@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_plots(tmp_path: Path, ending: str) -> None:
    need("matplotlib")
    found = bytemill.compare(FAMILIES, on=CORPUS)
    found.plot(tmp_path / f"a.{ending}")
    head = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[ending]
    assert (tmp_path / f"a.{ending}").read_bytes().startswith(head)


def test_plots_say_what_they_need(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = bytemill.compare(FAMILIES, on=CORPUS)
    with pytest.raises(SpecError, match=r"an .svg, .png or .pdf file"):
        found.plot(tmp_path / "a.jpeg")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'bytemill\[plots\]'"):
        found.plot(tmp_path / "a.svg")


def test_speed_is_that_of_one_thread() -> None:
    measures = bytemill.compare([FAMILIES["bytes"]], on=["the cat " * 1000]).tokenizers[0]
    assert measures.seconds > 0
    assert measures.tokens_per_second == pytest.approx(measures.tokens / measures.seconds)


@pytest.mark.parametrize("name", ["comparison", "scripts", "tables", "words"])
def test_docstrings(name: str) -> None:
    result = doctest.testmod(importlib.import_module(f"bytemill.see.{name}"))
    assert result.attempted > 0 and result.failed == 0


def test_importing_bytemill_does_not_import_what_shows_it() -> None:
    code = "import bytemill, sys; bytemill.Tokenizer; print([m for m in sys.modules if m.startswith('bytemill.see')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_touching_counts_empty_tokens_where_they_begin() -> None:
    from bytemill.see.measures import touching

    spans = np.array([[0, 1], [1, 1], [1, 2], [2, 4]])
    assert touching(np.array([[0, 1], [1, 2], [2, 4]]), spans).tolist() == [1, 2, 1]


@pytest.mark.parametrize("texts", [[], [""], ["", ""]])
def test_no_text_is_an_error(texts: list[str]) -> None:
    with pytest.raises(SpecError, match="there is no text to compare on"):
        bytemill.compare(FAMILIES, on=texts)
