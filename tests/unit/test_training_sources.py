"""What `train` learns from: paths, lists of Path, iterables."""

from __future__ import annotations

import gzip
import json
import warnings
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

import bytemill
from bytemill.training import LooksLikeFileNames
from tests.samples import words

EXPECTED = words(["the cat", "the dog"])


def train(source: object, **options: object) -> bytemill.Tokenizer:
    return bytemill.train(source, bytemill.Word(), progress=False, **options)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "below").mkdir()
    (tmp_path / "a.txt").write_text("the cat")
    (tmp_path / "below" / "b.txt").write_text("the dog")
    return tmp_path


def test_one_file(folder: Path) -> None:
    (folder / "all.txt").write_text("the cat\nthe dog")
    assert train(str(folder / "all.txt")) == train(folder / "all.txt") == EXPECTED
    assert train(folder / "all.txt").training_stats["documents"] == 1


def test_a_folder_with_everything_below_it(folder: Path) -> None:
    assert train(str(folder)) == train(folder) == EXPECTED
    assert train(folder).training_stats == {"documents": 2, "bytes": 14, "pieces": 4, "distinct_pieces": 3}


def test_several_paths(folder: Path) -> None:
    paths = [folder / "a.txt", folder / "below"]
    assert train(paths) == train(tuple(paths)) == EXPECTED
    assert train(paths[:1]) == words(["the cat"])


def test_iterables_of_documents() -> None:
    documents = ["the cat", "the dog"]
    assert train(documents) == train(tuple(documents)) == train(iter(documents)) == EXPECTED
    assert train(document for document in documents) == EXPECTED
    assert train(documents).training_stats["documents"] == 2


def test_more_documents_than_are_looked_at_or_taken_at_once() -> None:
    tok = train(f"w{i % 300} x" for i in range(10_000))
    assert tok.training_stats == {"documents": 10_000, "bytes": 56_260, "pieces": 20_000, "distinct_pieces": 301}
    assert tok.token_to_id("x") == 4


class Document(str):
    """A text that can be watched."""


def test_documents_are_not_kept() -> None:
    made: list[weakref.ref[Document]] = []
    alive = []

    def documents() -> Iterator[str]:
        for i in range(300):
            document = Document(f"document {i}")
            made.append(weakref.ref(document))
            yield document
            del document
            alive.append(sum(ref() is not None for ref in made))

    assert train(documents(), threads=1).training_stats["documents"] == 300
    assert max(alive) <= 2


def test_no_document_at_all() -> None:
    for source in ([], (), iter(())):
        assert train(source).vocab_size == 4


def test_documents_do_not_touch() -> None:
    assert train(["ab", "cd"]).token_to_id("abcd") is None


def test_json_lines_and_compressed_files(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"text": t, "other": "zebra"}) + "\n" for t in ("the cat", "the dog"))
    (tmp_path / "a.jsonl").write_text(lines)
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    assert train(tmp_path / "a.jsonl") == train(tmp_path / "a.jsonl.gz") == EXPECTED
    assert train(tmp_path / "a.jsonl").training_stats["documents"] == 2
    assert train(tmp_path / "a.jsonl", field="other") == words(["zebra", "zebra"])


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes("the café".encode("latin-1"))
    with pytest.raises(bytemill.errors.TextError):
        train(tmp_path / "latin.txt")
    assert train(tmp_path / "latin.txt", errors="replace").token_to_id("caf\ufffd") == 4


def test_documents_that_look_like_file_names(tmp_path: Path) -> None:
    names = ["corpus/a.txt", "b.jsonl.gz"]
    with pytest.warns(LooksLikeFileNames) as caught:
        tok = train(names)
    assert [Path(warning.filename).name for warning in caught] == ["test_training_sources.py"]
    assert str(caught[0].message) == (
        "the documents look like file names ('corpus/a.txt', …) and are trained on as text; "
        "to read files, pass Path objects: train([Path(name) for name in names], …)"
    )
    assert "corpus" in tok


@pytest.mark.parametrize("documents", [["the cat.", "a.txt"], ["e.g. this"], ["3.14"], ["end."], []])
def test_other_documents_do_not(documents: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", LooksLikeFileNames)
        tok = train(documents)
    assert tok.training_stats["documents"] == len(documents)


def test_text_given_as_a_path() -> None:
    for text in ("the cat\nthe dog", "the cat and the dog " * 20):
        with pytest.raises(FileNotFoundError, match=r"pass it in a list: train\(\[text\], …\)"):
            train(text)


def test_a_file_with_an_odd_name(tmp_path: Path) -> None:
    (tmp_path / "two\nlines").write_text("the cat the dog")
    assert train(str(tmp_path / "two\nlines")) == EXPECTED


def test_what_is_no_source() -> None:
    for source in (5, None, b"the cat", bytearray(b"the cat")):
        with pytest.raises(TypeError, match="source is a path, a list of Path or an iterable of str, not"):
            train(source)
    for documents in ([b"the"], [None], ["the", 5], [Path("a"), "b"]):
        with pytest.raises(TypeError, match="documents are str, not"):
            train(documents)


def test_an_exception_of_the_iterable_passes_through() -> None:
    def documents():
        yield "the cat"
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        train(documents())


def test_a_surrogate_in_a_document() -> None:
    with pytest.raises(bytemill.errors.TextError, match="lone surrogate at character 4"):
        train(["fine", "the \udc80"])


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_threads_do_not_change_the_result(threads: int, tmp_path: Path) -> None:
    text = "".join(f"word{i % 997} and {i * i % 503}, " for i in range(150_000))
    (tmp_path / "a.txt").write_text(text)
    from_file = train(tmp_path / "a.txt", threads=threads)
    from_text = train([text], threads=threads)
    assert from_file == from_text == words([text], threads=3)
    assert from_file.training_stats == from_text.training_stats
