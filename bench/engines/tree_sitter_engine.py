"""tree-sitter: its Python package, with a walk in Python that gives the same kind of pieces as ours."""

from __future__ import annotations

import functools
import importlib
import re

import tree_sitter

from . import Engine

#: What lies between the nodes of a tree.
BETWEEN = re.compile(rb"\r\n?|\n|[ \t\f\v]+|\w+|[^\w\s]+|.", re.DOTALL)

#: Kind, start, end, line, column, node, depth.
Piece = tuple[str, int, int, int, int, str, int]


class Adapter(Engine):
    name = "tree_sitter"
    distribution = "tree-sitter"

    def code_pieces(self, source: bytes, language: str) -> list[Piece]:
        return pieces(source, language)


def parser(language: str) -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(importlib.import_module(f"tree_sitter_{language}").language()))


def pieces(source: bytes, language: str) -> list[Piece]:
    """The leaves with their kinds, strings and comments whole, and what lies between them."""
    cursor = parser(language).parse(source).walk()
    found: list[Piece] = []
    done, line, line_start, depth = 0, 1, 0, 0
    while True:
        node = cursor.node
        assert node is not None
        kind = kind_of(node.type, node.is_named)
        whole = node.child_count == 0 or kind in ("string", "comment")
        start, end = node.start_byte, node.end_byte
        if whole and start < end:
            for match in BETWEEN.finditer(source, done, start):
                text = match.group()
                found.append((between(text), match.start(), match.end(), line, match.start() - line_start, "", depth))
                if text[0] in b"\r\n":
                    line, line_start = line + 1, match.end()
            found.append((kind, start, end, line, start - line_start, node.type, depth))
            # By its text: where lines end, the package's own points end the process after some thousands of them.
            if lines := source.count(b"\n", start, end):
                line, line_start = line + lines, source.rindex(b"\n", start, end) + 1
            done = end
        if not whole and cursor.goto_first_child():
            depth += 1
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return found
            depth -= 1


@functools.cache
def kind_of(node: str, named: bool) -> str:
    if not named:
        return "keyword" if node[:1].isalpha() else "punctuation" if node in "()[]{},;:." else "operator"
    for part, kind in (("comment", "comment"), ("string", "string"), ("char", "string"), ("identifier", "identifier")):
        if part in node:
            return kind
    return "number" if re.search("integer|float|number", node) else "operator"


def between(text: bytes) -> str:
    if text[0] in b"\r\n":
        return "newline"
    return "whitespace" if text.isspace() else "other"
