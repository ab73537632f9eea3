"""Comments and docstrings as structure: the prose without its signs, and the sections and tags in it.

>>> doc = documentation('''\"\"\"Gets a user.
...
... Args:
...     user_id (int): Whose.
...
... Returns:
...     The name.
... \"\"\"''')
>>> doc.summary, doc.style
('Gets a user.', 'google')
>>> [(section.title, section.fields, section.text) for section in doc.sections]
[('Args', [DocField(name='user_id', type='int', text='Whose.')], ''), ('Returns', [], 'The name.')]
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["DocField", "DocSection", "Documentation", "documentation", "prose"]


class DocField(NamedTuple):
    """A parameter, an exception, or anything else that has a name."""

    name: str
    type: str | None
    text: str


@dataclasses.dataclass
class DocSection:
    """A part of a docstring with a title: named entries, or text."""

    title: str
    fields: list[DocField] = dataclasses.field(default_factory=list)
    text: str = ""


@dataclasses.dataclass
class Documentation:
    """What a comment or docstring says. `style` is "google", "numpy", "sphinx", "tags" or "plain"."""

    style: str
    summary: str
    text: str
    sections: list[DocSection]


#: Sections of entries with names; the others are text.
_NAMED = {"Args", "Arguments", "Attributes", "Keyword Args", "Keyword Arguments", "Methods", "Other Parameters"}
_NAMED |= {"Parameters", "Raises", "Except", "Exceptions", "Warns"}
_SECTIONS = _NAMED | {"Example", "Examples", "Note", "Notes", "Return", "Returns", "References", "See Also", "Todo"}
_SECTIONS |= {"Warning", "Warnings", "Yield", "Yields", "Receives"}

_GOOGLE = re.compile(r"^(?P<title>[A-Z][A-Za-z ]*):\s*$")
_NUMPY = re.compile(r"^-{3,}\s*$")
_SPHINX = re.compile(r"^:(?P<tag>\w+)(?:\s+(?P<head>[^:]*))?:\s*(?P<text>.*)$")
_TAG = re.compile(r"^[@\\](?P<tag>[a-z]\w*)(?:\[[a-z,]+\])?(?:\s+|$)(?P<text>.*)$")
#: `name (type): text` of Google's style.
_ENTRY = re.compile(r"^(?P<name>\*{0,2}[\w.]+)\s*(?:\((?P<type>[^)]*)\))?:\s*(?P<text>.*)$")
#: Tags whose first word is a name.
_TAGS_WITH_NAME = {"param", "tparam", "arg", "argument", "property", "prop", "template"}
_TAGS_WITH_NAME |= {"throws", "throw", "exception", "raises"}


def documentation(comment: str | bytes) -> Documentation:
    """Parses a comment or docstring, with or without its comment signs or quotes."""
    if isinstance(comment, bytes):
        comment = comment.decode("utf-8", "replace")
    if not isinstance(comment, str):
        raise TypeError(f"comment is str or bytes, not {type(comment).__name__}")
    lines = prose(comment).split("\n")
    style, body, sections = "plain", lines, list[DocSection]()
    for name, read in (("tags", _tags), ("sphinx", _sphinx), ("google", _google), ("numpy", _numpy)):
        found = read(lines)
        if found is not None:
            style, (body, sections) = name, found
    text = "\n".join(body).strip()
    summary = " ".join(text.split("\n\n")[0].split())
    return Documentation(style, summary, text, sections)


def prose(comment: str) -> str:
    """A comment without the signs around it and at the start of its lines.

    >>> prose("/**\\n * Adds.\\n * @param a one\\n */")
    'Adds.\\n@param a one'
    """
    text = comment.strip()
    string = re.fullmatch(r"(?is)[a-z]{0,3}(\"\"\"|'''|\"|')(.*)\1", text)
    if string:
        return inspect.cleandoc(string[2])
    if text.startswith("/*"):
        text = re.sub(r"^/\*+[!<]*|\*+/$", "", text)
        return _joined(re.sub(r"^\s*\*+(?!/) ?", "", line) if i else line for i, line in enumerate(text.split("\n")))
    if text.startswith("<!--"):
        return inspect.cleandoc(re.sub(r"^<!-+|-+>$", "", text)).strip()
    signs = re.compile(r"^\s*(///?[!<]*|//!|#+!?|--+|;+|%+) ?")
    if signs.match(text):
        return "\n".join(signs.sub("", line) for line in text.split("\n"))
    return inspect.cleandoc(text)


def _joined(lines: Iterable[str]) -> str:
    return inspect.cleandoc("\n".join(lines)).strip()


_Found = tuple[list[str], list[DocSection]] | None


def _numpy(lines: list[str]) -> _Found:
    heads = [i for i in range(len(lines) - 1) if lines[i].strip() in _SECTIONS and _NUMPY.match(lines[i + 1].strip())]
    if not heads:
        return None
    sections = []
    for head, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        title, body = lines[head].strip(), lines[head + 2 : end]
        section = DocSection(title)
        if title in _NAMED or title in ("Returns", "Yields", "Receives"):
            for line, below in _entries(body):
                name, _, type = line.partition(" : ")
                section.fields.append(DocField(name.strip(), type.strip() or None, below))
        else:
            section.text = inspect.cleandoc("\n".join(body)).strip()
        sections.append(section)
    return lines[: heads[0]], sections


def _google(lines: list[str]) -> _Found:
    def title(line: str) -> str | None:
        found = _GOOGLE.match(line)
        return found["title"] if found and found["title"] in _SECTIONS else None

    heads = [i for i, line in enumerate(lines) if title(line)]
    if not heads:
        return None
    sections = []
    for head, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        section = DocSection(title(lines[head]) or "")
        body = inspect.cleandoc("\n" + "\n".join(lines[head + 1 : end])).strip("\n").split("\n")
        entries = [(_ENTRY.match(line), below) for line, below in _entries(body)]
        if section.title in _NAMED and all(entry for entry, _ in entries):
            for entry, below in entries:
                if entry:
                    text = " ".join(filter(None, [entry["text"], below]))
                    section.fields.append(DocField(entry["name"], entry["type"], text))
        else:
            section.text = "\n".join(body).strip()
        sections.append(section)
    return lines[: heads[0]], sections


def _sphinx(lines: list[str]) -> _Found:
    return _tagged(lines, _SPHINX)


def _tags(lines: list[str]) -> _Found:
    return _tagged(lines, _TAG)


def _tagged(lines: list[str], pattern: re.Pattern[str]) -> _Found:
    heads = [(i, found) for i, line in enumerate(lines) if (found := pattern.match(line.strip()))]
    if not heads:
        return None
    sections: dict[str, DocSection] = {}
    ends = [i for i, _ in heads[1:]] + [len(lines)]
    for (start, found), end in zip(heads, ends, strict=True):
        tag, text = found["tag"], " ".join([found["text"], *(line.strip() for line in lines[start + 1 : end])]).strip()
        section = sections.setdefault(tag, DocSection(tag))
        type, name = None, None
        if pattern is _SPHINX:
            *types, name = (found["head"] or "").split() or [""]
            type = " ".join(types) or None
        else:
            braces = re.match(r"^\{(?P<type>[^}]*)\}\s*(?P<rest>.*)$", text, re.S)
            if braces:
                type, text = braces["type"], braces["rest"]
            if tag in _TAGS_WITH_NAME:
                name, _, text = text.partition(" ")
                text = text.strip().removeprefix("- ")
        if name or type:
            section.fields.append(DocField(name or "", type, text))
        else:
            section.text = "\n".join(filter(None, [section.text, text]))
    return lines[: heads[0][0]], list(sections.values())


def _entries(body: list[str]) -> list[tuple[str, str]]:
    """Lines that are not indented, each with those below it that are."""
    entries: list[tuple[str, list[str]]] = []
    for line in body:
        if not line.strip():
            continue
        if line[0].isspace() and entries:
            entries[-1][1].append(line.strip())
        else:
            entries.append((line.strip(), []))
    return [(line, " ".join(below)) for line, below in entries]
