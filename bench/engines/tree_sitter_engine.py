"""tree-sitter: its Python package, with a walk in Python that gives the same pieces as ours."""

from __future__ import annotations

import functools
import importlib
import re
from dataclasses import dataclass
from typing import NamedTuple

import tree_sitter

from . import Engine


class Adapter(Engine):
    name = "tree_sitter"
    distribution = "tree-sitter"

    def code_pieces(self, source: bytes, language: str) -> list[Piece]:
        return pieces(source, language)


class Piece(NamedTuple):
    kind: str
    start: int
    end: int
    line: int
    column: int
    node: str
    depth: int


@functools.cache
def parser(language: str) -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(importlib.import_module(f"tree_sitter_{language}").language()))


def pieces(source: bytes, language: str) -> list[Piece]:
    """The leaves with their kinds, literals and comments whole, and what lies between them."""
    walk = Walk(source)
    cursor = parser(language).parse(source).walk()
    walk.enter(cursor.node)
    while walk.frames:
        if walk.frames[-1].end > walk.done and cursor.goto_first_child():
            walk.enter(cursor.node)
            continue
        while True:
            walk.leave()
            if cursor.goto_next_sibling():
                walk.enter(cursor.node)
                break
            if not walk.frames or not cursor.goto_parent():
                break
    walk.lex(len(source), "", 0)
    return walk.found


@dataclass(slots=True)
class Frame:
    """A node that the walk is in."""

    node: str
    end: int
    #: The number of the literal, and what it is; none in code.
    literal: int
    literal_kind: str
    #: Named children so far, without comments.
    statements: int = 0


class Walk:
    def __init__(self, source: bytes) -> None:
        self.source = source
        self.found: list[Piece] = []
        self.frames: list[Frame] = []
        self.done = 0
        self.line, self.line_start = 1, 0
        self.literals = self.last_literal = 0

    def enter(self, node: tree_sitter.Node | None) -> None:
        assert node is not None
        type, named, start, end = node.type, node.is_named, node.start_byte, node.end_byte
        role, kind = role_of(type, named)
        self.fill(start)
        literal, literal_kind = 0, ""
        if self.frames:
            parent = self.frames[-1]
            literal, literal_kind = parent.literal, parent.literal_kind
            if named and role != "comment":
                parent.statements += 1
        if role == "literal" and not literal:
            self.literals += 1
            literal, literal_kind = self.literals, "docstring" if self.is_docstring(start) else "string"
        elif role == "interpolation":
            literal = 0
        self.frames.append(Frame(type, end, literal, literal_kind))
        if role == "comment" and not literal:
            self.comment(end, type)
        elif start < end and node.child_count == 0:
            self.leaf(end, type, role, kind)

    def leave(self) -> None:
        self.fill(self.frames[-1].end)
        self.frames.pop()

    def fill(self, end: int) -> None:
        """What lies between nodes belongs to the node around it."""
        if end <= self.done:
            return
        if not self.frames:
            self.lex(end, "", 0)
        elif self.frames[-1].literal:
            self.literal(end, self.frames[-1].node)
        else:
            self.lex(end, self.frames[-1].node, len(self.frames) - 1)

    def leaf(self, end: int, node: str, role: str, kind: str) -> None:
        text = self.source[self.done : end]
        depth = len(self.frames) - 1
        if self.frames[-1].literal:
            self.literal(end, node)
        elif role == "constant":
            self.push(end, "identifier" if len(text) > 1 and text.isupper() else "keyword", node, depth)
        elif role == "interpolation":
            self.push(end, "identifier", node, depth)
        elif role == "lexical" or kind == "newline" or len(text.split()) != 1 or is_word_for_sign(text, kind):
            self.lex(end, node, depth)
        else:
            self.push(end, kind, node, depth)

    def literal(self, end: int, node: str) -> None:
        number, kind = self.frames[-1].literal, self.frames[-1].literal_kind
        last = self.found[-1] if self.found else None
        if last and self.last_literal == number and last.end == self.done and last.kind == kind:
            self.found[-1] = last._replace(end=end)
            self.pass_lines(end)
        else:
            self.push(end, kind, node, len(self.frames) - 1)
        self.last_literal = number

    def comment(self, end: int, node: str) -> None:
        """Some grammars take the end of the line along."""
        text = self.source[self.done : end]
        depth = len(self.frames) - 1
        kind = "docstring" if DOC_COMMENT.match(text) else "comment"
        self.push(self.done + len(text.rstrip(b"\r\n")), kind, node, depth)
        self.lex(end, node, depth)

    def is_docstring(self, start: int) -> bool:
        """Whether a literal that begins here is the first statement of a body, by itself."""
        if len(self.frames) < 2:
            return False
        body, statement = self.frames[-2:]
        return (
            statement.node == "expression_statement"
            and body.node in ("module", "block")
            and statement.statements == body.statements == 1
            and (len(self.frames) == 2 or self.frames[-3].node in ("function_definition", "class_definition"))
            and self.source[start : start + 1] not in b"fFbB"
        )

    def lex(self, end: int, node: str, depth: int) -> None:
        """By the characters alone."""
        source, done = self.source, self.done
        line_start = done == 0 or source[done - 1] in b"\r\n"
        for match in LEXICAL.finditer(source, done, end):
            kind = match.lastgroup or "other"
            if kind == "whitespace" and line_start and source[match.end() : match.end() + 1] not in b"\r\n":
                kind = "indentation"
            line_start = kind == "newline"
            self.push(match.end(), kind, node, depth)

    def push(self, end: int, kind: str, node: str, depth: int) -> None:
        if end > self.done:
            self.found.append(Piece(kind, self.done, end, self.line, self.done - self.line_start, node, depth))
            self.pass_lines(end)

    def pass_lines(self, end: int) -> None:
        # By its text: where lines end, the package's own points end the process after some thousands of them.
        if lines := self.source.count(b"\n", self.done, end):
            self.line += lines
            self.line_start = self.source.rindex(b"\n", self.done, end) + 1
        self.done = end


def is_word_for_sign(text: bytes, kind: str) -> bool:
    return kind == "operator" and text[:1].isalpha()


LEXICAL = re.compile(
    rb"""(?P<newline>\r\n?|\n)|(?P<punctuation>[()\[\]{},;.:"'`])|(?P<number>\d(?:\w|\.(?=\d))*)
    |(?P<operator>[-+*/%=<>!&|^~?@#$\\]+)|(?P<whitespace>[\ \t\f\v]+)|(?P<identifier>[\w\x80-\xff]+)|(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
DOC_COMMENT = re.compile(rb"/\*(?:!|\*(?![*/]))|//(?:!|/(?!/))")


@functools.cache
def role_of(node: str, named: bool) -> tuple[str, str]:
    """What to do with a node, and what its text is if it is a leaf."""
    if not named:
        return "leaf", kind_of(node)
    if node in ("ERROR", "preproc_arg"):
        return "lexical", ""
    if node == "concatenated_string":
        return "leaf", "other"
    if node in ("true", "false"):
        return "constant", ""
    if node == "none" or node == "null" or node.endswith(("_type", "_modifier", "_specifier", "_qualifier")):
        return "leaf", "keyword"
    if "comment" in node:
        return "comment", ""
    if "interpolation" in node:
        return "interpolation", ""
    if "string" in node or node in ("char_literal", "escape_sequence"):
        return "literal", ""
    if "identifier" in node or node.endswith("name"):
        return "leaf", "identifier"
    if re.search("integer|float|number", node):
        return "leaf", "number"
    return "leaf", "keyword" if "preproc_directive" in node else "operator"


def kind_of(written: str) -> str:
    """The kind of a node that the grammar writes out."""
    if written in ("_", "__future__", "NULL"):
        return "identifier"
    if re.match("[#@]*[A-Za-z_]", written) and not written.endswith(('"', "'")):
        return "keyword"
    if not written.strip():
        return "newline"
    return "punctuation" if written == "." or re.fullmatch("""[()\\[\\]{},;:"'`#$]+|.*["']""", written) else "operator"
