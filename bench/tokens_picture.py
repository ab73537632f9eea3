"""`python -m bench.tokens_picture`: draws one sentence in tokens, with vocabularies of three sizes, for the README."""

from __future__ import annotations

import html
from pydoc_data.topics import topics

import bytemill
from bytemill.results.html import COLOURS

from .corpora import ROOT

PICTURE = ROOT / "docs" / "assets" / "tokens.svg"
SENTENCE = "The iterator returns successive expressions."
SIZES = (300, 1_000, 4_000)
CHARACTER, LINE, GAP, LABEL = 9.2, 30, 2, 18


def main() -> None:
    tok = bytemill.train(topics.values(), bytemill.BPE(max(SIZES)), progress=False)
    rows, y, width = [], 0.0, 0.0
    for size in SIZES:
        tokens = tok.truncated(size).tokenize(SENTENCE)
        width = max(width, len(SENTENCE) * CHARACTER + GAP * len(tokens))
        rows.append(label(y + LABEL - 4, f"{size:,} tokens in the vocabulary: {len(tokens)} tokens"))
        rows.append(boxes(tokens, y + LABEL))
        y += LABEL + LINE + 10
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {y:.0f}" width="{width:.0f}" '
    svg = head + 'role="img" aria-label="A sentence in tokens">'
    PICTURE.write_text("\n".join([svg, *rows, "</svg>\n"]), encoding="utf-8")


def label(y: float, text: str) -> str:
    # A grey that can be read on white and on black.
    return f'<text x="0" y="{y:.0f}" font-family="system-ui, sans-serif" font-size="13" fill="#808890">{text}</text>'


def boxes(tokens: list[str], y: float) -> str:
    """The tokens side by side; each text is stretched to its box, whatever font the reader has."""
    parts, x = [], 0.0
    for number, token in enumerate(tokens):
        width = len(token) * CHARACTER
        colour = COLOURS[number % len(COLOURS)]
        shown = html.escape(token.replace(" ", "\N{MIDDLE DOT}"))
        parts.append(f'<rect x="{x:.1f}" y="{y:.0f}" width="{width:.1f}" height="24" rx="3" fill="{colour}"/>')
        parts.append(
            f'<text x="{x:.1f}" y="{y + 17:.0f}" textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs" '
            f'font-family="ui-monospace, monospace" font-size="15" fill="#1f2328">{shown}</text>'
        )
        x += width + GAP
    return "\n".join(parts)


if __name__ == "__main__":
    main()
