"""One notation for what cannot be seen: spaces, line ends, controls, and bytes that are part of a character."""

from __future__ import annotations

import codecs

#: Controls show as pictures, and those that reorder text or drive a terminal never reach it.
PICTURES: dict[int, str] = {
    **{code: chr(0x2400 + code) for code in range(0x20)},
    **{code: f"<U+{code:04X}>" for code in (*range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))},
    ord("\n"): "⏎",
    ord("\t"): "→",
    ord(" "): "·",
}
#: Between tokens, white space does what it does.
BETWEEN = {code: picture for code, picture in PICTURES.items() if chr(code) not in " \t\n"}


def visible(text: str) -> str:
    """
    >>> visible(" a\\tb\\n")
    '·a→b⏎'
    """
    return text.translate(PICTURES)


def text_of(token: bytes) -> str:
    """A token as text; a byte that is only part of a character is written as its number.

    >>> text_of("€".encode()), text_of("a€".encode()[:3])
    ('€', 'a<0xE2><0x82>')
    """
    return token.decode("utf-8", "bytemill-hex")


def _hex(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "".join(f"<0x{byte:02X}>" for byte in error.object[error.start : error.end]), error.end


codecs.register_error("bytemill-hex", _hex)
