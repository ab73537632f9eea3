"""GPT-2's spelling of bytes as printable characters, and its splitting."""

from __future__ import annotations

#: tiktoken's `r50k_base` pattern.
PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"


def _alphabet() -> dict[str, int]:
    """Printable Latin-1 stands for itself; the other bytes, in order, for the characters from U+0100 on."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    moved = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(0x100 + n): byte for n, byte in enumerate(moved)}


BYTES = _alphabet()


def bytes_of(token: str) -> bytes:
    """The bytes that a byte-level token stands for."""
    return bytes(BYTES[character] for character in token)
