"""What a tokenizer is: its family, stages and special tokens, and the tokens that tell most about it."""

from __future__ import annotations

import heapq
import json
from typing import TYPE_CHECKING, Any

from ..results.html import FIRST, listed
from ..results.visible import text_of, visible

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

LONGEST = 60  # characters of a setting
WIDTH = 100  # characters of a row of tokens


def describe(tok: Tokenizer) -> dict[str, Any]:
    definition = json.loads(tok.definition())
    special = set(tok.special_tokens.values())
    tokens = [(id, data) for id in range(tok.vocab_size) if id not in special and (data := tok.id_to_bytes(id))]
    longest = heapq.nlargest(FIRST, tokens, key=lambda item: (len(item[1]), -item[0]))
    return {
        "family": tok.family,
        "vocab_size": tok.vocab_size,
        "special_tokens": tok.special_tokens,
        "normalizer": without_tables(definition.get("normalizer")),
        "pretokenizer": without_tables(definition.get("pretokenizer")),
        "fingerprint": tok.fingerprint,
        "longest_tokens": {text_of(data): id for id, data in longest},
        "latest_tokens": {text_of(data): id for id, data in reversed(tokens[-FIRST:])},
    }


def card(facts: dict[str, Any]) -> str:
    rows = {
        "family": facts["family"],
        "vocabulary": f"{facts['vocab_size']:,} tokens",
        "special tokens": listed([f"{token} {id}" for token, id in facts["special_tokens"].items()], "  "),
        "normalizer": stage(facts["normalizer"]),
        "pretokenizer": stage(facts["pretokenizer"]),
        "fingerprint": facts["fingerprint"],
        "longest tokens": fitting(facts["longest_tokens"]),
        "latest tokens": fitting(facts["latest_tokens"]),
    }
    return "".join(f"{name:14}  {value}\n" for name, value in rows.items())


def fitting(tokens: dict[str, int]) -> str:
    """As many as fit into a row, at least one."""
    row = ""
    for token, id in tokens.items():
        shown = f"{shortened(visible(token))} {id}"
        if row and len(row) + len(shown) > WIDTH:
            break
        row += f"  {shown}" if row else shown
    return row or "none"


def without_tables(value: Any) -> Any:
    """A definition for people: a map of characters has hundreds of thousands of them in one string."""
    if isinstance(value, dict):
        return {name: without_tables(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [without_tables(inner) for inner in value]
    return shortened(value) if isinstance(value, str) and len(value) > 1_000 else value


def shortened(value: str) -> str:
    return value if len(value) <= LONGEST else f"{value[:LONGEST]}… ({len(value):,} characters)"


def stage(definition: dict[str, Any] | None) -> str:
    """`nfd, strip_accents` for a sequence of the two; settings follow in brackets."""
    if definition is None:
        return "none"
    if definition["type"] == "sequence":
        return ", ".join(map(stage, definition["steps"]))
    settings = ", ".join(
        f"{name}={shortened(json.dumps(value))}" for name, value in definition.items() if name != "type"
    )
    return f"{definition['type']}({settings})" if settings else str(definition["type"])
