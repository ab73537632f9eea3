"""Single stages against those of `tokenizers`: every code point, every short string over one character of a kind."""

import itertools

import pytest

from bytemill import normalizers, pretokenizers

from ..conftest import need
from ..effort import ALL, MATRIX

need("tokenizers")
from tokenizers import Regex, pre_tokenizers  # noqa: E402
from tokenizers import normalizers as their_normalizers  # noqa: E402

pytestmark = pytest.mark.peer


#: All code points with `make matrix`; else those of the planes where nearly all characters are.
CODE_POINTS = [
    code
    for code in range(0x110000 if MATRIX else 0x20000 if ALL else 0x3100)
    if not 0xD800 <= code <= 0xDFFF
]  # fmt: skip

GPT_PATTERNS = {
    "gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "cl100k": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+",
    "o200k": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "qwen2": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+",
    "tekken": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
}

DEEPSEEK = [
    r"\p{N}{1,3}",
    "[一-龥\u3040-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
    "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
]

SPLITTERS = {
    "whitespace": pre_tokenizers.Whitespace(),
    "whitespace_split": pre_tokenizers.WhitespaceSplit(),
    "bert": pre_tokenizers.BertPreTokenizer(),
    "punctuation": pre_tokenizers.Punctuation(),
    "digits": pre_tokenizers.Digits(),
    **{name: pre_tokenizers.Split(Regex(pattern), "isolated") for name, pattern in GPT_PATTERNS.items()},
    "deepseek": pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated") for pattern in DEEPSEEK]),
}

NORMALIZERS = {
    "lowercase": their_normalizers.Lowercase(),
    "nfc": their_normalizers.NFC(),
    "nfd": their_normalizers.NFD(),
    "nfkc": their_normalizers.NFKC(),
    "nfkd": their_normalizers.NFKD(),
    "strip_accents": their_normalizers.Sequence([their_normalizers.NFD(), their_normalizers.StripAccents()]),
    "strip": their_normalizers.Strip(),
    "bert": their_normalizers.BertNormalizer(),
    "bert_cased": their_normalizers.BertNormalizer(lowercase=False),
}


@pytest.mark.parametrize("name", SPLITTERS)
def test_every_code_point_is_split_alike(name: str) -> None:
    for first, step in ((0, 2), (1, 2)):
        text = "".join(f"a{chr(code)} {chr(code)}7" for code in CODE_POINTS[first::step])
        assert pretokenizers.NAMED[name].split(text) == SPLITTERS[name].pre_tokenize_str(text)


@pytest.mark.parametrize("name", NORMALIZERS)
def test_every_code_point_is_normalized_alike(name: str) -> None:
    text = "".join(f"a{chr(code)} " for code in CODE_POINTS)
    assert normalizers.NAMED[name].normalize(text) == NORMALIZERS[name].normalize_str(text)


#: One character for every cell of classes that the patterns tell apart.
CELLS = ["a", "A", "中", "\u0301", "ǅ", "ʰ", "7", " ", "\n", "\r", "\u2028", "'", "s", "/", "ſ", "!"]
DEEPSEEK_CELLS = [
    "a", "é", "中", "・", "\u3040", "\u3099", "7", " ", "\n", "\r", "\u2028", "!", "$", "…", "\u0301", "\x01",
]  # fmt: skip


@pytest.mark.parametrize("name", [*GPT_PATTERNS, "deepseek"])
def test_every_short_string(name: str) -> None:
    """All strings of up to three characters, and with `make matrix` of up to five."""
    ours, theirs = pretokenizers.NAMED[name], SPLITTERS[name]
    longest = 5 if MATRIX else 3
    for length in range(1, longest + 1):
        for characters in itertools.product(DEEPSEEK_CELLS if name == "deepseek" else CELLS, repeat=length):
            text = "".join(characters)
            assert ours.split(text) == theirs.pre_tokenize_str(text), repr(text)


#: What contractions are made of, in both cases, and what stands around them.
CONTRACTED = ["'", "l", "L", "r", "E", "v", "s", "ſ", "A", "中", "\u0301", " "]


@pytest.mark.parametrize("name", [*GPT_PATTERNS, "deepseek"])
def test_contractions_in_a_row_and_in_any_case(name: str) -> None:
    """All of four characters with an apostrophe among them, and with `make matrix` of five."""
    ours, theirs = pretokenizers.NAMED[name], SPLITTERS[name]
    for characters in itertools.product(CONTRACTED, repeat=5 if MATRIX else 4 if ALL else 3):
        if "'" in characters:
            text = "".join(characters)
            assert ours.split(text) == theirs.pre_tokenize_str(text), repr(text)
