"""Split: every pattern that we accept gives the pieces that `tokenizers` gives."""

import importlib.util
import itertools
import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from bytemill import pretokenizers as p
from bytemill.errors import SpecError

from ..conftest import need
from ..effort import ALL, MATRIX

tokenizers = need("tokenizers")

from tokenizers import Regex, pre_tokenizers  # noqa: E402

from .patterns import ASSERTIONS, KNOWN, random_pattern, texts  # noqa: E402

pytestmark = pytest.mark.peer

BEHAVIORS = ["removed", "isolated", "contiguous", "merged_with_previous", "merged_with_next"]


@pytest.mark.parametrize("pattern", KNOWN)
def test_patterns_in_use(pattern: str) -> None:
    some = list(texts(random.Random(pattern), 3000 if MATRIX else 300 if ALL else 60))
    for behavior, invert in itertools.product(BEHAVIORS, (False, True)):
        ours, other = p.Split(pattern, behavior, invert), pre_tokenizers.Split(Regex(pattern), behavior, invert)
        for text in some:
            assert ours.split(text) == other.pre_tokenize_str(text), (text, behavior, invert)


def compares(pattern: str, some: Iterable[str], behavior: str = "isolated", invert: bool = False) -> bool:
    """Whether both take the pattern; then they must agree on the texts."""
    stage = p.Split(pattern, behavior, invert)
    try:
        stage.split("")
    except SpecError:
        return False
    try:
        other = pre_tokenizers.Split(Regex(pattern), behavior, invert)
    except Exception:
        # What the library cannot read has no meaning that we could miss.
        return False
    for text in some:
        try:
            expected = other.pre_tokenize_str(text)
        except BaseException as failure:
            # It gives up where going back takes too long; we do not.
            assert "retry-limit-in-match" in str(failure)
            continue
        assert stage.split(text) == expected, (pattern, text, behavior, invert)
    return True


@pytest.mark.parametrize("seed", range(4))
def test_random_patterns(seed: int) -> None:
    rng = random.Random(seed)
    compared = 0
    for _ in range(20_000 if MATRIX else 700 if ALL else 300):
        pattern = random_pattern(rng)
        behavior, invert = rng.choice(BEHAVIORS), rng.random() < 0.3
        compared += compares(pattern, texts(rng, 12), behavior, invert)
    assert compared > 80


@pytest.mark.parametrize("ahead", ["", *ASSERTIONS, r"(?:\b|a)", r"(?:\b|)", r"(?!a)\b", r"\b(?<=a)", "(?=a)(?!b)"])
def test_rests_of_lines(ahead: str) -> None:
    """Patterns that begin with `.*`: Oniguruma tries them at the starts of lines, whatever is asked for before."""
    rng = random.Random(ahead)
    rests = [
        *(
            ".*",
            ".+",
            ".*?",
            ".++",
            ".{2,}",
            "(?m:.*)",
            "(?m:.+)",
            "(?m:.*+)",
            "(?:.*|b)",
            r"[^\n]*",
            "(.)*",
            "(?:.+)?",
        ),
        *("(?:.+)+", "(?:.+?)?", "(?:.+?)+", "(?:.+)??", "(?:.{2})+", "(?:.+a)?", "(?:.+|a)?", "(?:.?)a"),
    ]
    tails = ["", r"\n", "a", r"b\b", "x?", r"\s"]
    compared = 0
    for rest, tail in itertools.islice(itertools.product(rests, tails), 0, None, 1 if ALL else 7):
        body = ahead + rest + tail
        for pattern in [body, f"c|{body}", f"(?:{body})+", f"(?:{body}|{body})", f"(?:{body})?s"]:
            compared += compares(pattern, texts(rng, 24 if MATRIX else 8))
    assert compared > 4


def test_texts_as_patterns() -> None:
    rng = random.Random(1)
    for _ in range(500 if ALL else 100):
        pattern, *some = texts(rng, 12, 3)
        for text in [*some, "".join(some), pattern * 2]:
            for behavior in BEHAVIORS:
                ours = p.Split(pattern, behavior, literal=True).split(text)
                expected = pre_tokenizers.Split(pattern, behavior).pre_tokenize_str(text)
                assert ours == expected, (pattern, text, behavior)


def named_classes() -> list[str]:
    path = Path(__file__).parents[2] / "crates" / "bytemill" / "tables" / "properties.py"
    spec = importlib.util.spec_from_file_location("properties", path)
    assert spec is not None and spec.loader is not None
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    properties = [rf"\p{{{name}}}" for name in tables.CATEGORIES + tables.SCRIPTS + tables.OTHERS]
    names = properties + [f"[:{name}:]" for name in tables.POSIX] + [r"\w", r"\s", r"\d", r"\h"]
    outside = [name for name in names if not name.startswith("[")]
    return [".", r"\W", r"\P{Word}", *outside, *(f"[{name}]" for name in names), *(f"[^{name}]" for name in names[:40])]


def test_every_class_for_every_code_point() -> None:
    last = 0x110000 if MATRIX else 0x20000 if ALL else 0x3100
    text = "".join(chr(code) for code in range(last) if not 0xD800 <= code <= 0xDFFF)
    for name in named_classes():
        ours = p.Split(f"(?:{name})+", "removed", invert=True).split(text)
        expected = pre_tokenizers.Split(Regex(f"(?:{name})+"), "removed", True).pre_tokenize_str(text)
        assert ours == expected, name
