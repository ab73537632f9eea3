"""What a command reads: tokenizers, files, folders, standard input, a text; and in which format."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from io import BufferedReader, BufferedWriter
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..errors import BytemillError, SpecError
from .console import note

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

STDIN = Path("-")
STANDARD_INPUT = "standard input"
#: The most bytes of standard input that are kept as a file. It may have no end, as that of `yes` has none.
MOST_KEPT = 16 * 10**9
THE_TEXT = "the text"
SHOWN = 3  # names of skipped files in a note


@dataclasses.dataclass(frozen=True)
class TokenizerFile:
    """A tokenizer on the command line: a file, a folder or a known name."""

    name: str
    pattern: str | None = None

    def load(self, **told: Any) -> Tokenizer:
        from ..loading import load

        if not self.name:
            raise SpecError("the name of the tokenizer is empty")
        if self.name == "-":
            raise SpecError("a tokenizer is not read from standard input; name its file")
        return load(self.name, pattern=self.pattern, **told)


class Files(list[Path]):
    """The files to read, of which one may stand for standard input or a text."""

    spool: Path | None = None
    spool_name = STANDARD_INPUT

    def named(self, message: str) -> str:
        """A message without the name of the temporary file."""
        return message if self.spool is None else message.replace(str(self.spool), self.spool_name)


@dataclasses.dataclass(frozen=True)
class Reading:
    """The sources of a command line, and how they are read."""

    sources: tuple[Path, ...]
    input_format: str | None
    field: str | None
    errors: str
    text: str | None = None
    separator: str | None = None

    def __post_init__(self) -> None:
        if self.text is not None and self.sources:
            raise SpecError("give sources or --text, not both")
        if self.field is not None and self.input_format in ("text", "lines"):
            raise SpecError(f"--field is for records and tables, and --input-format {self.input_format} has neither")

    @property
    def how(self) -> dict[str, Any]:
        """As the library takes it."""
        return {
            "input_format": self.input_format,
            "field": self.field or "text",
            "separator": self.separator,
            "errors": self.errors,
        }

    @property
    def is_stdin(self) -> bool:
        return self.text is None and self.sources in ((), (STDIN,))

    def refuse_for(self, engine: str | None) -> None:
        """What only this machine has cannot be read by workers."""
        if engine is not None and (self.text is not None or self.is_stdin or STDIN in self.sources):
            raise SpecError("--engine is for files and folders that its workers can read; name some")

    @contextlib.contextmanager
    def files(self, *, of_code: bool = False, language: str | None = None) -> Iterator[Files]:
        """The files to read; standard input becomes one for as long as it is needed, and errors call it that.

        The core reads files of any size in constant memory. With `of_code`, a folder stands for its source files,
        those of `language` among them.
        """
        wanted = [path for source in self.sources or [STDIN] for path in matching(source)]
        with spooled(self.text if self.text is not None else STDIN in wanted) as spool:
            paths = wanted if spool is None else [spool if source == STDIN else source for source in wanted]
            files = Files(self._listed(paths, spool, of_code, language))
            files.spool = spool
            if self.text is not None:
                files.spool_name = THE_TEXT
            yield files

    def _listed(self, paths: list[Path], spool: Path | None, of_code: bool, language: str | None) -> list[Path]:
        """Every file, those of folders one by one; tells which were skipped."""
        from .. import _core, code

        if of_code:
            paths = [file for path in paths for file in (code.files(path, language) if path.is_dir() else [path])]
        files, skipped = _core.list_files([str(path) for path in paths])
        if skipped:
            shown = ", ".join(map(str, skipped[:SHOWN])) + (", …" if len(skipped) > SHOWN else "")
            count = f"{len(skipped):,} file" + "s" * (len(skipped) != 1)
            note(f"skipped {count} without text: {shown}")
        if self.field is not None and self.input_format is None and all(format == "text" for _, format in files):
            what = STANDARD_INPUT if files[0][0] == spool else files[0][0]
            raise SpecError(
                f"--field is for records and tables, and {what} is read as plain text; if it holds records, "
                "pass --input-format jsonl (or json, csv, …)"
            )
        return [path for path, _ in files]


@contextlib.contextmanager
def spooled(given: str | bool) -> Iterator[Path | None]:
    """A text, or standard input if True, as a file that goes away; errors of the library do not show its name."""
    if given is False:
        yield None
        return
    name = THE_TEXT if isinstance(given, str) else STANDARD_INPUT
    with tempfile.TemporaryDirectory(prefix="bytemill-") as folder:
        spool = Path(folder) / "stdin.txt"
        with spool.open("wb") as file:
            if isinstance(given, str):
                file.write(encoded(given))
            else:
                _keep(standard_input(), file)
        try:
            yield spool
        except BytemillError as error:
            raise type(error)(str(error).replace(str(spool), name)) from error


def _keep(source: BufferedReader, file: BufferedWriter) -> None:
    """Copies standard input, which may have no end, and leaves room for others."""
    folder = tempfile.gettempdir()
    most = min(MOST_KEPT, shutil.disk_usage(folder).free // 2)
    try:
        while block := source.read1(1 << 20):
            if file.tell() + len(block) > most:
                raise SpecError(
                    f"standard input is kept in {folder} while it is read, and has more than {most:,} bytes (the "
                    f"bound is {MOST_KEPT:,}, and half of what is free there); name a file, read it with "
                    "--input-format lines where each line is a document, or set TMPDIR to a folder with more room"
                )
            file.write(block)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise SpecError(
            f"standard input is kept in {folder} while it is read, and there is no room left; "
            "set TMPDIR to a folder with more room, or name a file"
        ) from error


def encoded(text: str) -> bytes:
    """A text from the command line, whose bytes that are not UTF-8 are still those that were typed."""
    return text.encode("utf-8", "surrogateescape")


def matching(source: Path) -> list[Path]:
    """A source that exists, or the files that a pattern stands for."""
    from .._arguments.paths import path_list

    if source == STDIN:
        return [source]
    found = [Path(path) for path in path_list(source)]
    return found if found != [source] else [existing(source)]


def existing(path: Path) -> Path:
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    return path


def standard_input() -> BufferedReader:
    if sys.stdin is None:
        raise SpecError("there is no source, and standard input is closed; name a file")
    if sys.stdin.isatty():
        note("reading from the terminal; end with Ctrl-D")
    return cast(BufferedReader, sys.stdin.buffer)


def is_same_file(output: Path, sources: Sequence[Path]) -> bool:
    return output.exists() and any(source.exists() and output.samefile(source) for source in sources)


def named_files(paths: Sequence[str], pattern: str | None) -> dict[str, Tokenizer]:
    """The tokenizers of several files, by what tells the paths apart."""
    from ..see.comparison import short_names

    if len(set(paths)) < len(paths):
        raise SpecError("a tokenizer is named twice; name different ones")
    names = zip(short_names(paths), paths, strict=True)
    return {name: TokenizerFile(path, pattern).load() for name, path in names}
