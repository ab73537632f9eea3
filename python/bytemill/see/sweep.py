"""`sweep`: one text, vocabularies of many sizes, and which size pays."""

from __future__ import annotations

import dataclasses
import os
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

from .._arguments import checks
from .._arguments.amounts import vocabulary_size
from .._arguments.names import unknown_name
from .._arguments.types import AnyPath, InputFormat
from ..errors import SpecError
from ..tokenizer import Tokenizer
from ..training.counts import count_pieces
from ..training.sentencepiece import Unigram
from ..training.sources import Caller, Source
from ..training.specs import BPE, WordPiece
from ..training.trainer import CorpusTooSmall, train
from .measures import ratio
from .tables import text_table
from .texts import Batch, read_texts

FAMILIES: dict[str, Any] = {"bpe": BPE, "wordpiece": WordPiece, "unigram": Unigram}
#: Every tenth document is held out, unless the caller gives texts for that.
HELD_OUT = 10
#: A larger vocabulary pays while it saves this share of the tokens.
WORTH = 0.03
CALLER = Caller("sweep", "train on", "trained on")


@dataclasses.dataclass(frozen=True)
class SweepRow:
    """A vocabulary of one size.

    Attributes:
        family: The family.
        size: The size that was asked for.
        vocabulary: The size that the text was enough for.
        bytes: The size of the held-out text.
        tokens: The tokens that it became.
        saved: The share of the tokens of the next smaller vocabulary that this one does without; None for the first.
    """

    family: str
    size: int
    vocabulary: int
    bytes: int
    tokens: int
    saved: float | None

    @property
    def bytes_per_token(self) -> float:
        """Bytes of text for each token."""
        return ratio(self.bytes, self.tokens)


@dataclasses.dataclass(frozen=True)
class Sweep:
    """What `sweep` found. Print it for a table; a notebook shows it with a chart.

    Attributes:
        rows: A row for each family and size.
        tokenizers: The tokenizers, by family and size.
    """

    rows: list[SweepRow]
    tokenizers: dict[tuple[str, int], Tokenizer] = dataclasses.field(repr=False)

    def pays(self, family: str) -> int:
        """The largest size that still saves three percent of the tokens, compared with the size before it."""
        sizes = [row for row in self.rows if row.family == family]
        if not sizes:
            raise SpecError(unknown_name("family", family, dict.fromkeys(row.family for row in self.rows)))
        best = sizes[0]
        for row in sizes[1:]:
            if row.saved is None or row.saved < WORTH:
                break
            best = row
        return best.size

    def to_dict(self) -> dict[str, Any]:
        """Everything but the tokenizers as plain data, for JSON."""
        rows = [{**dataclasses.asdict(row), "bytes_per_token": row.bytes_per_token} for row in self.rows]
        return {"rows": rows, "pays": {family: self.pays(family) for family in self._families()}}

    def to_html(self) -> str:
        """A page that needs nothing else: the table and a chart."""
        from .page import page

        return page("Sizes of vocabularies", f"<h1>Sizes of vocabularies</h1>{self._body()}")

    def plot(self, path: AnyPath) -> None:
        """Draws bytes per token against the size into an `.svg`, `.png` or `.pdf` (needs matplotlib)."""
        from .plots import plot_sweep

        plot_sweep(self, os.fspath(path))

    def series(self) -> dict[str, list[tuple[float, float]]]:
        """Size and bytes per token of each family."""
        return {
            family: [(row.vocabulary, row.bytes_per_token) for row in self.rows if row.family == family]
            for family in self._families()
        }

    def _families(self) -> list[str]:
        return [*dict.fromkeys(row.family for row in self.rows)]

    def _cells(self) -> list[list[str]]:
        head = ["family", "vocabulary", "tokens", "bytes/token", "fewer tokens"]
        return [
            head,
            *(
                [
                    row.family,
                    f"{row.vocabulary:,}",
                    f"{row.tokens:,}",
                    f"{row.bytes_per_token:.3f}",
                    "" if row.saved is None else f"{row.saved:.1%}",
                ]
                for row in self.rows
            ),
        ]

    def _advice(self) -> list[str]:
        first = {row.family: row.size for row in reversed(self.rows)}
        return [
            f"{family}: "
            + (
                f"no size above {self.pays(family):,} saves {WORTH:.0%} of the tokens"
                if self.pays(family) == first[family]
                else f"{self.pays(family):,} is the last size that saves {WORTH:.0%} of the tokens"
            )
            for family in self._families()
        ]

    def _body(self) -> str:
        from .charts import lines
        from .page import html_table

        head, *cells = self._cells()
        advice = "".join(f"<p>{line}</p>" for line in self._advice())
        return lines("Bytes per token by size", self.series()) + html_table(head, cells) + advice

    def __str__(self) -> str:
        return text_table(self._cells()) + "\n".join(self._advice())

    def _repr_html_(self) -> str:
        from .page import embedded

        return embedded(self._body())


def sweep(
    source: Source,
    sizes: str | Iterable[int | str],
    *,
    families: Iterable[str] = ("bpe",),
    held_out: Source | None = None,
    special_tokens: Iterable[str] = (),
    input_format: InputFormat | None = None,
    field: str = "text",
    separator: str | None = None,
    errors: str = "strict",
) -> Sweep:
    """Trains vocabularies of many sizes, and measures each on text that it was not trained on.

    BPE is trained once, to the largest size: the smaller vocabularies are its beginnings. For other families the text
    is counted once. Texts are kept in memory.

    Args:
        source: A path, a list of `Path`, or an iterable of `str`, each of which is a document.
        sizes: A range such as `"1k..64k"`, in which each size is twice the one before, or sizes.
        families: Any of `"bpe"`, `"wordpiece"` and `"unigram"`.
        held_out: Texts to measure on. By default every tenth document of the source is held out; of fewer than ten
            documents, every tenth line.
        special_tokens: Special tokens, which count as part of each vocabulary.
        input_format: How to read files, whatever their names.
        field: The field of a record, or the column of a table, that holds the text.
        separator: What stands between the documents of a text file.
        errors: What happens to documents that are none: `"strict"`, `"replace"` or `"skip"`.

    Examples:
        >>> import bytemill
        >>> found = bytemill.sweep(["the cat sat on the mat, the cat ran"] * 20, [257, 260, 264])
        >>> [(row.vocabulary, row.tokens) for row in found.rows]
        [(257, 62), (260, 46), (264, 34)]
    """
    how = {"input_format": input_format, "field": field, "separator": separator, "errors": errors}
    learnt = read_texts(source, CALLER, **how)
    others = None if held_out is None else read_texts(held_out, CALLER, **how)
    return sweep_batches(learnt, others, sizes, families, special_tokens)


def sweep_batches(
    learnt: Iterator[Batch],
    held_out: Iterator[Batch] | None,
    sizes: str | Iterable[int | str],
    families: Iterable[str],
    special_tokens: Iterable[str] = (),
) -> Sweep:
    wanted, chosen = size_list(sizes), [*families]
    for family in chosen:
        if family not in FAMILIES:
            raise SpecError(unknown_name("family", family, FAMILIES))
    specials = checks.list_of_texts("special_tokens", special_tokens)
    texts = [text for _, batch in learnt for text in batch]
    if held_out is None:
        texts, measured = split(texts)
    else:
        measured = [text for _, batch in held_out for text in batch]
    if not any(texts) or not any(measured):
        raise SpecError("there is too little text: some to train on and some to measure on are needed; give held_out=")
    rows: list[SweepRow] = []
    made: dict[tuple[str, int], Tokenizer] = {}
    for family in chosen:
        before: int | None = None
        for size, tok in of_family(family, texts, wanted, specials):
            row = measure(family, size, tok, measured, before)
            rows.append(row)
            made[family, size] = tok
            before = row.tokens
    return Sweep(rows, made)


def measure(family: str, size: int, tok: Tokenizer, texts: list[str], before: int | None) -> SweepRow:
    tokens = int(tok.count_batch(texts, specials="none").sum())
    saved = None if not before else 1 - tokens / before
    return SweepRow(family, size, tok.vocab_size, sum(len(text.encode()) for text in texts), tokens, saved)


def of_family(family: str, texts: list[str], sizes: list[int], specials: list[str]) -> Iterator[tuple[int, Tokenizer]]:
    """A tokenizer of each size, as large as the text allows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CorpusTooSmall)  # the table says how large each vocabulary is
        spec = FAMILIES[family]
        if family == "bpe":
            largest = train(texts, spec(max(sizes)), special_tokens=specials, progress=False)
            for size in sizes:
                yield size, largest.truncated(size) if size < largest.vocab_size else largest
            return
        stages = {"spec": spec(max(sizes))} if family == "unigram" else {"pretokenizer": "bert", "normalizer": "bert"}
        counts = count_pieces(texts, special_tokens=specials, progress=False, **stages)
        for size in sizes:
            yield size, train(counts, spec(size), special_tokens=specials, progress=False)


def size_list(sizes: str | Iterable[int | str]) -> list[int]:
    """
    >>> size_list("1k..8k"), size_list("1k..6k"), size_list([300, "2k"])
    ([1000, 2000, 4000, 8000], [1000, 2000, 4000, 6000], [300, 2000])
    """
    if isinstance(sizes, str):
        first, dots, last = sizes.partition("..")
        if not dots:
            raise SpecError(f"{sizes!r} is no range of sizes; write it as in 1k..64k")
        now, end = _size(first), _size(last)
        found = []
        while 0 < now < end:
            found.append(now)
            now *= 2
        found.append(end)
    else:
        found = [_size(size) for size in sizes]
    if not found or found != sorted(set(found)):
        raise SpecError("sizes grow from one to the next, and there is at least one")
    return found


def _size(given: int | str) -> int:
    size = vocabulary_size("sizes", given)
    if not size:
        raise SpecError("a size is at least 1")
    return size


def split(texts: list[str]) -> tuple[list[str], list[str]]:
    """What to train on, and every tenth document, or line of few documents, to measure on."""
    parts = texts if len(texts) >= HELD_OUT else [line for text in texts for line in text.splitlines(keepends=True)]
    learnt = [text for number, text in enumerate(parts) if number % HELD_OUT != HELD_OUT - 1]
    return learnt, parts[HELD_OUT - 1 :: HELD_OUT]
