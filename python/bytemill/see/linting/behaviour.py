"""Checks by trying: specials in plain text, numbers, white space, texts that do not come back."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...errors import UnknownTokenError
from ...results.visible import visible
from .findings import Finding, some

if TYPE_CHECKING:
    from .subject import Subject

#: Texts that tokenizers lose something of, by what it is.
PROBES = {
    "upper case": "MiXed CASE",
    "accents": "naïve façade",
    "decomposed accents": "cafe\u0301",
    "two spaces": "a  b",
    "spaces around": "  a  ",
    "a tab": "a\tb",
    "line ends": "a\n\nb\r\n",
    "punctuation": 'don\'t "stop"-now (ever), $5!',
    "indentation": "if x:\n    y()\n        z()\n",
    "numbers": "1,234.5 ٣ ½ ²",
    "full width": "ＡＢＣ１２３",
    "ligatures": "ﬁne ﬂow",
    "Chinese": "我能吞下玻璃。",
    "Japanese": "ｶﾀｶﾅ こんにちは",
    "Korean": "안녕하세요",
    "Arabic": "السلام عليكم",
    "Hindi": "नमस्ते दुनिया",
    "Thai": "สวัสดี",
    "emoji": "👩\u200d👩\u200d👧 🇩🇪 👍🏽",
    "zero-width space": "a\u200bb",
    "no-break space": "a\u00a0b",
    "soft hyphen": "co\u00adop",
    "a control": "a\x01b",
    "a NUL": "a\x00b",
    "a byte-order mark": "\ufeffa",
    "private use": "\ue000\U00100000",
    "mathematics": "𝒳 ∈ ℝ, x² ≤ √2",
}
_PLAIN = re.compile(r"[\w\s.,'-]+")


def check_specials(subject: Subject) -> Iterator[Finding]:
    """Special tokens that a text can spell."""
    tok = subject.tok
    spelt = [token for token, id in tok.special_tokens.items() if token and _becomes(subject, token, id, None)]
    ordinary = [token for token in spelt if _PLAIN.fullmatch(token)]
    inside = [token for token, id in tok.special_tokens.items() if token and _becomes(subject, token, id, "none")]
    yield from some(
        "special-spelt-by-text",
        "note",
        [*map(visible, spelt)],
        "special tokens that are found wherever a text spells them: {}",
        'encode text of others with specials="none", or chats with apply_chat_template, which keeps messages plain',
    )
    yield from some(
        "special-is-ordinary-text",
        "warning",
        [*map(visible, ordinary)],
        "special tokens that are ordinary text: {}",
        "give special tokens a form that no text has, such as <|name|>",
    )
    yield from some(
        "special-in-model",
        "warning",
        [*map(visible, inside)],
        'special tokens that the model makes of plain text, even with specials="none": {}',
        "take them out of the model's vocabulary, and add them as special tokens alone",
    )


def _becomes(subject: Subject, token: str, id: int, specials: str | None) -> bool:
    if id == subject.definition.get("unk"):
        return False  # unknown text becomes it, whatever it is
    choice = specials if specials is not None or subject.definition.get("specials") != "refuse" else "none"
    try:
        return id in subject.tok.encode(token, specials=choice)
    except UnknownTokenError:
        return False


def check_numbers(subject: Subject) -> Iterator[Finding]:
    """Whether numbers of one length are cut in one way."""
    draw = random.Random(0)
    numbers = [str(draw.randrange(1000, 10000)) for _ in range(200)]
    cuts: dict[tuple[int, ...], str] = {}
    for number in numbers:
        try:
            found = subject.tok(number, add_special_tokens=False, offsets="chars", truncation=False, padding=False)
        except UnknownTokenError:
            return
        if subject.definition.get("unk") in found.ids:
            return
        cuts.setdefault(tuple(end - start for start, end in found.offsets if end > start), number)
    shown = [f"{number}: {' + '.join(map(str, cut))} digits" for cut, number in sorted(cuts.items())]
    yield from some(
        "uneven-numbers",
        "note",
        shown if len(shown) > 1 else [],
        "ways in which numbers of four digits are cut: {}",
        "split digits (one by one, or in threes) before training: models calculate better with even digits",
    )


def check_spaces(subject: Subject) -> Iterator[Finding]:
    """Indentation that costs a token for each space, where it is kept at all."""
    text = " " * 16 + "x"
    try:
        found = subject.tok.encode(text, specials="none")
        kept = subject.tok.decode(found).endswith(text)
        before = len(subject.tok.encode("x", specials="none"))
    except UnknownTokenError:
        return
    if kept and len(found) - before >= 15:
        yield Finding(
            "costly-indentation",
            "note",
            f"16 spaces are {len(found) - before} tokens",
            "for source code, train on source code, with a pretokenizer that keeps runs of spaces in one piece",
        )


def check_losses(subject: Subject) -> Iterator[Finding]:
    """Texts that do not come back, by the reason."""
    found: dict[str, list[str]] = {"refused-text": [], "dropped-text": [], "unknown-text": [], "lossy-text": []}
    for name, text in PROBES.items():
        if (loss := _loss(subject, text)) is not None:
            id, back = loss
            found[id].append(f"{name}: {text!r}" + (f" comes back as {back!r}" if id == "lossy-text" else ""))
    bytes = "use bytes (byte-level BPE, or byte_fallback), so that every text has tokens"
    yield from some("refused-text", "error", found["refused-text"], "sample texts that cannot be encoded: {}", bytes)
    yield from some("dropped-text", "error", found["dropped-text"], "sample texts that lose characters: {}", bytes)
    yield from some("unknown-text", "warning", found["unknown-text"], "sample texts that are partly unknown: {}", bytes)
    yield from some(
        "lossy-text",
        "note",
        found["lossy-text"],
        "sample texts that do not come back as they were: {}",
        "drop the normalizer, if a model is to write text and not just to read it",
    )


def _loss(subject: Subject, text: str) -> tuple[str, str] | None:
    """Which kind of finding a text is an example of, and what comes back; None if that is the text."""
    tok, unk = subject.tok, subject.definition.get("unk")
    try:
        ids = tok.encode(text, specials="none")
        back = tok.decode(ids)
        if back == text:
            return None
        if unk is not None and unk in ids:
            return "unknown-text", back
        if any(tok.normalize(c).strip("▁ ") and not tok.encode(c, specials="none") for c in text if not c.isspace()):
            return "dropped-text", back
        return "lossy-text", back
    except UnknownTokenError:
        return "refused-text", ""
