"""Every byte is in one shard, and every document is whole in one, wherever the ranges of bytes are."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytemill import _core
from bytemill.engines.borders import border
from bytemill.engines.fetched import fetched
from bytemill.engines.shards import Part, planned, shard_size
from bytemill.engines.storage import SourceFile, listed
from bytemill.errors import SpecError
from tests.conftest import need

FORMATS = st.sampled_from(["text", "lines", "jsonl", "json", "csv"])
FILES = st.lists(st.tuples(st.integers(0, 60), FORMATS, st.booleans()), max_size=8)


def described(number: int, size: int, format: str, compressed: bool) -> SourceFile:
    name = f"/{number}.{format}" + (".gz" if compressed else "")
    return SourceFile(name, name, size, "1", format)


@given(FILES, st.integers(1, 40), st.sampled_from([None, "\n\n"]))
def test_every_byte_is_in_one_shard(files: list[tuple[int, str, bool]], size: int, separator: str | None) -> None:
    given_files = [described(number, *file) for number, file in enumerate(files)]
    shards = planned(given_files, (None, "text", "strict", separator), size)
    assert [shard.number for shard in shards] == list(range(len(shards)))
    parts = [part for shard in shards for part in shard.parts]
    for file in given_files:
        of_file = [part for part in parts if part.path == file.path]
        ranges = [(part.start, part.end) for part in of_file]
        assert ranges[0][0] == 0 and ranges[-1][1] == file.size
        assert all(before[1] == after[0] for before, after in itertools.pairwise(ranges))
    assert [part.path for part in parts] == sorted(
        (part.path for part in parts), key=lambda path: int(path[1:].split(".")[0])
    )
    # A shard is larger than asked for only if what it holds cannot be divided.
    assert all(shard.bytes <= size or len(shard.parts) == 1 for shard in shards)


def documents_of(data: bytes, separator: bytes) -> list[int]:
    """Where the documents begin, for a reader that begins at the start."""
    starts, at = [0], 0
    while (found := data.find(separator, at)) >= 0:
        at = found + len(separator)
        starts.append(at)
    return starts


@given(st.text("ab\n", max_size=40), st.sampled_from(["\n", "\n\n", "aba", "aa", "ab\n"]), st.integers(0, 45))
def test_a_border_is_where_a_document_begins(text: str, separator: str, place: int) -> None:
    data = text.encode()
    found = border(lambda start, end: data[start:end], len(data), min(place, len(data)), separator.encode())
    following = [start for start in documents_of(data, separator.encode()) if start >= min(place, len(data))]
    assert found == (following[0] if following and place > 0 else 0 if place == 0 else len(data))


LINE = st.text("ab é\ufeff{", max_size=6)


@given(st.lists(LINE, min_size=1, max_size=12), st.integers(1, 30), st.sampled_from(["lines", "jsonl", "separated"]))
def test_shards_hold_the_documents_of_the_file(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], size: int, kind: str
) -> None:
    folder = tmp_path_factory.mktemp("shards")
    path, how = folder / "x.txt", ("lines", "text", "strict", None)
    if kind == "jsonl":
        path, how = folder / "x.jsonl", (None, "text", "strict", None)
        path.write_text("".join(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in texts))
    elif kind == "separated":
        how = (None, "text", "strict", "aa")
        path.write_text("aa".join(texts))
    else:
        path.write_text("\n".join(texts))
    expected = [text for text, _ in _core.Documents([str(path)], how)]
    found = []
    for shard in planned(listed([str(path)], how[0]), how, size):
        with fetched(shard, how) as files:
            if files.paths:
                found += [text for text, _ in _core.Documents(files.paths, how)]
    assert found == expected


@pytest.mark.data
def test_row_groups_are_divided(tmp_path: Path) -> None:
    pyarrow, parquet = need("pyarrow"), need("pyarrow.parquet")
    texts = [f"row {number}" for number in range(50)]
    path = tmp_path / "x.parquet"
    parquet.write_table(pyarrow.table({"n": list(range(50)), "body": texts}), path, row_group_size=7)
    how = (None, "body", "strict", None)
    shards = planned(listed([str(path)], None), how, path.stat().st_size // 4)
    assert len(shards) >= 3
    found = []
    for shard in shards:
        with fetched(shard, how) as files:
            found += [text for text, _ in _core.Documents(files.paths, how)]
    assert found == texts


def test_small_files_are_together_and_pipes_are_refused(tmp_path: Path) -> None:
    for number in range(10):
        (tmp_path / f"{number}.txt").write_text("0123456789")
    how = (None, "text", "strict", None)
    shards = planned(listed([str(tmp_path)], None), how, 35)
    assert [len(shard.parts) for shard in shards] == [3, 3, 3, 1]
    assert planned([], how, 10) == ()
    with pytest.raises(SpecError, match="no file that can be read in parts"):
        listed(["/dev/null"], None)


def test_sizes_and_places_are_told() -> None:
    assert shard_size(None) == shard_size("256MB") == 256_000_000
    assert shard_size(5) == 5
    with pytest.raises(SpecError, match="shard_bytes is at least 1"):
        shard_size(0)
    part = Part("a.jsonl", "/a.jsonl", 9000, "1", 4000, 9000, "bytes", 5000)
    assert str(part) == "a.jsonl from byte 4,000"
