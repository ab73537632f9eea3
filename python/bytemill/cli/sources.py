"""Paths of a command line: inputs exist, `-` is standard input, an output can be written and is no input."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from io import BufferedReader
from pathlib import Path
from typing import cast

from .. import _core
from ..errors import BytemillError, SpecError
from ..loading import load
from ..tokenizer import OtherLibrary, Tokenizer
from .console import say

STDIN = Path("-")


def load_tokenizer(path: Path) -> Tokenizer:
    """By its path or its name."""
    return load(path)


def existing(path: Path) -> Path:
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    return path


def check_output(output: Path, sources: Sequence[Path], what: str = "a tokenizer is") -> None:
    """Before the work starts: the folder is there, and the output replaces none of the sources."""
    if str(output) == "-":
        raise SpecError(f"{what} written to a file, not to standard output; give the file a name")
    existing(output.parent)
    if output.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(output))
    if output.exists() and any(source.exists() and output.samefile(source) for source in sources):
        raise SpecError(f"{output} is both a source and the output")


def trial_save(tok: Tokenizer, output: Path, format: str | None = None) -> Tokenizer:
    """Saves under the name of `output` in a folder that goes away, and reads that back."""
    with tempfile.TemporaryDirectory(prefix="bytemill-") as folder:
        trial = Path(folder) / output.name
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", OtherLibrary)  # said when it is saved in earnest
                tok.save(trial, format)
            return reload(tok, trial)
        except BytemillError as error:
            raise type(error)(str(error).replace(str(trial), str(output))) from error


def reload(tok: Tokenizer, path: Path) -> Tokenizer:
    """Reads back what was saved; some formats leave the stages and special tokens to be told."""
    definition = json.loads(tok.definition())
    told = (json.dumps(definition["pretokenizer"]), list(tok.special_tokens.items()))
    match _core.sniff(path):
        case "tiktoken":
            return Tokenizer(_core.read(path, None, *told))
        case "vocab.json":
            normalizer = definition["normalizer"] and json.dumps(definition["normalizer"])
            byte_level = definition.get("symbols", {}).get("unit", "bytes") == "bytes"
            unknown = None if definition["unk"] is None else tok.id_to_token(definition["unk"])
            return Tokenizer(_core.read(path, None, *told, normalizer, byte_level, unknown))
        case _:
            return load(path)


@contextlib.contextmanager
def as_paths(sources: Sequence[Path]) -> Iterator[list[Path]]:
    """The sources as paths that the core can read; standard input becomes a file for as long as it is needed.

    A file, because the core reads files of any size in constant memory.
    """
    wanted = list(sources) or [STDIN]
    for source in wanted:
        if source != STDIN:
            existing(source)
    if STDIN not in wanted:
        yield wanted
        return
    with tempfile.TemporaryDirectory(prefix="bytemill-") as folder:
        spool = Path(folder) / "stdin.txt"
        with spool.open("wb") as file:
            shutil.copyfileobj(standard_input(), file)
        yield [spool if source == STDIN else source for source in wanted]


def standard_input() -> BufferedReader:
    if sys.stdin is None:
        raise SpecError("there is no source, and standard input is closed; name a file")
    if sys.stdin.isatty():
        say("note", "reading from the terminal; end with Ctrl-D")
    return cast(BufferedReader, sys.stdin.buffer)
