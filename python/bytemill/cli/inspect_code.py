"""`bytemill inspect --code`: source code in the colours of its syntax, or piece by piece."""

from __future__ import annotations

import collections
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..code import CodePiece, CodeToken, code_pieces, detect_language
from ..results.visible import BETWEEN, visible
from .console import console, plural
from .lines import opened

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

Parts = Sequence[CodePiece | CodeToken]

#: White space has no colour of its own.
STYLES = {
    "keyword": "bold magenta",
    "identifier": "cyan",
    "string": "green",
    "number": "yellow",
    "operator": "red",
    "punctuation": "bright_black",
    "comment": "italic bright_black",
    "docstring": "italic green",
    "other": "white",
}


def inspect_code(file: Path, tok: Tokenizer | None, language: str | None, specials: str | None, as_json: bool) -> None:
    """The pieces of a source file, or its tokens if there is a tokenizer."""
    with opened(file) as stream:
        source = stream.read()
    language = language or detect_language(source, file)
    how: Any = specials
    found: Parts
    if tok is None:
        found = list(code_pieces(source, language))
    else:
        encoding = tok.encode_code(source, language=language, specials=how)
        language, found = encoding.language, list(encoding)
    texts = [source[part.start : part.end].decode("utf-8", "replace") for part in found]
    if as_json:
        rows = [{**part._asdict(), "text": text} for part, text in zip(found, texts, strict=True)]
        what = "pieces" if tok is None else "tokens"
        facts = {"language": language, "bytes": len(source), what: rows}
        sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")
        return
    screen = console()
    if screen.color_system is None or screen.no_color:
        listed(found, texts)
    else:
        painted(found, texts)
    sys.stdout.write(verdict(found, language, len(source), tok is None))


def painted(found: Parts, texts: list[str]) -> None:
    """The source as it stands; every second token is underlined, so that one can see where they end."""
    from rich.text import Text

    shown = Text()
    for i, (part, text) in enumerate(zip(found, texts, strict=True)):
        style = STYLES.get(part.kind, "")
        if isinstance(part, CodeToken) and i % 2 and text.strip():
            style += " underline"
        shown.append(text.translate(BETWEEN), style)
    shown.rstrip()
    console().print(shown)


def listed(found: Parts, texts: list[str]) -> None:
    """Without colours: where each is, its kind and its text, one on each line."""
    for part, text in zip(found, texts, strict=True):
        shown = f"{visible(part.token)} {part.id}" if isinstance(part, CodeToken) else visible(text)
        sys.stdout.write(f"{f'{part.line}:{part.column}':8}{part.kind:13}{shown}\n")


def verdict(found: Parts, language: str | None, size: int, pieces: bool) -> str:
    counts = collections.Counter(part.kind for part in found)
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in counts.most_common())
    parts = plural(len(found), "piece" if pieces else "token")
    return f"{language or 'no known language'}, {plural(size, 'byte')}, {parts}: {kinds}\n"
