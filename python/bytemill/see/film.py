"""Merges as a film: a page that steps through them, in the order of encoding or of training."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..results.visible import visible
from .page import HERE, chips, embedded, page

if TYPE_CHECKING:
    from ..results.explanation import ExplainedPiece, Explanation

#: Pieces, and merges of each, that a notebook shows.
PIECES, STEPS = 40, 12

CONTROLS = """<h1>How a text becomes tokens</h1>
<p><button id="back">Back</button> <button id="play">Play</button> <button id="forward">Forward</button>
<input id="slide" type="range" min="0" value="0" aria-label="Step">
<label>in the order of <select id="order"><option>encoding<option>training</select></label></p>
<p id="count" role="status"></p>
<p id="shown"></p>
<p class="soft">Encoding merges piece by piece, in each the lowest rank first. Training learned the ranks one after
another: in its order, every place in the text where a rank fits is merged in one step.</p>
"""


def film(explanation: Explanation) -> str:
    """The page. Nothing is played for families that merge nothing: their tokens are shown."""
    record = json.dumps([_piece(piece) for piece in explanation.pieces], ensure_ascii=False)
    # In a script of data, nothing may end the script.
    data = record.replace("<", "\\u003c")
    script = (HERE / "film.js").read_text(encoding="utf-8")
    return page("Merges", f'{CONTROLS}<script type="application/json" id="film">{data}</script>', script)


def _piece(piece: ExplainedPiece) -> dict[str, object]:
    return {
        "symbols": [*map(visible, piece.symbols)],
        "merges": [
            [step.rank, visible(step.left), visible(step.right), visible(step.made), step.position]
            for step in piece.merges
        ],
        "tokens": [*map(visible, piece.tokens)],
    }


def explanation_body(explanation: Explanation) -> str:
    """For a notebook: each piece with its states, one below the other."""
    parts = [_states(piece) for piece in explanation.pieces[:PIECES]]
    if len(explanation.pieces) > PIECES:
        parts.append(f"<p class='soft'>and {len(explanation.pieces) - PIECES:,} more pieces</p>")
    return embedded("".join(parts))


def _states(piece: ExplainedPiece) -> str:
    rows = []
    if piece.symbols and len(piece.merges) <= STEPS:
        names = ["", *(f"rank {step.rank:,}" for step in piece.merges)]
        rows = [
            f"<tr><td class='soft'>{name}</td><td style='text-align:left'>{chips(state)}</td></tr>"
            for name, state in zip(names, [piece.symbols, *piece.states()], strict=True)
        ]
    ids = [*map(str, piece.ids)]
    rows.append(f"<tr><td class='soft'>tokens</td><td style='text-align:left'>{chips(piece.tokens, ids)}</td></tr>")
    return f"<table class='figures'>{''.join(rows)}</table>"
