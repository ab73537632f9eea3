"""`bytemill demo`: two tokenizers trained on text that every machine with Python has, and what they do."""

from __future__ import annotations

import dataclasses
import platform
import sys
import sysconfig
import tempfile
import time
import warnings
from pathlib import Path
from typing import Annotated

import typer

from ..errors import BytemillError
from ..progress import quantity
from ..results.report import EncodeReport
from ..tokenizer import Tokenizer
from ..training import Char, CorpusTooSmall, Spec, Word, train
from .console import progress_bar
from .paint import cells, flowing

EXAMPLE = """\b
Example:
  bytemill demo
  bytemill demo --megabytes 5"""

SKIPPED = {"site-packages", "dist-packages", "test", "tests", "idle_test", "__pycache__"}
SPECS: dict[str, Spec] = {"characters": Char(), "words": Word(vocab_size=16_000)}
SAMPLE = 'def greet(name):\n    return f"Grüezi, {name}!"  # say hello to the zebra'
CHUNK = 1 << 20  # ids


@dataclasses.dataclass(frozen=True)
class Result:
    tok: Tokenizer
    training: float
    report: EncodeReport
    exact: bool


def demo(
    megabytes: Annotated[
        float, typer.Option(metavar="N", min=0.01, help="How much of the library to read, at most.")
    ] = 20,
) -> None:
    """Train on Python's own library, and see what happens.

    Needs no files and leaves none behind.
    """
    paths = library_sources(int(megabytes * 1e6))
    size = sum(path.stat().st_size for path in paths)
    tell(f"Python {platform.python_version()} ships with its own source code:")
    tell(f"{len(paths):,} files, {quantity(size, 'bytes')} of text. Let us learn two vocabularies from it.\n")
    results = {}
    with tempfile.TemporaryDirectory(prefix="bytemill-") as folder:
        for name, spec in SPECS.items():
            results[name] = learn(spec, paths, Path(folder) / f"{name}.bin")
    tell(table(results))
    for name, result in results.items():
        tell(f"A line of code as {name}:\n")
        flowing(*cells(result.tok, SAMPLE))
        tell("")
    if not results["characters"].exact:
        raise BytemillError("decoding the characters did not give the text back; please report this")
    tell(REMARKS)


def library_sources(limit: int) -> list[Path]:
    """The library's `.py` files by name, without tests and what is not UTF-8, up to `limit` bytes."""
    library = Path(sysconfig.get_path("stdlib"))
    chosen = []
    for path in sorted(library.rglob("*.py")):
        if SKIPPED.isdisjoint(path.relative_to(library).parts) and is_utf8(path):
            limit -= path.stat().st_size
            if limit < 0:
                break
            chosen.append(path)
    if not chosen:
        raise BytemillError(f"this Python has no library sources that fit below {library}")
    return chosen


def is_utf8(path: Path) -> bool:
    try:
        path.read_bytes().decode()
    except (UnicodeDecodeError, OSError):
        return False
    return True


def learn(spec: Spec, paths: list[Path], output: Path) -> Result:
    with progress_bar() as progress:
        started = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CorpusTooSmall)  # the table shows the size that came out
            tok = train(paths, spec, progress=progress)
        seconds = time.perf_counter() - started
        report = tok.encode_files(paths, output, progress=progress)
    return Result(tok, seconds, report, gives_back(tok, report, paths))


def gives_back(tok: Tokenizer, report: EncodeReport, paths: list[Path]) -> bool:
    """Whether the token file decodes to the very bytes that were read."""
    import numpy as np

    ids = np.fromfile(report.output, report.dtype)
    pieces = (tok.decode_bytes(ids[start : start + CHUNK].tolist()) for start in range(0, len(ids), CHUNK))
    return b"".join(pieces) == b"".join(path.read_bytes() for path in paths)


def table(results: dict[str, Result]) -> str:
    rows = {"": [*results]}
    for result in results.values():
        report = result.report
        for name, value in {
            "vocabulary": f"{result.tok.vocab_size:,}",
            "trained in": f"{result.training:.2f} s",
            "tokens": f"{report.tokens:,}",
            "bytes/token": f"{report.bytes_per_token:.2f}",
            "encoded at": f"{quantity(report.bytes_per_second, 'bytes')}/s",
            "round trip": "exact" if result.exact else "words only",
        }.items():
            rows.setdefault(name, []).append(value)
    return "".join(f"{name:12}" + "".join(f"{v:>16}" for v in values) + "\n" for name, values in rows.items())


def tell(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


REMARKS = """\
Characters give every text back exactly, but make many tokens. Words make few, but forget the white
space, and what they never saw becomes <UNK>.

Now with a text of your own:

  bytemill train my.txt -o words.mill
  bytemill inspect words.mill "Hello, world!"
  bytemill encode words.mill my.txt -o my.bin"""
