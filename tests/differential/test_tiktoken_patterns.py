"""Patterns given as text for a `.tiktoken` file: the pieces are those that `tiktoken` finds."""

from __future__ import annotations

import itertools
import random
from base64 import b64encode
from pathlib import Path
from unittest import mock

import pytest

import bytemill

from ..conftest import need
from ..effort import MATRIX
from .patterns import KNOWN, LETTERS, random_pattern
from .patterns import texts as short_texts
from .texts import generated

tiktoken = need("tiktoken")

from tiktoken_ext import openai_public  # noqa: E402

pytestmark = pytest.mark.peer

#: That of Kimi: ideographs apart, and words without them.
KIMI = r"|".join(
    [
        r"[\p{Han}]+",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    ]
)

#: Classes that have the same characters in both engines.
NAMES = """
    Han Hiragana Alphabetic Emoji L Lm M N Nd P S Z Cf Cn
    Adlam Any Arabic Armenian ASCII Assigned Balinese Batak Bengali Bopomofo Braille Buginese Canadian_Aboriginal Cham
    Cherokee Common Coptic Cyrillic Devanagari Emoji_Modifier Emoji_Presentation Ethiopic Extended_Pictographic
    Georgian Glagolitic Gothic Greek Gujarati Gurmukhi Hangul Hanunoo Hebrew Ideographic Inherited Javanese Kannada
    Katakana Khmer Lao Latin Limbu Lisu Lowercase Malayalam Mandaic Meetei_Mayek Mongolian Myanmar New_Tai_Lue Nko Ogham
    Ol_Chiki Old_Italic Old_Persian Oriya Osage Phoenician Runic Samaritan Saurashtra Sinhala Sundanese Syriac Tagalog
    Tai_Le Tai_Tham Tai_Viet Tamil Telugu Thaana Thai Tibetan Tifinagh Uppercase Vai White_Space Yi
    LC Ll Lo Lt Lu Mc Me Mn Nl No Pc Pd Pe Pf Pi Po Ps Sc Sk Sm So Zl Zp Zs C Cc Co
"""
PROPERTIES = NAMES.split()


def of_openai(name: str) -> str:
    with mock.patch.object(openai_public, "load_tiktoken_bpe", lambda *_, **__: {}):
        return openai_public.ENCODING_CONSTRUCTORS[name]()["pat_str"]


@pytest.fixture(scope="module")
def ranks() -> dict[bytes, int]:
    """Bytes, characters, and all pairs of these, so that most borders between pieces are seen."""
    letters = list(dict.fromkeys([*LETTERS, "\n   ", "    "]))
    parts = [letter.encode()[:length] for letter in letters for length in range(2, 5)]
    pairs = [(left + right).encode() for left, right in itertools.product(letters, repeat=2)]
    tokens = dict.fromkeys([*(bytes([byte]) for byte in range(256)), *parts, *pairs])
    return {token: rank for rank, token in enumerate(tokens)}


@pytest.fixture(scope="module")
def path(ranks: dict[bytes, int], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ranks") / "own.tiktoken"
    path.write_bytes(b"".join(b"%s %d\n" % (b64encode(token), rank) for token, rank in ranks.items()))
    return path


PUBLISHED = [*map(of_openai, ["r50k_base", "cl100k_base", "o200k_base"]), KIMI, *KNOWN[:9], r"[\u4e00-\u9fa5]|\w+|\W$"]


@pytest.mark.parametrize("pattern", PUBLISHED)
def test_published(pattern: str, ranks: dict[bytes, int], path: Path) -> None:
    theirs = tiktoken.Encoding("own", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    ours = bytemill.load(path, pattern=pattern)
    rng = random.Random(pattern)
    runs = ((rng.choice(["a", " ", "\n", "1", "中", "!"]) * rng.randint(1, 99) for _ in range(9)) for _ in range(99))
    texts = [*short_texts(rng, 400, 30), *generated(200), *map("".join, runs)]
    for text, ids in zip(texts, ours.encode_batch(texts), strict=True):
        assert list(ids) == theirs.encode_ordinary(text) == ours.encode(text), text


def test_random(ranks: dict[bytes, int], path: Path) -> None:
    equal = 0
    for seed in range(20_000 if MATRIX else 800):
        rng = random.Random(seed)
        pattern = random_pattern(rng)
        try:
            theirs = tiktoken.Encoding("own", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
            ours = bytemill.load(path, pattern=pattern)
        except (ValueError, bytemill.errors.FormatError):
            continue
        for text in short_texts(rng, 12):
            assert ours.encode(text) == theirs.encode_ordinary(text), (pattern, text)
        equal += 1
    assert equal > 100


@pytest.mark.parametrize("name", PROPERTIES if MATRIX else PROPERTIES[:6])
def test_properties(name: str, ranks: dict[bytes, int], path: Path) -> None:
    characters = "".join(chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000)
    pattern = rf"\p{{{name}}}"
    theirs = tiktoken.Encoding("own", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    assert bytemill.load(path, pattern=pattern).encode(characters) == theirs.encode_ordinary(characters)


@pytest.mark.parametrize("pattern", [r"\Gab?", r"(a{2}+|b)c", r"[[:alpha:]]", r"\p{Print}", "a?"])
def test_refused(pattern: str, path: Path) -> None:
    reason = "does not mean the same to every engine" if pattern != "a?" else "may match nothing"
    with pytest.raises(bytemill.errors.FormatError, match=reason):
        bytemill.load(path, pattern=pattern)
