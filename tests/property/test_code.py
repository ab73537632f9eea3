"""Code: nothing is lost of any bytes, in any language, with any markers."""

from __future__ import annotations

import functools
import warnings
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

import bytemill
from bytemill import code
from bytemill.pretokenizers import Marker
from tests.property.strategies import texts

FRAGMENTS = [
    "def f(x):\n",
    "    ",
    "\t",
    "\n",
    "\r\n",
    '"""',
    "'",
    "#",
    "/*",
    "*/",
    "//",
    "{",
    "}",
    "(",
    ")",
    "é",
    "名",
]
FRAGMENTS += [
    "return ",
    "x_y",
    "fooBar",
    " = ",
    "1.5",
    "<a>",
    "</a>",
    "`",
    "${",
    "\\",
    "\x00",
    "if",
    ":\n",
    "b'",
    "f'{",
    "<0x41>",
]

sources = st.one_of(
    st.binary(max_size=40),
    texts.map(str.encode),
    st.lists(st.sampled_from(FRAGMENTS), max_size=24).map("".join).map(str.encode),
    st.lists(st.one_of(st.sampled_from(FRAGMENTS).map(str.encode), st.binary(max_size=3)), max_size=16).map(b"".join),
)
languages = st.sampled_from([None, *code.LANGUAGES])


@given(sources, languages)
def test_pieces_are_the_source(source: bytes, language: str | None) -> None:
    pieces = code.code_pieces(source, language)
    assert b"".join(piece.text for piece in pieces) == source
    assert all(piece.text for piece in pieces)
    lines = source.replace(b"\r\n", b"\n\n").replace(b"\r", b"\n")
    for piece in pieces:
        line_start = lines.rfind(b"\n", 0, piece.start) + 1
        if source[piece.start - 1 : piece.start + 1] != b"\r\n":
            assert piece.column == piece.start - line_start


@functools.cache
def tokenizer(language: str | None, markers: tuple[Marker, ...], by_unigram: bool) -> bytemill.Tokenizer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        how = bytemill.Code(language, markers=markers)
        spec = bytemill.Unigram(vocab_size=3000, byte_fallback=True) if by_unigram else bytemill.BPE(vocab_size=2000)
        return bytemill.train(FRAGMENTS * 2, spec, pretokenizer=how, progress=False)


markers = st.sampled_from([(), get_args(Marker), ("indent", "dedent"), ("newline", "str")])


@given(sources, languages, languages, markers, st.booleans())
def test_decoding_gives_any_bytes_back(
    source: bytes, trained_for: str | None, language: str | None, markers: tuple[Marker, ...], by_unigram: bool
) -> None:
    tok = tokenizer(trained_for, markers, by_unigram)
    found = tok.encode_code(source, language=language)
    assert tok.decode_bytes(found.ids) == source
    done = 0
    for start, end in zip(found.starts, found.ends, strict=True):
        # Tokens that share a character each have all of it.
        assert start <= done and start <= end
        done = max(done, end)
    assert done == len(source)
    try:
        text = source.decode()
    except UnicodeDecodeError:
        return
    assert tok.decode(tok.encode(text)) == text
