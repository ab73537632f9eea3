"""What a command writes: a file that can be written and is no source, or standard output."""

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
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import BytemillError, SpecError
from .sources import existing, is_same_file

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

STDOUT = Path("-")


def check_output(output: Path, sources: Sequence[Path]) -> None:
    """Before the work starts: the folder is there, and the output replaces none of the sources."""
    if output == STDOUT:
        if sys.stdout.isatty():
            raise SpecError("-o - would write binary data to the terminal; redirect it, or name a file")
        return
    existing(output.parent)
    if output.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(output))
    if is_same_file(output, sources):
        raise SpecError(f"{output} is both a source and the output")


def refuse_json_beside(output: Path | None, as_json: bool) -> None:
    if output == STDOUT and as_json:
        raise SpecError("--json and -o - would both write to standard output; leave one of them out")


@contextlib.contextmanager
def target(output: Path, name: str) -> Iterator[Path]:
    """The file to write. For standard output it is a temporary one called `name`, which is copied there when whole."""
    if output != STDOUT:
        yield output
        return
    with tempfile.TemporaryDirectory(prefix="bytemill-") as folder:
        path = Path(folder) / name
        yield path
        with path.open("rb") as file:
            sys.stdout.flush()
            shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.buffer.flush()


def save(tok: Tokenizer, output: Path, format: str | None) -> int:
    """Writes a tokenizer to a file, or as one file to standard output; returns how many bytes it has."""
    if output != STDOUT:
        tok.save(output, format)
        return output.stat().st_size
    data = tok.to_bytes(_of_stdout(format))
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
    return len(data)


def _of_stdout(format: str | None) -> str:
    if format is None:
        raise SpecError("-o - has no name that says the format; pass --format, as in --format tokenizer.json")
    return format


def trial_save(tok: Tokenizer, output: Path, format: str | None = None) -> Tokenizer:
    """Saves under the name of `output` in a folder that goes away, and reads that back."""
    if output == STDOUT:
        output = Path(_of_stdout(format))
    with tempfile.TemporaryDirectory(prefix="bytemill-") as folder:
        trial = Path(folder) / output.name
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # said when it is saved in earnest
                tok.save(trial, format)
            return reload(tok, trial)
        except BytemillError as error:
            raise type(error)(str(error).replace(str(trial), str(output))) from error


def reload(tok: Tokenizer, path: Path) -> Tokenizer:
    """Reads back what was saved; some formats leave the stages and special tokens to be told."""
    from .. import _core
    from ..loading import load
    from ..tokenizer import Tokenizer

    definition = json.loads(tok.definition())
    splitting, special_tokens = json.dumps(definition["pretokenizer"]), list(tok.special_tokens.items())
    match _core.sniff(path):
        case "tiktoken":
            return Tokenizer(_core.read(path, splitting=splitting, special_tokens=special_tokens))
        case "vocab.json" | "vocab.txt" as format:
            normalizer = definition["normalizer"] and json.dumps(definition["normalizer"])
            byte_level = definition.get("symbols", {}).get("unit", "bytes") == "bytes"
            unknown = None if definition["unk"] is None else tok.id_to_token(definition["unk"])
            read = _core.read(
                path,
                splitting=splitting,
                special_tokens=special_tokens,
                normalizer=normalizer,
                byte_level=byte_level if format == "vocab.json" else None,
                unk_token=unknown,
            )
            return Tokenizer(read)
        case _:
            return load(path)
