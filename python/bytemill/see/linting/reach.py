"""Tokens that no text is encoded to: each with a proof."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING

from ...results.visible import text_of, visible
from .alone import Merging, Scoring
from .findings import Finding, some
from .stages import Stages

if TYPE_CHECKING:
    from .subject import Subject

ADVICE = "remove them when you train again, or use their ids for new tokens: no text leads to them"
#: Why the model does not make a token; None if it may.
Reason = Callable[[bytes], str | None]


def unreachable(subject: Subject, among: Collection[int] | None = None) -> dict[int, str]:
    """The ids of tokens that no text is encoded to, each with the reason; `among` limits the search to some ids."""
    model, stages = model_reason(subject), Stages(subject)
    found: dict[int, str] = {}
    for id, token in subject.ordinary.items():
        if among is not None and id not in among:
            continue
        reason = fallback_reason(subject, token) or own_bytes_reason(subject, token)
        reason = reason or stage_reason(subject, stages, token) or model(token)
        if reason is not None:
            found[id] = reason
    return found


def check_reach(subject: Subject) -> Iterator[Finding]:
    found = unreachable(subject)
    never = "no UTF-8 text has"
    bytes = [f"{subject.shown(id)}: {reason}" for id, reason in found.items() if reason.startswith(never)]
    others = [f"{subject.shown(id)}: {reason}" for id, reason in found.items() if not reason.startswith(never)]
    yield from some("unreachable-token", "warning", others, "tokens that no text is encoded to: {}", ADVICE)
    yield from some(
        "byte-outside-utf8",
        "note",
        bytes,
        "tokens with bytes that UTF-8 does not have: {}",
        "nothing, if all 256 bytes are to have tokens; encode_bytes reaches them",
    )


def fallback_reason(subject: Subject, token: bytes) -> str | None:
    """Why a token that stands for a byte is not needed."""
    byte = subject.byte_of(token)
    if byte is None:
        return None
    marked = subject.symbols["prefix"] or subject.symbols["suffix"]
    if byte < 0x80 and not marked and subject.tok.token_to_id(bytes([byte])) is not None:
        return f"{visible(chr(byte))} is a token itself, and so does not become bytes"
    return bytes_reason(bytes([byte]))


def own_bytes_reason(subject: Subject, token: bytes) -> str | None:
    """Why no text has the bytes of a token, without its marks."""
    body = token.removeprefix(subject.symbols["prefix"].encode()).removesuffix(subject.symbols["suffix"].encode())
    if subject.leaves_out:  # they need not stand side by side
        return next((reason for byte in body if (reason := bytes_reason(bytes([byte]))) is not None), None)
    return bytes_reason(body)


def bytes_reason(token: bytes) -> str | None:
    """A part of a text begins with at most three continuing bytes; what follows is UTF-8 up to an unfinished end."""
    begin = next((i for i, byte in enumerate(token) if byte & 0xC0 != 0x80), len(token))
    if begin > 3:
        return "no UTF-8 text has so many continuing bytes in a row"
    try:
        token[begin:].decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            return f"no UTF-8 text has the bytes {text_of(token[begin:][error.start : error.end + 1])}"
    return None


def stage_reason(subject: Subject, stages: Stages, token: bytes) -> str | None:
    """Why the stages before the model never leave such a text in one piece."""
    if subject.has_stand_ins(token):
        return None
    try:
        text = token.decode()
    except UnicodeDecodeError:
        return None  # a part of a character, which stages do not see
    suffix = subject.symbols["suffix"]
    prefix = (subject.definition.get("subwords") or subject.symbols)["prefix"]
    inner = bool(prefix) and text.startswith(prefix) and text != prefix
    if inner:
        text = text.removeprefix(prefix)
    if suffix and text != suffix:
        text = text.removesuffix(suffix)
    if (lost := stages.lost(text)) is not None:
        return f"the normalizer never leaves {visible(lost)!r}"
    if not subject.leaves_out and (pieces := stages.cut(text)) is not None:
        return "the pretokenizer always cuts it: " + " ".join(map(visible, pieces))
    if inner and stages.never_follows(text):
        return f"there is always a border before {visible(text[0])!r}, and it continues a word"
    return None


def model_reason(subject: Subject) -> Reason:
    """How the model of the tokenizer's family is asked."""
    family = subject.tok.family
    if family == "bpe" and not subject.definition.get("whole_pieces"):
        return merge_reason(subject)
    if family == "unigram":
        return score_reason(subject)
    if family == "wordpiece":
        return longest_reason(subject)
    if family == "char":
        return lambda token: "the model gives single characters" if len(token.decode()) > 1 else None
    return lambda token: None


def merge_reason(subject: Subject) -> Reason:
    merging = Merging.of(subject)
    own = (subject.definition.get("sentencepiece") or {}).get("user_defined", ())
    symbols = [subject.tok.id_to_bytes(id) or b"" for id in own]

    def reason(token: bytes) -> str | None:
        if subject.has_stand_ins(token) or any(symbol in token for symbol in symbols):
            return None
        parts = merging.merged(token)
        return None if len(parts) == 1 else "the merges give " + shown_row(parts)

    return reason


def score_reason(subject: Subject) -> Reason:
    scoring = Scoring.of(subject)

    def reason(token: bytes) -> str | None:
        if subject.has_stand_ins(token):
            return None
        row = scoring.better(token)
        return None if row is None else f"a better score has {shown_row(row)}"

    return reason


def longest_reason(subject: Subject) -> Reason:
    """WordPiece takes the longest token: what continues a word is never taken if every other token grows into it."""
    prefix = subject.definition["subwords"]["prefix"].encode()
    longest = subject.definition["subwords"]["max_chars"]
    tokens = {token for id, token in subject.ordinary.items() if token != prefix}

    def reason(token: bytes) -> str | None:
        body = token.removeprefix(prefix) if prefix else token
        if len(body.decode()) + (body != token) > longest:
            return f"words of more than {longest:,} characters are unknown"
        if body == token or not body:
            return None
        starts = [body[:end] for end in range(1, len(body) + 1)]
        if all(any(other + start in tokens for start in starts) for other in tokens):
            return "every token before it would be a longer one together with its beginning"
        return None

    return reason


def shown_row(parts: list[bytes]) -> str:
    return " ".join(visible(text_of(part)) for part in parts)
