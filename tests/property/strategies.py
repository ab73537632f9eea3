"""Texts where tokenizers go wrong, and every kind of tokenizer to read them."""

from __future__ import annotations

import unicodedata
import warnings
from typing import Any

from hypothesis import strategies as st

import bytemill
from bytemill import normalizers, pretokenizers
from bytemill.training import CorpusTooSmall, LooksLikeFileNames

#: Letters that regular expressions count as `\w` though Unicode calls them symbols: Ⓐ to ⓩ.
CIRCLED = frozenset(map(chr, range(0x24B6, 0x24EA)))

#: Characters whose category is what it was in Unicode 3.2: all tables agree on them.
STABLE = [
    c
    for c in map(chr, range(0x110000))
    if unicodedata.category(c) == unicodedata.ucd_3_2_0.category(c)
    and unicodedata.category(c) not in ("Cn", "Cs", "Co")
    if c not in CIRCLED
]

SPECIALS = ["<EOS>", "<a b>", "<a", "a b", "<EOS><EOS>", "\n\n", "é", ">>"]

characters = st.one_of(
    st.sampled_from("abAB"),
    st.sampled_from("abcdefXYZ_0159"),
    st.sampled_from(" \n \t\r\u3000\xa0\u2028\x85"),
    st.sampled_from(".,'!-()$<>«»。「」…"),
    st.sampled_from("éÉñ\u0301\u0308ßİΣσ我能吞下玻あ안ﬁ①٣Ⅷ"),
    st.sampled_from("👩\u200d👧🇩🇪\ufe0f\x00\x1c\x7f\u200b\ufeff"),
    st.sampled_from(STABLE),
)

#: Words, blanks and special tokens, whole and in halves.
texts = st.lists(
    st.one_of(
        st.text(characters, max_size=6),
        st.text(characters, max_size=6),
        st.sampled_from(["the ", " cat", "the cat, ", "x" * 63, "a b " * 20]),
        st.sampled_from(SPECIALS),
        st.sampled_from([token[:-1] for token in SPECIALS]),
    ),
    max_size=8,
).map("".join)

corpora = st.lists(texts, max_size=4)

NORMALIZERS: list[normalizers.Normalizer | None] = [
    None,
    *normalizers.NAMED.values(),
    normalizers.Bert(clean_text=False, strip_accents=True, lowercase=False),
    normalizers.Strip(left=False),
    normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()]),
    normalizers.Replace(r"\s+", " "),
    normalizers.Prepend("▁"),
    normalizers.Nmt(),
    normalizers.ByteLevel(),
]

PRETOKENIZERS: list[pretokenizers.PreTokenizer | None] = [
    None,
    *pretokenizers.NAMED.values(),
    *(pretokenizers.Punctuation(b) for b in ("removed", "contiguous", "merged_with_previous", "merged_with_next")),
    pretokenizers.Digits(individual=True),
    pretokenizers.Delimiter("a"),
    pretokenizers.UnicodeScripts(),
    pretokenizers.Split(r"\s+(?!\S)|\w+", "merged_with_previous"),
    pretokenizers.FixedLength(1),
    pretokenizers.FixedLength(3),
    pretokenizers.Sequence([pretokenizers.WhitespaceSplit(), pretokenizers.Punctuation("merged_with_next")]),
    pretokenizers.Sequence([pretokenizers.Digits(), pretokenizers.Punctuation("merged_with_previous")]),
    pretokenizers.Sequence([pretokenizers.GPT2(), pretokenizers.Punctuation("contiguous")]),
    pretokenizers.Sequence([pretokenizers.Punctuation(), pretokenizers.FixedLength(2)]),
]

#: Those that change the text of pieces.
REWRITING: list[pretokenizers.PreTokenizer] = [
    *(
        pretokenizers.Metaspace("▁", scheme, split)
        for scheme in ("first", "always", "never")
        for split in (True, False)
    ),
    pretokenizers.ByteLevel(prefix_space=True),
    pretokenizers.Sequence([pretokenizers.PrefixSpace(), pretokenizers.GPT2()]),
    pretokenizers.Sequence([pretokenizers.Bert(), pretokenizers.Metaspace(prepend="first")]),
]


def trained(family: type, corpus: list[str], spec: dict[str, Any], **options: Any) -> bytemill.Tokenizer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CorpusTooSmall)
        warnings.simplefilter("ignore", LooksLikeFileNames)
        return bytemill.train(corpus, family(**spec), progress=False, **options)


@st.composite
def tokenizers(draw: st.DrawFn) -> bytemill.Tokenizer:
    """Any family, any stages, any special tokens."""
    return trained(
        draw(st.sampled_from([bytemill.Char, bytemill.Word])),
        draw(corpora),
        {},
        special_tokens=draw(st.lists(st.sampled_from(SPECIALS), max_size=4)),
        normalizer=draw(st.sampled_from(NORMALIZERS)),
        pretokenizer=draw(st.sampled_from(PRETOKENIZERS + REWRITING)),
    )


@st.composite
def chunks(draw: st.DrawFn, of: st.SearchStrategy[str] = texts) -> list[str]:
    """A text in parts, some of them empty."""
    text = draw(of)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
