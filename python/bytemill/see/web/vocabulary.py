"""The vocabulary, searched by text, bytes, id or script."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...errors import SpecError
from ...results.visible import text_of, visible
from ..scripts import script_of

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer

#: Tokens on a page.
PAGE = 100
MODES = ("text", "bytes", "id", "script")


class Vocabulary:
    """The tokens of a tokenizer, ready to be searched."""

    def __init__(self, tok: Tokenizer) -> None:
        self.tok = tok

    @cached_property
    def tokens(self) -> list[tuple[int, bytes, str]]:
        return [(id, token, text_of(token)) for token, id in self.tok.vocab_bytes().items()]

    @cached_property
    def scripts(self) -> list[set[str]]:
        return [{script for script in map(script_of, text) if script} for _, _, text in self.tokens]

    def search(self, query: str, mode: str, first: int) -> dict[str, Any]:
        found = [*self._matches(query, mode)] if query else [*range(len(self.tokens))]
        special = set(self.tok.special_tokens.values())
        rows = [self.tokens[i] for i in found[first : first + PAGE]]
        return {
            "total": len(found),
            "first": first,
            "page": PAGE,
            "rows": [[id, visible(text) or "∅", token.hex(" "), int(id in special)] for id, token, text in rows],
        }

    def _matches(self, query: str, mode: str) -> list[int]:
        rows = range(len(self.tokens))
        if mode == "text":
            wanted = query.replace("·", " ").casefold()
            # The token itself first, then the shortest.
            found = [i for i in rows if wanted in self.tokens[i][2].casefold()]
            return sorted(found, key=lambda i: (len(self.tokens[i][2]), self.tokens[i][0]))
        if mode == "bytes":
            try:
                data = bytes.fromhex(query.replace("0x", " "))
            except ValueError:
                raise SpecError(f"{query!r} is not bytes in hexadecimal; write them as in e2 82 ac") from None
            return [i for i in rows if data in self.tokens[i][1]]
        if mode == "id":
            return [i for i in rows if str(self.tokens[i][0]).startswith(query.strip())]
        if mode == "script":
            return [i for i in rows if any(query.casefold() in script.casefold() for script in self.scripts[i])]
        raise SpecError(f"vocabularies are searched by {', '.join(MODES)}, not by {mode!r}")
