"""Encoding on an engine: every shard of the input becomes a shard of the output, and one manifest tells of all."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _core
from .._arguments.appended import optional_token_id
from ..errors import SpecError
from ..progress import watching
from ..results.report import EncodeReport, TokenFile
from .fetched import Fetched, fetched
from .job import Progress
from .local import Local
from .manifests import Place, described_inputs, done, joined, replaced, shard_job
from .named import engine_of
from .shards import Shard, planned, shard_size
from .storage import Folder, is_url, listed

if TYPE_CHECKING:
    from .._arguments.outputs import Writing
    from .._arguments.types import AnyPath
    from ..data.files import FileWork, Reading
    from ..tokenizer import Tokenizer
    from .job import Engine

#: More tokens than a shard has: its files are numbered, and there is one of each.
ALL_TOKENS = 1 << 62
NUMBERED = re.compile(r"(.*)-00000(\..*)", re.DOTALL)

#: The tokenizer that this process has, by its fingerprint: it is made once for each worker.
_LOADED: dict[str, Tokenizer] = {}


@dataclasses.dataclass(frozen=True)
class EncodeShard:
    """The work on a shard: its token files under their names, and a record of them."""

    fingerprint: str
    mill: bytes
    reading: Reading
    writing: Writing
    threads: int | None
    place: Place
    settings: str

    def __call__(self, shard: Shard) -> dict[str, Any]:
        job = shard_job(self.settings, shard)
        known = done(self.place, shard, job)
        if known is not None:
            return known
        with fetched(shard, self.reading.how) as files, self._scratch() as scratch:
            with files.telling():
                manifest = self._written(files, scratch)
            folder = Folder(self.place.folder)
            sizes = _put(scratch, folder, shard, manifest)
            manifest["inputs"] = described_inputs(manifest["inputs"] if files.paths else [], list(files.parts.values()))
            reasons = manifest["skipped_rows"]["first"]
            manifest["skipped_rows"]["first"] = [files.named(reason) for reason in reasons]
            record = {"job": job, "sizes": sizes, "manifest": manifest}
            # Last: what is recorded is there.
            folder.put_text(json.dumps(record), self.place.record(shard.number))
        return record

    def _written(self, files: Fetched, scratch: Path) -> dict[str, Any]:
        from ..data.files import FileWork

        nothing = None if files.paths else iter(())
        reading = dataclasses.replace(self.reading, sources=files.paths or None, documents=nothing)
        work = FileWork(loaded(self.fingerprint, self.mill), reading, self.threads, False)
        report = work.written(scratch / self.place.name, self.writing, False)
        told: dict[str, Any] = json.loads(Path(report.manifest).read_text(encoding="utf-8"))
        Path(report.manifest).unlink()
        return told | {"manifest": Path(report.manifest).name}

    @contextmanager
    def _scratch(self) -> Iterator[Path]:
        """A folder of this attempt alone, from which finished files are renamed if the output is on this machine."""
        if is_url(self.place.folder):
            with tempfile.TemporaryDirectory(prefix="bytemill-shard-") as folder:
                yield Path(folder)
            return
        name = f"{self.place.work}/{uuid.uuid4().hex}"
        Folder(self.place.folder).make(name)
        try:
            yield Path(self.place.folder, name)
        finally:
            Folder(self.place.folder).remove(name)


def loaded(fingerprint: str, mill: bytes) -> Tokenizer:
    if fingerprint not in _LOADED:
        from ..tokenizer import Tokenizer

        _LOADED.clear()
        _LOADED[fingerprint] = Tokenizer(_core.from_bytes(mill))
    return _LOADED[fingerprint]


def _put(scratch: Path, folder: Folder, shard: Shard, manifest: dict[str, Any]) -> dict[str, int]:
    """Gives the files their numbers and puts them where they belong; their sizes by name.

    A shard in which no document begins has none, unless it is the first: an output has at least one file.
    """
    if not manifest["documents"] and shard.number:
        manifest["files"] = []
        return {}

    def numbered(name: str) -> str:
        return NUMBERED.sub(rf"\g<1>-{shard.number:05}\g<2>", name)

    sizes = {}
    for path in sorted(scratch.iterdir()):
        sizes[numbered(path.name)] = path.stat().st_size
        folder.put(path, numbered(path.name))
    for file in manifest["files"]:
        file["name"] = numbered(file["name"])
    return sizes


def source_names(sources: Any) -> list[str]:
    return [os.fspath(source) for source in ([sources] if isinstance(sources, (str, os.PathLike)) else sources or ())]


@dataclasses.dataclass(frozen=True)
class Sharding:
    """That a call writes in shards of its sources, and by which engine."""

    engine: Engine
    shard_bytes: int

    @classmethod
    def of(cls, engine: Any, shard_bytes: int | str | None, sources: Any, output: Any) -> Sharding | None:
        """None if nothing asks for shards: no engine, no size, no URL."""
        is_named = isinstance(sources, (str, os.PathLike, list, tuple))
        names = [*(source_names(sources) if is_named else ()), *([] if output is None else [os.fspath(output)])]
        chosen = engine_of(engine, names)
        if chosen is None and shard_bytes is None:
            return None
        return cls(chosen or Local(), shard_size(shard_bytes))

    def written(self, work: FileWork, output: AnyPath, writing: Writing, verify: bool) -> EncodeReport:
        from ..data.verify import refuse_to_verify, verified

        sources = None if work.reading.sources is None else source_names(work.reading.sources)
        work = dataclasses.replace(work, reading=dataclasses.replace(work.reading, sources=sources))
        if verify:
            refuse_to_verify(work.reading)
            if any(map(is_url, [*(sources or ()), os.fspath(output)])):
                raise SpecError("verify reads files of this machine; leave it out for URLs")
        report = encode_on(self.engine, work, os.fspath(output), writing, self.shard_bytes)
        if verify:
            compared = verified(work.tok, work.reading, report, in_order=writing.split is None)
            report = dataclasses.replace(report, verified=compared)
        return report


def encode_on(engine: Engine, work: FileWork, output: str, writing: Writing, size: int) -> EncodeReport:
    """Token files of shards of the sources. They are the same for every engine and any number of workers."""
    started = time.perf_counter()
    _refuse(work, writing)
    reading, tok = work.reading, work.tok
    shards = planned(listed(source_names(reading.sources), reading.input_format), reading.how, size)
    options = {**json.loads(writing.described(reading.told())), "shard_bytes": size}
    name = output.rpartition("/")[2] if is_url(output) else Path(output).name
    place = Place(Folder.of(output).path, name)
    on_worker = _for_workers(work, writing, place, json.dumps([tok.fingerprint, options, name], sort_keys=True))
    folder = Folder(place.folder)
    if not writing.resume:
        folder.remove(place.work)
    folder.make(place.work)
    with watching(work.progress) as watcher:
        records = engine.map(on_worker, shards, Progress("encoding", shards, watcher))
    manifest = joined(records, options)
    manifest_name = manifest.pop("manifest")
    replaced(folder, manifest_name, manifest)
    folder.remove(place.work)
    return _reported(output, folder, manifest, manifest_name, time.perf_counter() - started)


def _refuse(work: FileWork, writing: Writing) -> None:
    if work.reading.documents is not None:
        raise SpecError("shards are of files: give sources, or leave out engine= and shard_bytes= for documents")
    if writing.shard_tokens is not None:
        raise SpecError(
            "with shard_bytes= or engine=, every shard of the input is one of the output; leave out shard_tokens="
        )
    if writing.keep_columns:
        raise SpecError(
            "keep_columns takes types from the first of all records, which shards do not see; leave it out, or leave "
            "out engine= and shard_bytes="
        )
    if writing.shuffle:
        raise SpecError(
            "shards are written apart, and shuffle=True is for all documents together; leave out shuffle=, and shuffle "
            "when you read (open_tokens(…).batches(…, seed=0)), or leave out engine= and shard_bytes="
        )


def _for_workers(work: FileWork, writing: Writing, place: Place, settings: str) -> EncodeShard:
    """What a worker needs, with ids in place of names that only the driver's tokenizer may know."""
    tok, reading = work.tok, work.reading
    for_core = writing.for_core(tok, reading.told())
    pad = None if for_core["pack"] is None else for_core["pack"][1]
    prepend, append = (optional_token_id(tok, name, getattr(reading, name)) for name in ("prepend", "append"))
    return EncodeShard(
        tok.fingerprint,
        tok.to_bytes("mill"),
        dataclasses.replace(reading, sources=None, prepend=prepend, append=append),
        dataclasses.replace(writing, pad=pad, shard_tokens=ALL_TOKENS, is_shard=True, resume=False, checkpoint=10**6),
        work.threads,
        place,
        settings,
    )


def _reported(output: str, folder: Folder, manifest: dict[str, Any], name: str, seconds: float) -> EncodeReport:
    def named(place: str) -> Path | str:
        return place if is_url(place) else Path(place)

    shown = folder.place if is_url(output) else lambda name: str(Path(output).with_name(name))
    files = [
        TokenFile(named(shown(file["name"])), file["split"], file["documents"], file["tokens"])
        for file in manifest["files"]
    ]
    return EncodeReport(
        output=named(output),
        documents=manifest["documents"],
        bytes=manifest["text_bytes"],
        tokens=manifest["tokens"],
        dtype=manifest["dtype"],
        seconds=seconds,
        files=tuple(files),
        manifest=named(shown(name)),
        skipped_rows=manifest["skipped_rows"]["count"],
        skipped_because=tuple(manifest["skipped_rows"]["first"]),
    )
