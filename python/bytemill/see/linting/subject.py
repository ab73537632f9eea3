"""The tokenizer under lint: what the checks ask of it, looked up once."""

from __future__ import annotations

import json
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from ...results.visible import text_of, visible

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer

#: The bytes that UTF-8 has.
IN_TEXTS = [byte for byte in range(256) if byte not in (0xC0, 0xC1) and byte < 0xF5]


class Subject:
    """A tokenizer with its definition and its ordinary tokens."""

    def __init__(self, tok: Tokenizer) -> None:
        self.tok = tok
        self.definition: dict[str, Any] = json.loads(tok.definition())

    @cached_property
    def symbols(self) -> dict[str, Any]:
        """What BPE merges; without a word about it, bytes."""
        return {
            "unit": "bytes",
            "prefix": "",
            "suffix": "",
            "byte_fallback": False,
            **self.definition.get("symbols", {}),
        }

    @cached_property
    def apart(self) -> set[int]:
        """Ids that the model does not make of text: added tokens, the unknown token, those of roles, reserved ids."""
        pieces = self.definition.get("sentencepiece") or {}
        others = [self.definition.get("unk"), *pieces.get("reserved", ()), *pieces.get("unused", ())]
        others += [getattr(self.tok, f"{role}_id") for role in ("pad", "unk", "bos", "eos", "cls", "sep", "mask")]
        kept = {*self.tok.added_tokens.values(), *(id for id in others if id is not None)}
        # SentencePiece reserves the ids of bytes, too, and text does become bytes.
        return {id for id in kept if self.byte_of(self.tok.id_to_bytes(id) or b"") is None}

    @cached_property
    def ordinary(self) -> dict[int, bytes]:
        """The tokens that text is made of."""
        return {id: token for token, id in self.tok.vocab_bytes().items() if id not in self.apart}

    def shown(self, id: int) -> str:
        """A token as findings name it."""
        return f"{visible(text_of(self.tok.id_to_bytes(id) or b''))!r} {id}".replace("'", '"', 2)

    def has_stand_ins(self, token: bytes) -> bool:
        """Whether a token holds others that stand for text which they do not spell: bytes, or the unknown token."""
        unk = self.definition.get("unk")
        if self.tok.family == "bpe" and unk is not None and (self.tok.id_to_bytes(unk) or token) in token:
            return True
        return bool(self.symbols["byte_fallback"]) and b"<0x" in token

    @cached_property
    def leaves_out(self) -> bool:
        """Whether BPE leaves out characters or bytes that it does not know: what stands around them is then merged."""
        if self.tok.family != "bpe" or self.definition.get("unk") is not None:
            return False
        known = self.tok.vocab_bytes()
        if self.symbols["unit"] == "characters":
            return not self.symbols["byte_fallback"] or any(b"<0x%02X>" % byte not in known for byte in range(256))
        prefixes, suffixes = ({b"", self.symbols[mark].encode()} for mark in ("prefix", "suffix"))
        marked = product(prefixes, IN_TEXTS, suffixes)
        return any(prefix + bytes([byte]) + suffix not in known for prefix, byte, suffix in marked)

    def byte_of(self, token: bytes) -> int | None:
        """The byte that a token such as `<0x41>` stands for, where unknown characters become bytes."""
        if self.symbols["byte_fallback"] and len(token) == 6 and token[:3] == b"<0x" and token[5:] == b">":
            try:
                return int(token[3:5], 16)
            except ValueError:
                return None
        return None
