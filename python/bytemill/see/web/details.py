"""What the page tells of one token: its merges, its rivals, the stages of its text, its syntax."""

from __future__ import annotations

import dataclasses
import math
import warnings
from typing import TYPE_CHECKING, Any

from ...errors import BytemillError, UnknownLanguage
from ...results.visible import text_of, visible
from .tokens import well_formed

if TYPE_CHECKING:
    from ...results.explanation import ExplainedPiece
    from ...tokenizer import Tokenizer

#: Symbols of a piece whose merges are shown step by step.
LONGEST = 200
#: Rows of a Unigram model that are shown.
RIVALS = 8
#: Pieces that the stages list.
PIECES = 400


def merges(tok: Tokenizer, text: str, place: int, specials: Any) -> dict[str, Any]:
    """How the piece at a place of the text became tokens; for Unigram the rows that it could have become."""
    text = well_formed(text)
    piece = _piece_at(tok, text, place, specials)
    if piece is None:
        return {"piece": "", "kind": "none"}
    if tok.family == "unigram" and not piece.added:
        return rivals(tok, text, place)
    if len(piece.symbols) > LONGEST:
        return {"piece": visible(piece.text[:LONGEST]), "kind": "long", "symbols": len(piece.symbols)}
    states = [piece.symbols, *piece.states()] if piece.symbols else []
    return {
        "piece": visible(piece.text),
        "kind": "added" if piece.added else "merges" if piece.merges else "tokens",
        "states": [[*map(visible, state)] for state in states],
        "steps": [
            {
                **dataclasses.asdict(step),
                "left": visible(step.left),
                "right": visible(step.right),
                "made": visible(step.made),
            }
            for step in piece.merges
        ],
        "tokens": [[id, visible(token)] for id, token in zip(piece.ids, piece.tokens, strict=True)],
    }


def _piece_at(tok: Tokenizer, text: str, place: int, specials: Any) -> ExplainedPiece | None:
    pieces = tok.explain(text, specials=specials).pieces
    return next((piece for piece in pieces if piece.start <= place < max(piece.end, piece.start + 1)), None)


def rivals(tok: Tokenizer, text: str, place: int) -> dict[str, Any]:
    """The best rows of a Unigram model for the word at a place, with their probabilities."""
    start = max((i + 1 for i in range(place) if text[i].isspace()), default=0)
    end = next((i for i in range(place, len(text)) if text[i].isspace()), len(text))
    word = text[start:end] or text[place : place + 1]
    if len(word) > LONGEST:
        return {"piece": visible(word[:LONGEST]), "kind": "long", "symbols": len(word)}
    total = tok.log_probability(word, specials="none")
    rows = [
        {
            "tokens": [[id, visible(text_of(tok.id_to_bytes(id) or b""))] for id in row.ids],
            "score": row.score,
            "probability": math.exp(min(0.0, row.score - total)),
        }
        for row in tok.nbest(word, RIVALS, specials="none")
    ]
    return {"piece": visible(word), "kind": "rivals", "rows": rows}


def stages(tok: Tokenizer, text: str, specials: Any) -> dict[str, Any]:
    """The text, normalized with the way back, its pieces, its ids."""
    text = well_formed(text)
    normalized, places = tok.normalize_with_offsets(text)
    pieces = tok.explain(text, specials=specials).pieces
    return {
        "changed": normalized != text,
        "normalized": [
            [visible(character), place, visible(text[place : place + 1])]
            for character, place in zip(normalized[:PIECES], places, strict=False)
        ],
        "pieces": [[visible(piece.text), piece.start, piece.end, piece.ids] for piece in pieces[:PIECES]],
        "left_out": max(0, len(pieces) - PIECES, len(normalized) - PIECES),
    }


def syntax(tok: Tokenizer, text: str, language: str | None, specials: Any) -> dict[str, Any]:
    """Source code with the kind of each token."""
    from ...code import detect_language

    text = well_formed(text)
    known = language or detect_language(text)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UnknownLanguage)
        found = tok.encode_code(text, language=known, specials=specials)
    if told:
        return {"error": str(told[0].message)}
    return {
        "language": known,
        "tokens": [[one.id, visible(one.token), one.kind, one.node, one.line] for one in found[:5_000]],
    }


def chat(tok: Tokenizer, messages: list[dict[str, str]], prompt: bool) -> dict[str, Any]:
    """A chat by the model's template, token by token, with what the assistant says marked."""
    try:
        cleaned = [{"role": one["role"], "content": well_formed(one["content"])} for one in messages]
        found = tok.encode_chat(cleaned, add_generation_prompt=prompt)
    except (BytemillError, ImportError, KeyError) as error:
        return {"error": str(error)}
    special = {*tok.special_tokens.values(), *tok.added_tokens.values()}
    rows = zip(found.ids, found.assistant_mask, strict=True)
    return {
        "count": len(found.ids),
        "tokens": [[id, visible(text_of(tok.id_to_bytes(id) or b"")), int(id in special), said] for id, said in rows],
    }
