"""Records of shards that are done, and the manifest of all of them."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Sequence
from typing import Any

from .. import _core
from ..errors import SpecError
from .shards import Part, Shard
from .storage import Folder

#: Reasons for skipped rows that a manifest tells.
REASONS = 20
SIDES = (None, "train", "val")


@dataclasses.dataclass(frozen=True)
class Place:
    """Where an output goes: its folder, its name there, and the folder of work that is under way."""

    folder: str
    name: str

    @property
    def work(self) -> str:
        return f".{self.name}.shards"

    def record(self, number: int) -> str:
        return f"{self.work}/{number:05}.json"


def shard_job(settings: str, shard: Shard) -> str:
    """A name for everything that decides which bytes become of a shard."""
    parts = [(part.name, part.size, part.version, part.start, part.end, part.unit) for part in shard.parts]
    return hashlib.sha256(json.dumps([_core.__version__, settings, shard.number, parts]).encode()).hexdigest()


def done(place: Place, shard: Shard, job: str) -> dict[str, Any] | None:
    """The record of a shard that was done before, if it is of this job and its files are there."""
    folder = Folder(place.folder)
    text = folder.text(place.record(shard.number))
    if text is None:
        return None
    try:
        record: dict[str, Any] = json.loads(text)
    except ValueError:
        return None
    if record.get("job") != job or any(folder.size(name) != size for name, size in record["sizes"].items()):
        return None
    return record


def described_inputs(inputs: Sequence[dict[str, Any]], parts: Sequence[Part]) -> list[dict[str, Any]]:
    """What the manifest of a shard tells of the files that it read, by the names that users know."""
    told = []
    for found, part in zip(inputs, parts, strict=True):
        entry = {**found, "path": part.name, "bytes": part.bytes}
        if part.unit != "file":
            # The checksum is for whole files.
            entry |= {"xxh3": None, "range": {"unit": part.unit, "start": part.start, "end": part.end}}
        told.append(entry)
    return told


def joined(records: Sequence[dict[str, Any]], options: dict[str, Any]) -> dict[str, Any]:
    """The manifest of all shards, as one that was written on one machine would be."""
    told = [record["manifest"] for record in records]
    files = [file for manifest in told for file in manifest["files"]]
    skipped = [manifest["skipped_rows"] for manifest in told]
    reasons = [reason for rows in skipped for reason in rows["first"]]
    documents, left_out = sum(file["documents"] for file in files), sum(rows["count"] for rows in skipped)
    if left_out and not documents:
        raise SpecError(f"there is no document left: all {left_out} were skipped; the first one: {reasons[0]}")
    ids = "".join(record["job"] for record in records)
    return {
        **told[0],
        "documents": documents,
        "tokens": sum(file["tokens"] for file in files),
        "text_bytes": sum(manifest["text_bytes"] for manifest in told),
        "options": options,
        # One side of a split after the other.
        "files": sorted(files, key=lambda file: SIDES.index(file["split"])),
        "inputs": [entry for manifest in told for entry in manifest["inputs"]],
        "skipped_rows": {"count": left_out, "first": reasons[:REASONS]},
        "job": hashlib.sha256(ids.encode()).hexdigest(),
    }


def replaced(folder: Folder, name: str, manifest: dict[str, Any]) -> None:
    """Writes the manifest; token files of an earlier one that are not in this one are removed."""
    kept = {file["name"] for file in manifest["files"]}
    for file in _named(folder.text(name)):
        # Somebody else may have put that manifest there.
        if file not in kept and _core.may_be_of(name, file):
            for gone in _with_companions(file):
                folder.remove(gone)
    folder.put_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", name)


def _named(manifest: str | None) -> list[str]:
    """The token files of a manifest; none of what is no manifest."""
    try:
        names = [file["name"] for file in json.loads(manifest or "{}")["files"]]
    except (ValueError, TypeError, LookupError, RecursionError):
        return []
    return [name for name in names if isinstance(name, str)]


def _with_companions(name: str) -> list[str]:
    return [name, *(name + ending for ending in (".docs", ".index", ".metadata")), name.rpartition(".")[0] + ".idx"]
