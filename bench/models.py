"""Models: files of the shared folder, or files made by a recipe so that every engine gets the same one.

A model is a path for each format that it exists in:

    json, tiktoken, spm = "…"   files of the shared folder, unpacked if they are .gz
    recipe = "train"            a tokenizer.json by `tokenizers`: family, vocab_size, pretokenizer, corpus
    recipe = "synthetic"        a word-level tokenizer.json of `vocab_size` made-up words
    mill = true                 with any of them: a .mill as well, written by bytemill
    first = "spm"               the format that engines take if they read it, and not the one they read best
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

from .corpora import CACHE, SHARED, key, plain_file, read, write

#: Formats by their key in the data.
FORMATS = ("json", "tiktoken", "spm")
#: Vocabularies of a check: small enough to be made in a moment.
CHECK_VOCAB = 2000

#: Runs a worker's job and gives its result; `processes.run_job`.
RunJob = Callable[[dict[str, Any]], dict[str, Any]]


class CannotBuild(Exception):
    """A recipe did not work; the status and the message are those of the worker that tried."""

    def __init__(self, engine: str, result: dict[str, Any]) -> None:
        super().__init__(f"{engine} could not make the model: {result['note']}")
        self.engine = engine
        self.status: str = result["status"]


def model_files(recipe: dict[str, Any], limit: int | None, run_job: RunJob) -> dict[str, str]:
    """The files of a model, made if they are not there. `limit` bounds the training text of a check."""
    kind = recipe.get("recipe")
    if kind == "train":
        files = {"json": _trained(recipe, limit, run_job)}
    elif kind == "synthetic":
        files = {"json": _synthetic(recipe["vocab_size"] if limit is None else CHECK_VOCAB)}
    else:
        files = {format: _shared(recipe[format]) for format in FORMATS if format in recipe}
    if recipe.get("mill"):
        files["mill"] = _mill(files, run_job)
    named = {format: str(path) for format, path in files.items()}
    return {**named, "first": recipe["first"]} if "first" in recipe else named


def _shared(name: str) -> Path:
    path = SHARED / name
    if path.suffix != ".gz":
        return path
    data = read(path)
    # Under its own name, by which the pattern of a .tiktoken file is known.
    unpacked = CACHE / f"model-{key(data)}" / path.stem
    return unpacked if unpacked.exists() else write(unpacked, data)


def _trained(recipe: dict[str, Any], limit: int | None, run_job: RunJob) -> Path:
    corpus = plain_file(recipe["corpus"], limit)
    train = {name: recipe[name] for name in ("family", "vocab_size", "pretokenizer")}
    if limit is not None:
        train["vocab_size"] = CHECK_VOCAB
    path = CACHE / f"model-{key(train, corpus.name, _version('tokenizers'))}" / "tokenizer.json"
    return _built(path, {"engine": "tokenizers", "train": train, "corpus": str(corpus)}, run_job)


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _mill(files: dict[str, Path], run_job: RunJob) -> Path:
    # Made anew every time: the layout may have changed since, and converting is quick.
    path = CACHE / f"model-{key(*(file.read_bytes() for file in files.values()))}.mill"
    path.unlink(missing_ok=True)
    model = {format: str(file) for format, file in files.items()}
    return _built(path, {"engine": "bytemill", "model": model}, run_job)


def _built(path: Path, job: dict[str, Any], run_job: RunJob) -> Path:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        result = run_job({**job, "operation": "build", "output": str(path), "threads": None})
        if result["status"] != "ok":
            raise CannotBuild(job["engine"], result)
    return path


def _synthetic(vocab_size: int) -> Path:
    path = CACHE / f"synthetic-{vocab_size}" / "tokenizer.json"
    if path.exists():
        return path
    words = ["<UNK>", *(made_up_word(number) for number in range(vocab_size - 1))]
    unknown = {
        "id": 0,
        "content": "<UNK>",
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        "normalized": False,
        "special": True,
    }
    tokenizer = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [unknown],
        "normalizer": None,
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "WordLevel",
            "vocab": {word: id for id, word in enumerate(words)},
            "unk_token": "<UNK>",
        },
    }
    return write(path, json.dumps(tokenizer).encode())


def made_up_word(number: int) -> str:
    """A different word for each number: the digits to base 100 as syllables, the last one first.

    >>> made_up_word(0), made_up_word(7), made_up_word(1234)
    ('ba', 'ka', 'tera')
    """
    word = ""
    while True:
        number, digit = divmod(number, 100)
        word += "bcdfghjklmnprstvwxyz"[digit % 20] + "aeiou"[digit // 20]
        if not number:
            return word
