"""Sections of docstrings are marked where `code.documentation` finds them: on docstrings of Python's own library."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest

import bytemill
from bytemill import Code, Word, code

#: What each title or tag that is met is about.
KINDS = {
    "args": "Args Arguments Keyword+Args Keyword+Arguments Parameters Other+Parameters "
    "param parameter tparam arg argument type template key keyword",
    "attributes": "Attributes property prop ivar cvar var vartype",
    "examples": "Example Examples example examples",
    "methods": "Methods",
    "notes": "Note Notes note notes remark remarks",
    "raises": "Raises Except Exceptions throws throw exception raises raise except",
    "references": "References See+Also see sa link seealso",
    "returns": "Return Returns return returns rtype result",
    "todo": "Todo todo",
    "warnings": "Warning Warnings Warns warning deprecated attention",
    "yields": "Yield Yields Receives yield yields ytype",
}
KIND_OF = {title.replace("+", " "): f"<doc:{kind}>" for kind, titles in KINDS.items() for title in titles.split()}


def sources() -> list[str]:
    folders = [Path(sysconfig.get_path(name)) for name in ("stdlib", "platlib")]
    paths = sorted(path for folder in folders for path in folder.glob("*/*.py"))
    chosen = [*paths[::12], Path(bytemill.__file__).parent / "training/trainer.py"]
    return [path.read_text(encoding="utf-8", errors="replace") for path in chosen]


@pytest.mark.long
def test_the_sections_are_those_of_the_parser_of_documentation() -> None:
    tok = bytemill.train(["x"], Word(), pretokenizer=Code("python", markers=["section"]), progress=False)
    found = 0
    for source in sources():
        docstrings = [piece.text.decode() for piece in code.code_pieces(source, "python") if piece.kind == "docstring"]
        expected: list[str] = []
        for text in docstrings:
            kinds = [KIND_OF.get(section.title, "<doc:other>") for section in code.documentation(text).sections]
            expected += sorted(set(kinds))
        marks = [sorted(set(sections_of(tok, text))) for text in docstrings]
        assert [mark for each in marks for mark in each] == expected
        found += len(expected)
    assert found > 100


def sections_of(tok: bytemill.Tokenizer, docstring: str) -> list[str]:
    return [token for token in tok.tokenize(docstring + "\n") if token.startswith("<doc:")]
