"""A stream of graphemes never ends a text inside a cluster, and keeps back nothing that is known to be whole."""

from __future__ import annotations

from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import bytemill
from tests.property.strategies import texts, tokenizers

BYTES = bytemill.Tokenizer.from_ranks({bytes([byte]): byte for byte in range(256)}, pattern="gpt2")
#: What clusters are made of: marks, joiners, emoji, flags, Hangul, Devanagari, a prefix, controls.
PARTS = [
    "a",
    "e",
    "\u0301",
    "\u0308",
    "\u200d",
    "👩",
    "👧",
    "🏽",
    "❤",
    "\ufe0f",
    "🇩",
    "🇪",
    "ᄀ",
    "ᅡ",
    "ᆨ",
    "각",
    "\u0600",
    "\r",
    "\n",
    " ",
]


def streamed(tok: bytemill.Tokenizer, text: str) -> list[str]:
    stream = tok.stream(graphemes=True)
    return [*(stream.push(id) for id in tok.encode(text, specials="none")), stream.finish()]


def clusters(text: str) -> list[str]:
    return regex.findall(r"\X", text)


@given(text=st.lists(st.sampled_from(PARTS), max_size=12).map("".join))
def test_beside_another_library(text: str) -> None:
    out = streamed(BYTES, text)
    assert "".join(out) == text
    ends = {len("".join(clusters(text)[:count])) for count in range(len(clusters(text)) + 1)}
    done = 0
    for part in out:
        done += len(part)
        assert done in ends, (text, out)


@given(tok=tokenizers(), text=texts, skip=st.booleans())
def test_a_stream_of_graphemes_adds_up_to_decode(tok: bytemill.Tokenizer, text: str, skip: bool) -> None:
    ids = tok.encode(text)
    stream = tok.stream(skip_special_tokens=skip, graphemes=True)
    parts = [stream.push(id) for id in ids]
    assert "".join(parts) + stream.finish() == tok.decode(ids, skip_special_tokens=skip)


def test_what_is_whole_goes_out_at_once() -> None:
    # A cluster goes out with the first byte-complete character of the next one; a line feed waits for nothing.
    assert streamed(BYTES, "e\u0301🇩🇪🇫🇷!\n\r\nx") == [
        *["", "", "", "", "", "", "e\u0301", "", "", "", "", "", "", "", "🇩🇪", "", "", "", ""],
        *["🇫🇷", "!\n", "", "\r\n", "", "x"],
    ]
    plain = BYTES.stream()
    assert [plain.push(id) for id in "e\u0301".encode()] == ["e", "", "\u0301"]


@pytest.mark.shared
def test_vectors_of_unicode(shared: Path) -> None:
    """Every line of GraphemeBreakTest.txt: characters, with ÷ where a cluster ends and × where it goes on."""
    lines = (shared / "torture/unicode15/GraphemeBreakTest.txt").read_text().splitlines()
    # Scissors are no pictograph in later versions of Unicode, whose vectors have a watch in their place.
    cases = [line.split("#")[0].replace("2701", "231A").split() for line in lines if line.startswith("÷")]
    compared = 0
    for case in cases:
        characters = [chr(int(code, 16)) for code in case[1::2]]
        if any("\ud800" <= c <= "\udfff" for c in characters):
            continue
        text = "".join(characters)
        ends = [at for at, sign in enumerate(case[::2]) if sign == "÷"]
        out = streamed(BYTES, text)
        assert "".join(out) == text
        reached = {sum(map(len, out[:count])) for count in range(len(out) + 1)}
        assert reached <= set(ends), (case, out)
        # The finish gives the last cluster alone, or nothing.
        assert len(text) - len(out[-1]) in ends[-2:], (case, out)
        compared += 1
    assert compared > 500
