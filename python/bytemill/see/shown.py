"""`Tokenizer.show`: a text in tokens, in colour where that can be shown."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from ..results.visible import text_of, visible
from .page import chips, embedded

if TYPE_CHECKING:
    from .._arguments.types import Specials
    from ..tokenizer import Tokenizer

#: Tokens that are shown.
MOST = 2_000


@dataclasses.dataclass(frozen=True)
class Shown:
    """A text in tokens. A notebook shows it in colour, and elsewhere tokens stand in brackets."""

    ids: list[int]
    tokens: list[str]
    #: The size of the text in UTF-8.
    bytes: int

    def __repr__(self) -> str:
        return "".join(f"[{visible(token)}]" for token in self.tokens[:MOST]) + f"\n{self._about()}"

    def _repr_html_(self) -> str:
        notes = [f"id {id}" for id in self.ids[:MOST]]
        return embedded(f"<p>{chips(self.tokens[:MOST], notes)}</p><p class='soft'>{self._about()}</p>")

    def _about(self) -> str:
        count = f"{len(self.ids):,} token" + "s" * (len(self.ids) != 1)
        ratio = f", {self.bytes / len(self.ids):.2f} bytes/token" if self.ids else ""
        more = f"; the first {MOST:,} are shown" if len(self.ids) > MOST else ""
        return f"{count}, {self.bytes:,} bytes{ratio}{more}"


def shown(tok: Tokenizer, text: str, specials: Specials) -> Shown:
    ids = tok.encode(text, specials=specials)
    return Shown(ids, [text_of(tok.id_to_bytes(id) or b"") for id in ids], len(text.encode()))
