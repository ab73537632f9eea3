"""Counts and tokenizers of shards are those of the files, byte for byte."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytemill
from bytemill.engines import Local, engine_of
from bytemill.engines.job import attempted
from bytemill.engines.shards import Shard
from bytemill.errors import FormatError, SkippedDocuments, SpecError, TextError
from tests.engines import shown
from tests.engines.corpora import everything, written


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return written(tmp_path_factory.mktemp("corpora"))


def test_everything_is_that_of_one_machine(corpora: dict[str, Path], tmp_path: Path) -> None:
    expected = dict(everything(corpora, tmp_path, None))
    for name, found in everything(corpora, tmp_path, Local()):
        assert found == expected[name], name


@given(st.lists(st.text("ab c", max_size=8), min_size=1, max_size=20), st.integers(1, 50), st.booleans())
def test_any_lines_in_any_shards(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], size: int, order: bool
) -> None:
    folder = tmp_path_factory.mktemp("counted")
    (folder / "x.txt").write_text("\n".join(lines))
    how = {"input_format": "lines", "order": order, "progress": False, "pretokenizer": "gpt2"}
    bytemill.count_pieces(folder / "x.txt", **how).save(folder / "one.counts")
    bytemill.count_pieces(folder / "x.txt", engine="local", shard_bytes=size, **how).save(folder / "shards.counts")
    assert (folder / "one.counts").read_bytes() == (folder / "shards.counts").read_bytes()


def test_little_memory_changes_nothing(corpora: dict[str, Path], tmp_path: Path) -> None:
    for memory in (None, "1MB"):
        counts = bytemill.count_pieces(
            corpora["lines"], progress=False, engine="local", shard_bytes=9_000, memory=memory
        )
        counts.save(tmp_path / f"{memory}.counts")
    assert (tmp_path / "None.counts").read_bytes() == (tmp_path / "1MB.counts").read_bytes()


@pytest.mark.parametrize("order", [False, True])
def test_parts_are_joined_to_the_counts_of_one_machine(corpora: dict[str, Path], tmp_path: Path, order: bool) -> None:
    shown.parts_are_the_counts(corpora["lines"], tmp_path, Local(), order)
    with pytest.raises(TypeError, match="unexpected keyword argument 'ordre'"):
        bytemill.count_parts(corpora["lines"], tmp_path / "x", ordre=True)
    with pytest.raises(SpecError, match="an engine reads files"):
        bytemill.count_parts(iter(["a text"]), tmp_path / "x")


def test_a_tokenizer_is_continued(corpora: dict[str, Path]) -> None:
    first = bytemill.train(corpora["texts"], bytemill.BPE(300), special_tokens=["<x>"], progress=False)
    more = [
        bytemill.train(corpora["lines"], bytemill.BPE(350), continue_from=first, progress=False, **engine)
        for engine in ({}, {"engine": "local", "shard_bytes": "20KB"})
    ]
    assert more[0].fingerprint == more[1].fingerprint != first.fingerprint


def test_progress_counts_every_byte(corpora: dict[str, Path]) -> None:
    told = []
    bytemill.count_pieces(corpora["texts"], engine="local", shard_bytes="20KB", progress=told.append)
    counting = [progress for progress in told if progress.phase == "counting"]
    total = sum(file.stat().st_size for file in corpora["texts"].iterdir())
    assert (counting[-1].done, counting[-1].total, counting[-1].unit) == (total, total, "bytes")
    assert len(counting) > 3


def test_a_bad_row_is_told_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "good"}\n' * 100 + '{"text": null}\n' + '{"text": "good"}\n' * 100)
    with pytest.raises(FormatError) as raised:
        bytemill.count_pieces(path, engine="local", shard_bytes=500, progress=False)
    message = str(raised.value)
    assert message.startswith(f"{path} from byte 1,513, line 12: "), message
    assert message.endswith(f"(shard 4 of 7: {path}, bytes 1,500 to 2,000)"), message
    with pytest.warns(SkippedDocuments, match=rf"1 document was skipped; it: {path} from byte 1,513, line 12: "):
        counts = bytemill.count_pieces(path, engine="local", shard_bytes=500, progress=False, errors="skip")
    assert counts.documents == 200
    path.write_bytes(b"good line\n" * 100 + b"bad \xff line\n" + b"good line\n" * 50)
    with pytest.raises(TextError, match=rf"byte 1004 of {path} is 0xff"):
        bytemill.count_pieces(path, engine="local", shard_bytes=300, progress=False, input_format="lines")


def test_what_an_engine_cannot_do_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a b c")
    with pytest.raises(SpecError, match="an engine reads files"):
        bytemill.count_pieces(iter(["a text"]), engine="local")
    with pytest.raises(SpecError, match="is for counting on this machine"):
        bytemill.train(tmp_path, bytemill.Word(), engine="local", checkpoint=tmp_path / "c")
    with pytest.raises(SpecError, match=r"engine is .*, not 'dask'"):
        bytemill.train(tmp_path, bytemill.Word(), engine="dask")
    with pytest.raises(SpecError, match="not <class"):
        engine_of(Local)
    with pytest.raises(FileNotFoundError, match="pass it in a list"):
        bytemill.count_pieces("a text", engine="local")


def test_documents_with_urls_in_them_are_documents(tmp_path: Path) -> None:
    texts = ["https://example.org/a.txt is where it is", "see http://example.org", "a://b"]
    assert bytemill.count_pieces(texts, progress=False).documents == 3
    tok = bytemill.train(texts, bytemill.BPE(vocab_size=260), progress=False)
    assert tok.decode(tok.encode(texts[0])) == texts[0]


def test_only_skipped_documents_are_told_as_such() -> None:
    def work(shard: Shard) -> None:
        warnings.warn("row 3", SkippedDocuments, stacklevel=1)
        warnings.warn("of a library", UserWarning, stacklevel=1)

    with pytest.warns(UserWarning, match="of a library") as caught:
        outcome = attempted(work, Shard(0, 1, ()))
    assert (outcome.skipped, outcome.failure) == (("row 3",), None)
    assert [str(warning.message) for warning in caught] == ["of a library"]
