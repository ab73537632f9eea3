"""Files to token files: the arguments of `Tokenizer.encode_files`, on their way to the core."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _core
from .._arguments.appended import optional_token_id
from .._arguments.outputs import Writing
from .._arguments.paths import how_to_read, path_list
from ..errors import SpecError
from ..progress import Progress, watching
from ..results.ragged import Ragged
from ..results.report import EncodeReport, TokenFile

if TYPE_CHECKING:
    from .._arguments.types import AnyPath, HowToRead, Specials


@dataclasses.dataclass(frozen=True)
class Reading:
    """What is read, and how; the arguments are described at `Tokenizer.encode_files`."""

    sources: AnyPath | Iterable[AnyPath] | None
    documents: Iterable[str] | None
    input_format: str | None
    field: str
    separator: str | None
    errors: str
    prepend: str | int | None
    append: str | int | None
    specials: Specials

    @property
    def how(self) -> HowToRead:
        return how_to_read(self.input_format, self.field, self.errors, self.separator)

    def paths(self) -> list[str]:
        if self.sources is None and self.documents is None:
            raise SpecError("there is nothing to read; name files or folders, or give documents=")
        if self.sources is not None and self.documents is not None:
            raise SpecError("give sources or documents, not both")
        return [] if self.sources is None else path_list(self.sources)

    def given_documents(self) -> Iterator[str] | None:
        if self.documents is None:
            return None
        if isinstance(self.documents, (str, bytes, Mapping)) or not isinstance(self.documents, Iterable):
            raise TypeError(f"documents is an iterable of str, not {type(self.documents).__name__}")
        return iter(self.documents)

    def told(self) -> dict[str, Any]:
        """What the manifest says of it."""
        if isinstance(self.specials, _core.PickedSpecials):
            raise SpecError("a manifest names special tokens: give them as a set, not as what pick_specials returned")
        specials = self.specials if self.specials is None or isinstance(self.specials, str) else sorted(self.specials)
        names = ("input_format", "field", "separator", "errors", "prepend", "append")
        return {**{name: getattr(self, name) for name in names}, "specials": specials}


@dataclasses.dataclass(frozen=True)
class FileWork:
    """One call of `Tokenizer.encode_files`."""

    tok: _core.Tokenizer
    reading: Reading
    threads: int | None
    progress: bool | Callable[[Progress], object] | None

    def options(self) -> dict[str, Any]:
        reading = self.reading
        return {
            "how": reading.how,
            "documents": reading.given_documents(),
            "prepend": optional_token_id(self.tok, "prepend", reading.prepend),
            "append": optional_token_id(self.tok, "append", reading.append),
            "specials": reading.specials,
            "threads": self.threads,
        }

    def in_memory(self) -> Ragged:
        paths = self.reading.paths()
        with watching(self.progress) as watcher:
            rows = self.tok._encode_files(paths, watcher, **self.options())
        return Ragged(*rows, self.tok.pad_id)

    def written(self, output: AnyPath, writing: Writing, verify: bool) -> EncodeReport:
        from .verify import refuse_to_verify, verified

        paths = self.reading.paths()
        if verify:
            refuse_to_verify(self.reading)
        if writing.resume and self.reading.documents is not None:
            raise SpecError("resume is for files: documents of an iterable cannot be told to be the same as before")
        for_core = writing.for_core(self.tok, self.reading.told())
        with watching(self.progress, resumes=writing.resume) as watcher:
            told = self.tok._write_files(paths, os.fspath(output), watcher, writing=for_core, **self.options())
        report = reported(Path(output), told)
        if verify:
            in_order = not writing.shuffle and writing.split is None
            report = dataclasses.replace(report, verified=verified(self.tok, self.reading, report, in_order))
        return report


def reported(output: Path, told: dict[str, Any]) -> EncodeReport:
    files = tuple(TokenFile(output.with_name(name), *rest) for name, *rest in told.pop("files"))
    skipped, because = tuple(told.pop("skipped")), tuple(told.pop("skipped_because"))
    return EncodeReport(output=output, files=files, skipped=skipped, skipped_because=because, **told)
