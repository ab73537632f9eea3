"""A comparison as text for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ..results.visible import visible
from .tables import text_table

if TYPE_CHECKING:
    from .comparison import Comparison
    from .differences import Difference
    from .measures import Amount, Measures

#: What the tables show of each tokenizer, in the order of their rows.
ROWS: dict[str, Callable[[Measures], str]] = {
    "vocabulary": lambda one: f"{one.vocabulary:,}",
    "tokens": lambda one: f"{one.tokens:,}",
    "bytes/token": lambda one: f"{one.bytes_per_token:.3f}",
    "tokens/word": lambda one: f"{one.tokens_per_word:.3f}",
    "tokens/character": lambda one: f"{one.tokens_per_character:.3f}",
    "words kept whole": lambda one: f"{one.words_whole:.1%}",
    "unknown": lambda one: f"{one.unknown:,}",
    "vocabulary used": lambda one: f"{one.vocabulary_used:.1%}",
    "Rényi efficiency": lambda one: f"{one.renyi_efficiency:.3f}",
    "tokens/second": lambda one: f"{one.tokens_per_second:,.0f}",
}


def comparison_text(found: Comparison) -> str:
    first = found.tokenizers[0]
    parts = [about(first) + "\n", measure_table(found.tokenizers)]
    if len(found.by_script) > 1:
        parts.append(amount_table("bytes/token by script", found.names, found.by_script))
    if len(found.by_file) > 1:
        parts.append(amount_table("bytes/token by file", found.names, found.by_file))
    if found.overlaps:
        parts.append(overlap_table(found))
    parts += [difference_lines(found.names[0], name, rows) for name, rows in found.differences.items()]
    return "\n".join(parts).rstrip("\n")


def about(one: Measures) -> str:
    """What the texts are."""
    amounts = {"document": one.documents, "byte": one.bytes, "word": one.words}
    return ", ".join(f"{number:,} {noun}" + "s" * (number != 1) for noun, number in amounts.items())


def measure_table(tokenizers: list[Measures]) -> str:
    return text_table(
        [["", *(one.name for one in tokenizers)], *([name, *map(shown, tokenizers)] for name, shown in ROWS.items())]
    )


#: Scripts and files that a terminal shows.
MOST = 20


def amount_table(title: str, names: list[str], rows: dict[str, list[Amount]]) -> str:
    lines = [[name, f"{row[0].bytes:,}", *(f"{one.bytes_per_token:.3f}" for one in row)] for name, row in rows.items()]
    more = f"and {len(lines) - MOST:,} more, left out here\n" if len(lines) > MOST else ""
    return text_table([[title, "bytes", *names], *lines[:MOST]]) + more


def overlap_table(found: Comparison) -> str:
    lines = [[f"{one.left} and {one.right}", f"{one.shared:,}", f"{one.share:.1%}"] for one in found.overlaps]
    return text_table([["tokens in both vocabularies", "tokens", "of either"], *lines])


def difference_lines(left: str, right: str, rows: Iterable[Difference]) -> str:
    lines = [[place(one), brackets(one.left), brackets(one.right)] for one in rows]
    if not lines:
        return f"{left} and {right} cut the texts in the same places\n"
    return text_table([["first differences", left, right], *lines], left=3)


def place(one: Difference) -> str:
    document = f", document {one.document + 1:,}" if one.document else ""
    return f"{one.file}{document}, character {one.start:,}"


#: Parts of a difference that are shown.
SHOWN = 8


def brackets(parts: list[str]) -> str:
    more = " …" if len(parts) > SHOWN else ""
    return "".join(f"[{shortened(visible(part))}]" for part in parts[:SHOWN]) + more


def shortened(text: str) -> str:
    return text if len(text) <= 24 else f"{text[:23]}…"
