"""`compare`: several tokenizers on the same texts."""

from __future__ import annotations

import dataclasses
import itertools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._arguments import checks
from .._arguments.types import AnyPath, InputFormat
from ..errors import SpecError
from ..training.sources import Caller, Source
from .differences import FIRST, Difference, Overlap, differing, overlap, token_texts
from .measures import Amount, Counting, Measures, Placed
from .texts import Batch, read_texts

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

#: The measures of a tokenizer that are computed from its counts.
COMPUTED = (
    "bytes_per_token",
    "tokens_per_word",
    "tokens_per_character",
    "words_whole",
    "vocabulary_used",
    "tokens_per_second",
)


@dataclasses.dataclass(frozen=True)
class Comparison:
    """What `compare` found. Print it for tables; a notebook shows it with charts.

    Attributes:
        tokenizers: The measures of each tokenizer.
        by_file: For each file, bytes and tokens for each tokenizer.
        by_script: The same for each script in the texts, the one with most bytes first.
        overlaps: What each two vocabularies share.
        differences: For each tokenizer but the first, by its name, where it first cuts a text in other places than
            the first does.
    """

    tokenizers: list[Measures]
    by_file: dict[str, list[Amount]]
    by_script: dict[str, list[Amount]]
    overlaps: list[Overlap]
    differences: dict[str, list[Difference]]

    @property
    def names(self) -> list[str]:
        """The names of the tokenizers."""
        return [measures.name for measures in self.tokenizers]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""

        def amounts(rows: dict[str, list[Amount]]) -> dict[str, Any]:
            return {
                name: [{**dataclasses.asdict(one), "bytes_per_token": one.bytes_per_token} for one in row]
                for name, row in rows.items()
            }

        return {
            "tokenizers": [
                {**dataclasses.asdict(one), **{name: getattr(one, name) for name in COMPUTED}}
                for one in self.tokenizers
            ],
            "by_file": amounts(self.by_file),
            "by_script": amounts(self.by_script),
            "overlaps": [dataclasses.asdict(one) for one in self.overlaps],
            "differences": {name: [dataclasses.asdict(one) for one in rows] for name, rows in self.differences.items()},
        }

    def to_html(self) -> str:
        """A page that needs nothing else: tables and charts."""
        from .comparison_page import comparison_page

        return comparison_page(self)

    def plot(self, path: AnyPath) -> None:
        """Draws bytes per token, words kept whole and scripts into an `.svg`, `.png` or `.pdf` (needs matplotlib)."""
        from .plots import plot_comparison

        plot_comparison(self, os.fspath(path))

    def __str__(self) -> str:
        from .comparison_tables import comparison_text

        return comparison_text(self)

    def _repr_html_(self) -> str:
        from .comparison_page import comparison_body

        return comparison_body(self)


def compare(
    tokenizers: Mapping[str, Tokenizer | AnyPath] | Iterable[Tokenizer | AnyPath],
    on: Source,
    *,
    input_format: InputFormat | None = None,
    field: str = "text",
    separator: str | None = None,
    errors: str = "strict",
) -> Comparison:
    """Compares tokenizers on texts: how many tokens they need, for which scripts and files, and where they differ.

    Texts are plain text: special tokens that are written in them are not looked for, and no template is added.

    Args:
        tokenizers: Tokenizers, or files and names of tokenizers; a mapping gives them names.
        on: A path, a list of `Path`, or an iterable of `str`, each of which is a document.
        input_format: How to read files, whatever their names.
        field: The field of a record, or the column of a table, that holds the text.
        separator: What stands between the documents of a text file.
        errors: What happens to documents that are none: `"strict"`, `"replace"` or `"skip"`.

    Examples:
        >>> import bytemill
        >>> text = ["the cat sat on the mat, the cat ran"]
        >>> small, large = (bytemill.train(text, bytemill.BPE(size), progress=False) for size in (257, 262))
        >>> found = bytemill.compare({"small": small, "large": large}, on=text)
        >>> [(row.name, row.tokens, row.words_whole) for row in found.tokenizers]
        [('small', 31, 0.0), ('large', 19, 0.5555555555555556)]
    """
    caller = Caller("compare", "compare on", "compared on")
    how = {"input_format": input_format, "field": field, "separator": separator, "errors": errors}
    return compare_batches(named_tokenizers(tokenizers), read_texts(on, caller, **how))


def named_tokenizers(given: Mapping[str, Tokenizer | AnyPath] | Iterable[Tokenizer | AnyPath]) -> dict[str, Tokenizer]:
    """Tokenizers with names, loaded where a path or a name was given. Equal names are told apart by a number."""
    from ..loading import load
    from ..tokenizer import Tokenizer

    if isinstance(given, (Tokenizer, str, os.PathLike)):
        raise TypeError("tokenizers is a list or a mapping of several tokenizers; write [tok] for one")
    pairs: Iterable[tuple[str | None, Any]]
    pairs = given.items() if isinstance(given, Mapping) else ((None, one) for one in given)
    found: dict[str, Tokenizer] = {}
    for name, one in pairs:
        if not isinstance(one, (Tokenizer, str, os.PathLike)):
            raise TypeError(f"a tokenizer is a Tokenizer, a path or a name, not {type(one).__name__}")
        tok = one if isinstance(one, Tokenizer) else load(one)
        if name is not None:
            checks.text("name", name)
        label = _label(one) if name is None else name
        numbered = (f"{label} #{number}" for number in itertools.count(2))
        found[next(name for name in itertools.chain([label], numbered) if name not in found)] = tok
    if not found:
        raise SpecError("there is no tokenizer to look at; give at least one")
    return found


def _label(one: Tokenizer | AnyPath) -> str:
    if isinstance(one, (str, os.PathLike)):
        return short_names([os.fspath(one)])[0]
    return f"{one.family} {one.vocab_size:,}"


def short_names(paths: Sequence[str]) -> list[str]:
    """The ends of paths that tell them apart, at least the file and its folder: files are often called tokenizer.json.

    >>> short_names(["models/gpt2/tokenizer.json", "models/t5/tokenizer.json"])
    ['gpt2/tokenizer.json', 't5/tokenizer.json']
    """
    parts = [Path(path).parts for path in paths]
    longest = max(map(len, parts), default=0)
    ends = ([str(Path(*one[-length:])) for one in parts] for length in range(2, longest + 1))
    return next((names for names in ends if len({*names}) == len(names)), [*paths])


def compare_batches(tokenizers: dict[str, Tokenizer], batches: Iterator[Batch]) -> Comparison:
    counting = [Counting(name, tok) for name, tok in tokenizers.items()]
    differences: dict[str, list[Difference]] = {name: [] for name in [*tokenizers][1:]}
    documents: dict[str, int] = {}
    has_text = False
    for file, texts in batches:
        has_text = has_text or any(texts)
        rows = [one.batch(file, texts) for one in counting]
        for name, other in zip(differences, rows[1:], strict=True):
            _note_differences(differences[name], (file, documents.get(file, 0)), texts, (rows[0], other))
        documents[file] = documents.get(file, 0) + len(texts)
    if not has_text:
        raise SpecError("there is no text to compare on: every document is empty, or there is none")
    vocabularies = [(name, token_texts(tok)) for name, tok in tokenizers.items()]
    scripts = sorted(counting[0].by_script, key=lambda name: (-counting[0].by_script[name].bytes, name))
    return Comparison(
        tokenizers=[one.finish() for one in counting],
        by_file={file: [one.by_file[file] for one in counting] for file in documents},
        by_script={script: [one.by_script[script] for one in counting] for script in scripts},
        overlaps=[overlap(left, right) for left, right in itertools.combinations(vocabularies, 2)],
        differences=differences,
    )


def _note_differences(
    found: list[Difference], place: tuple[str, int], texts: list[str], rows: tuple[list[Placed], list[Placed]]
) -> None:
    file, first = place
    for number, (text, left, right) in enumerate(zip(texts, *rows, strict=True), first):
        if len(found) >= FIRST:
            return
        for start, ours, theirs in itertools.islice(differing(text, left, right), FIRST - len(found)):
            found.append(Difference(file, number, start, ours, theirs))
