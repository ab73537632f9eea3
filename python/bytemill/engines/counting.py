"""Counting on an engine: every shard in parts by a hash of the piece; each part merged; all parts together."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _core
from ..progress import Progress as ProgressTold
from ..progress import watching
from .fetched import fetched
from .job import Progress, Reduction, Shuffle
from .shards import Shard, planned, shard_size
from .storage import Folder, listed

if TYPE_CHECKING:
    from .._arguments.types import HowToRead, Watcher
    from .job import Engine

#: Shards for each part of the shuffle, and the most parts.
SHARDS_OF_A_PART = 4
MOST_PARTS = 256


@dataclasses.dataclass(frozen=True)
class Counting:
    """How a text is counted: by the stages in `made_by`, or as the training of a spec wants it."""

    how: HowToRead
    memory: int | None
    threads: int | None
    #: As `count_pieces` of the core takes it, with whether the order of appearance is kept; or None.
    made_by: tuple[str, bool] | None
    #: The spec and the other keywords of a training; or None.
    training: tuple[str, dict[str, Any]] | None = None

    def counted(self, read: Any, watcher: Watcher | None = None) -> _core.Counts:
        """The counts of paths or of documents."""
        if self.training is not None:
            spec, keywords = self.training
            return _core.count_for_training(read, spec, watcher, **{**keywords, **self._means()})
        made_by, order = self.made_by or ("{}", False)
        return _core.count_pieces(read, made_by, watcher, order=order, **self._means())

    def _means(self) -> dict[str, Any]:
        return {"how": self.how, "memory": self.memory, "threads": self.threads}


@dataclasses.dataclass(frozen=True)
class CountShard:
    """The work on a shard: its counts in parts, each as the bytes of a `.counts` file."""

    counting: Counting
    parts: int

    def __call__(self, shard: Shard) -> list[bytes]:
        counting = self.counting
        with fetched(shard, counting.how) as files:
            with files.telling():
                counts = counting.counted(files.paths or iter(()))
            parts = counts.partition(self.parts, shard.number, counting.memory)
        del counts
        return [saved(part) for part in parts]


@dataclasses.dataclass(frozen=True)
class MergeParts:
    """The counts of several shards for one part, as one; what is larger than the memory goes to disk."""

    memory: int | None

    def __call__(self, parts: Sequence[bytes]) -> bytes:
        if len(parts) == 1:
            return parts[0]
        with tempfile.TemporaryDirectory(prefix="bytemill-counts-") as folder:
            loaded = list(_loaded(parts, Path(folder)))
            return saved(_core.Counts.merge_parts(loaded, self.memory))


@dataclasses.dataclass(frozen=True)
class SavePart:
    """Writes a merged part to a folder, and gives the place of the file."""

    folder: str
    of: int

    def __call__(self, number: int, part: bytes) -> str:
        folder, name = Folder(self.folder), f"part-{number:05}-of-{self.of:05}.counts"
        with tempfile.TemporaryDirectory(prefix="bytemill-counts-") as beside:
            local = Path(beside, name)
            local.write_bytes(part)
            folder.put(local, name)
        return folder.place(name)


def saved(counts: _core.Counts) -> bytes:
    with tempfile.TemporaryDirectory(prefix="bytemill-counts-") as folder:
        path = Path(folder, "part.counts")
        counts.save(path)
        return path.read_bytes()


def _loaded(parts: Sequence[bytes], folder: Path) -> Iterator[_core.Counts]:
    """Counts that stay in their files."""
    for number, part in enumerate(parts):
        path = folder / f"{number}.counts"
        path.write_bytes(part)
        yield _core.Counts.load(path)


def count_on(
    engine: Engine,
    sources: list[str],
    counting: Counting,
    shard_bytes: int | str | None,
    progress: bool | Callable[[ProgressTold], object] | None,
) -> _core.Counts:
    """The counts of files, byte for byte those of one machine."""
    shards, shuffle = _shuffle(sources, counting, shard_bytes)
    with watching(progress) as watcher, tempfile.TemporaryDirectory(prefix="bytemill-counts-") as folder:
        merged = engine.shuffle(shuffle, shards, Progress("counting", shards, watcher))
        loaded = list(_loaded(merged, Path(folder)))
        return _core.Counts.merge(loaded, counting.threads, counting.memory, watcher)


def count_parts_on(
    engine: Engine,
    sources: list[str],
    counting: Counting,
    shard_bytes: int | str | None,
    progress: bool | Callable[[ProgressTold], object] | None,
    into: str,
) -> list[str]:
    """The counts of files in parts, which workers write to a folder; where they are."""
    shards, shuffle = _shuffle(sources, counting, shard_bytes)
    Folder(into).make()
    with watching(progress) as watcher:
        saving = dataclasses.replace(
            shuffle, reduction=Reduction(shuffle.reduction.merge, SavePart(into, shuffle.parts))
        )
        return engine.shuffle(saving, shards, Progress("counting", shards, watcher))


def _shuffle(sources: list[str], counting: Counting, shard_bytes: int | str | None) -> tuple[Sequence[Shard], Shuffle]:
    files = listed(sources, counting.how[0])
    shards = planned(files, counting.how, shard_size(shard_bytes))
    parts = min(MOST_PARTS, -(-len(shards) // SHARDS_OF_A_PART))
    return shards, Shuffle(CountShard(counting, parts), parts, Reduction(MergeParts(counting.memory)))
