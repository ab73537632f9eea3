"""The rows of `benchmarks.toml`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomllib

from .corpora import documents

FILE = Path(__file__).with_name("benchmarks.toml")

OPERATIONS = {
    "encode_strings": "Python strings to ids, in whatever form the engine hands them over fastest",
    "encode_lists": "Python strings to Python lists of ids",
    "encode_offsets": "Python strings to encodings with ids and offsets, in their template",
    "encode_truncated": "Python strings to encodings of at most 128 ids, in their template",
    "encode_file": "a text file to ids in memory, read by the engine itself",
    "write_file": "a file to a file of ids",
    "decode": "lists of ids to strings",
    "decode_calls": "one call for each list of ids",
    "train": "a text to a vocabulary",
    "load": "a tokenizer file to a tokenizer that is ready to encode",
    "small_calls": "one call for each short string",
    "special_calls": "one call for each short string, with a set of special tokens to find in it",
    "memory": "growth of the process over many calls with words never seen before",
    "count_pieces": "a text file to the count of each of its pieces",
    "count_words": "words that are all different to their counts, in a given memory; not timed",
    "code_pieces": "a source file to its pieces, each with its kind, place, node and depth",
    "scan": "finding the boundaries of pieces, without looking them up",
}


@dataclass(frozen=True)
class Target:
    """A bound on one column of our result, and the wish in words. Reported; no run fails by it.

    With `against` the bound is on how many times as good ours is as the best of these engines, where seconds, loading
    and memory are better if they are less; of those that gave the oracle's answer, unless `any_answer`. With `of` it is
    on our result by our result in that row. `engine` is whose result counts as ours: bytemill, or one of its stand-ins.
    """

    measure: str
    words: str
    min: float | None = None
    max: float | None = None
    against: list[str] = field(default_factory=list)
    any_answer: bool = False
    of: str | None = None
    engine: str = "bytemill"

    def met(self, value: float) -> bool:
        return (self.min is None or value >= self.min) and (self.max is None or value <= self.max)


@dataclass(frozen=True)
class Row:
    name: str
    group: str
    about: str
    operation: str
    engines: list[str]
    corpus: list[str]
    model: str | None = None
    documents: str = "lines"
    #: Whose ids are right; None where there are no ids.
    oracle: str | None = None
    #: The engines for which `–` is a failure of `--check`.
    required: list[str] = field(default_factory=lambda: ["bytemill"])
    #: 1 or "all", each measured by itself; a check and the target look at the first.
    threads: list[int | str] = field(default_factory=lambda: [1])
    #: The engines that are so slow that one pass in each of a few processes has to do.
    once: list[str] = field(default_factory=list)
    #: Fresh processes for each engine, and passes in each of them: the first is cold, the others are warm.
    repeats: int = 5
    passes: int = 4
    #: For files: the corpus is repeated up to this size.
    size_mb: int | None = None
    #: For `write_file`: a file of records is made of the documents, `jsonl.zst` or `parquet`.
    records: str | None = None
    #: No more of the corpus than this.
    most_mb: int | None = None
    #: No more documents than this, and no two of them equal.
    distinct: int | None = None
    #: For `memory` and `count_words`.
    calls: int = 1_000_000
    #: For `count_pieces` and `count_words`: the fields of `engines.CountSpec`.
    count: dict[str, Any] | None = None
    #: For `code_pieces`.
    language: str = ""
    #: For `train`: the fields of `engines.TrainSpec`.
    train: dict[str, Any] | None = None
    targets: list[Target] = field(default_factory=list)

    def check(self, models: dict[str, Any]) -> None:
        """Refuses a row that no run could make sense of."""
        if self.operation not in OPERATIONS:
            raise ValueError(f"row {self.name}: no operation {self.operation!r}")
        if self.model is not None and self.model not in models:
            raise ValueError(f"row {self.name}: no model {self.model!r}")
        if (self.operation == "train") != (self.train is not None):
            raise ValueError(f"row {self.name}: train = {{…}} goes with operation = 'train'")
        if self.records is not None and self.operation != "write_file":
            raise ValueError(f"row {self.name}: records = '…' goes with operation = 'write_file'")
        if self.operation.startswith("count_") != (self.count is not None):
            raise ValueError(f"row {self.name}: count = {{…}} goes with operation = 'count_…'")
        against = [engine for target in self.targets for engine in (*target.against, target.engine)]
        for engine in [*self.required, *self.once, *against, *([self.oracle] if self.oracle else [])]:
            if engine not in self.engines:
                raise ValueError(f"row {self.name}: {engine} is not among its engines")
        documents("", self.documents)


@dataclass(frozen=True)
class Group:
    title: str
    about: str


@dataclass(frozen=True)
class Benchmarks:
    groups: dict[str, Group]
    #: For each name either a path for each format, or a recipe: see `models.py`.
    models: dict[str, dict[str, Any]]
    rows: list[Row]


def read_benchmarks(folded: bool = False) -> Benchmarks:
    """`folded`: a grid has one row a model, on all of its texts one after the other, which is enough for a check."""
    data = tomllib.loads(FILE.read_text(encoding="utf-8"))
    groups = {name: Group(**group) for name, group in data["groups"].items()}
    grids = [row for grid in data["grid"] for row in _grid(grid, data["corpora"], folded)]
    rows = [_row(row) for row in [*data["row"], *grids]]
    for row in rows:
        row.check(data["models"])
        if row.group not in groups:
            raise ValueError(f"row {row.name}: no group {row.group!r}")
    return Benchmarks(groups, data["models"], rows)


def _grid(grid: dict[str, Any], corpora: dict[str, Any], folded: bool) -> Iterator[dict[str, Any]]:
    """A row for each model and corpus; name and words have `{model}`, `{corpus}` and `{text}`, the corpus in words."""
    models, names = grid.pop("models"), grid.pop("corpora")
    chosen = {name: corpora[name] for name in names}
    if folded:
        files = [file for corpus in chosen.values() for file in corpus["files"]]
        chosen = {"all": {"text": "all of its texts", "files": files}}
    for model in models:
        for name, corpus in chosen.items():
            words = {"model": model, "corpus": name, "text": corpus["text"]}
            filled = {key: grid[key].format(**words) for key in ("name", "about")}
            yield {**grid, **filled, "model": model, "corpus": corpus["files"]}


def _row(data: dict[str, Any]) -> Row:
    target = data.pop("target", [])
    targets = [Target(**one) for one in (target if isinstance(target, list) else [target])]
    return Row(**data, targets=targets)
