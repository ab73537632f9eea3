"""What others say of the pieces of source code: Python's own `tokenize`, and pygments."""

from __future__ import annotations

import bisect
import collections
import io
import keyword
import tokenize
from collections.abc import Iterator

from bytemill import code

#: Kinds that both sides tell apart.
TEXT = {"string", "docstring"}
REMARK = {"comment", "docstring"}


class Agreement:
    """How many tokens agree, and what the others are."""

    def __init__(self) -> None:
        self.tokens = 0
        self.differences: collections.Counter[tuple[str, str, str]] = collections.Counter()

    def note(self, agrees: bool, theirs: str, ours: str, text: str) -> None:
        self.tokens += 1
        if not agrees:
            self.differences[theirs, ours, text[:40]] += 1

    @property
    def share(self) -> float:
        return 1 - self.differences.total() / max(1, self.tokens)


def with_tokenize(source: bytes, agreement: Agreement) -> None:
    """Keywords, names, numbers, strings and comments, with the same spans."""
    pieces = {piece.start: piece for piece in code.code_pieces(source, "python")}
    for type, start, end in python_tokens(source):
        text = source[start:end].decode()
        piece = pieces.get(start)
        ours, same = (piece.kind, piece.end == end) if piece else ("inside", False)
        if type == "NAME":
            soft = keyword.issoftkeyword(text)
            wanted = {"keyword"} if keyword.iskeyword(text) else {"identifier", "keyword"} if soft else {"identifier"}
        else:
            wanted = {"NUMBER": {"number"}, "COMMENT": {"comment"}, "STRING": TEXT}[type]
        if type == "STRING" and "f" in text[: text.find(text[-1])].lower():
            # One token until Python 3.12; here what is in braces is code.
            same = True
        agreement.note(ours in wanted and same, type, ours, text)


def python_tokens(source: bytes) -> Iterator[tuple[str, int, int]]:
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))

    def offset(place: tuple[int, int]) -> int:
        row, column = place
        return starts[row - 1] + len(lines[row - 1].decode()[:column].encode())

    for token in tokenize.tokenize(io.BytesIO(source).readline):
        type = tokenize.tok_name[token.type]
        if type in ("NAME", "NUMBER", "COMMENT", "STRING"):
            yield type, offset(token.start), offset(token.end)


def with_pygments(source: str, language: str, agreement: Agreement) -> None:
    """Whether what stands at the start of each token is of the same kind; the preprocessor's lines are left out."""
    from pygments.lexers import get_lexer_by_name
    from pygments.token import Comment, Keyword, Literal, Name, Number, String

    data = source.encode()
    pieces = code.code_pieces(data, language)
    ends = pieces.ends.tolist()
    at = 0
    for _, type, value in get_lexer_by_name(language, stripnl=False, ensurenl=False).get_tokens_unprocessed(source):
        start, text = at + len(value) - len(value.lstrip()), value.strip()
        if type in Name.Decorator:
            start, text = start + 1, text[1:]  # after the @
        at += len(value.encode())
        if type in Comment.Preproc or type in Comment.PreprocFile or not text:
            continue
        if type in Comment:
            wanted = REMARK
        elif type in Number:
            wanted = {"number"}
        elif type in String or type in Literal:
            wanted = TEXT
        elif type in Keyword:
            wanted = {"keyword"}
        elif type in Name.Attribute and text in ("class", "this"):
            continue  # pygments calls all that follows a point an attribute; these are reserved
        elif type in Name:
            wanted = {"identifier"}
        else:
            continue
        ours = code.KINDS[pieces.kinds[bisect.bisect_right(ends, start)]]
        agreement.note(ours in wanted, str(type), ours, text)
