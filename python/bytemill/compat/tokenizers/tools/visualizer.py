"""EncodingVisualizer: the tokens of a text, and what somebody has noted about it, as HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from html import escape
from itertools import groupby
from typing import Any, NamedTuple

from .._encoding import Encoding
from .._tokenizer import Tokenizer

_STYLES = """
.tokenized-text { padding: 2rem; line-height: 3rem; font-family: monospace; }
.token, .non-token { white-space: pre; color: black; }
.even-token { background: #dcdcdc; }
.odd-token { background: #a0a0a0; }
.multi-token { background: #ffb6c1; }
.special-token:empty::before { content: attr(data-stok); background: #202020; color: white; margin: 0 0.25rem; }
.annotation { position: relative; border-bottom: 2px solid currentColor; }
.annotation::after { content: attr(data-label); position: absolute; top: 1.5rem; left: 0; font-size: 0.75rem; }
"""


class Annotation:
    """A label for a stretch of a text."""

    def __init__(self, start: int, end: int, label: str) -> None:
        self.start = start
        self.end = end
        self.label = label


class CharStateKey(NamedTuple):
    """What tells the stretches of a text apart."""

    token_ix: int | None
    anno_ix: int | None


class CharState:
    """A character, with its tokens and its annotation."""

    def __init__(self, char_ix: int) -> None:
        self.char_ix = char_ix
        self.anno_ix: int | None = None
        self.tokens: list[int] = []

    @property
    def token_ix(self) -> int | None:
        return self.tokens[0] if self.tokens else None

    @property
    def is_multitoken(self) -> bool:
        return len(self.tokens) > 1

    def partition_key(self) -> CharStateKey:
        return CharStateKey(token_ix=self.token_ix, anno_ix=self.anno_ix)


class EncodingVisualizer:
    """Shows the tokens of texts, in a notebook or as HTML."""

    unk_token_regex = re.compile("(.{1}\b)?(unk|oov)(\b.{1})?", flags=re.IGNORECASE)

    def __init__(
        self,
        tokenizer: Tokenizer,
        default_to_notebook: bool = True,
        annotation_converter: Callable[[Any], Annotation] | None = None,
    ) -> None:
        if default_to_notebook:
            _notebook()
        self.tokenizer = tokenizer
        self.default_to_notebook = default_to_notebook
        self.annotation_coverter = annotation_converter

    def __call__(
        self, text: str, annotations: list[Any] | None = None, default_to_notebook: bool | None = None
    ) -> str | None:
        """Shows a text in a notebook, or returns its HTML."""
        convert = self.annotation_coverter or (lambda annotation: annotation)
        html = _html(text, self.tokenizer.encode(text), [convert(annotation) for annotation in annotations or []])
        in_notebook = self.default_to_notebook if default_to_notebook is None else default_to_notebook
        if not in_notebook:
            return html
        show, wrap = _notebook()
        show(wrap(html))
        return None

    @staticmethod
    def calculate_label_colors(annotations: Iterable[Annotation]) -> dict[str, str]:
        """Returns a color for every label, as far from one another as they can be."""
        labels = sorted({annotation.label for annotation in annotations})
        return {label: f"hsl({round(360 * at / len(labels))},70%,40%)" for at, label in enumerate(labels)}

    @staticmethod
    def consecutive_chars_to_html(consecutive_chars_list: list[CharState], text: str, encoding: Encoding) -> str:
        """Returns the HTML of characters that follow one another and are of the same token."""
        first = consecutive_chars_list[0]
        shown = escape(text[first.char_ix : consecutive_chars_list[-1].char_ix + 1])
        if first.token_ix is None:
            return f'<span class="non-token">{shown}</span>'
        classes = ["token", "odd-token" if first.token_ix % 2 else "even-token"]
        if first.is_multitoken:
            classes.append("multi-token")
        token = encoding.tokens[first.token_ix]
        data = ""
        if EncodingVisualizer.unk_token_regex.search(token):
            classes.append("special-token")
            data = f' data-stok="{escape(token)}"'
        return f'<span class="{" ".join(classes)}"{data}>{shown}</span>'


def _notebook() -> tuple[Any, Any]:
    try:
        from IPython.display import HTML, display  # type: ignore[import-not-found]
    except ImportError:
        raise ImportError(
            "IPython is not there to show HTML with: pass default_to_notebook=False, which returns it"
        ) from None
    return display, HTML


def _html(text: str, encoding: Encoding, annotations: list[Annotation]) -> str:
    colors = EncodingVisualizer.calculate_label_colors(annotations)
    parts = []
    for noted, states in groupby(_states(text, encoding, annotations), key=lambda state: state.anno_ix):
        spans = "".join(
            EncodingVisualizer.consecutive_chars_to_html(list(stretch), text, encoding)
            for _, stretch in groupby(states, key=CharState.partition_key)
        )
        if noted is not None:
            label = annotations[noted].label
            spans = (
                f'<span class="annotation" style="color:{colors[label]}" data-label="{escape(label)}">{spans}</span>'
            )
        parts.append(spans)
    body = f'<div class="tokenized-text" dir="auto">{"".join(parts)}</div>'
    return f"<html><head><style>{_STYLES}</style></head><body>{body}</body></html>"


def _states(text: str, encoding: Encoding, annotations: list[Annotation]) -> list[CharState]:
    states = [CharState(at) for at in range(len(text))]
    for number, (start, end) in enumerate(encoding.offsets):
        for state in states[start:end]:
            state.tokens.append(number)
    for number, annotation in enumerate(annotations):
        for state in states[annotation.start : annotation.end]:
            state.anno_ix = number
    return states
