"""Counts of pieces: made, asked, saved, merged, trained from."""

from __future__ import annotations

import tempfile
import time
import warnings
from pathlib import Path

import pytest

import bytemill
from bytemill import PieceCounts, errors, normalizers, pretokenizers
from bytemill._arguments.amounts import memory_bytes
from bytemill.errors import SpecError
from tests.samples import Mistakes, python, raises_exactly

TEXT = "the cat and the dog<x>and the end"


def count(source: object = (TEXT,), **options: object) -> PieceCounts:
    options = {"pretokenizer": "bert", "special_tokens": ["<x>"], "progress": False, **options}
    return bytemill.count_pieces(source, **options)


def test_what_counts_say() -> None:
    counts = count()
    assert dict(counts.items()) == {"and": 2, "cat": 1, "dog": 1, "end": 1, "the": 3}
    assert list(counts) == ["and", "cat", "dog", "end", "the"]
    assert (len(counts), counts.total, counts.documents, counts.bytes) == (5, 8, 1, len(TEXT))
    assert counts["the"] == 3 and counts["mouse"] == 0
    assert "the" in counts and "mouse" not in counts and 3 not in counts
    assert counts.most_common(2) == [("the", 3), ("and", 2)]
    assert counts.most_common() == [("the", 3), ("and", 2), ("cat", 1), ("dog", 1), ("end", 1)]
    assert counts.most_common(0) == []
    assert counts.made_by == {"normalizer": None, "pretokenizer": {"type": "bert"}, "special_tokens": ["<x>"]}
    assert repr(counts) == "PieceCounts(5 different pieces, 8 in all, of 33 bytes in 1 document)"
    assert repr(count(["a", "a"])) == "PieceCounts(1 different pieces, 2 in all, of 2 bytes in 2 documents)"
    assert repr(PieceCounts.from_dict({"a": 2000})) == "PieceCounts(1 different pieces, 2,000 in all)"


def test_options_of_counting(tmp_path: Path) -> None:
    assert list(count(["A b"], normalizer="lowercase")) == ["a", "b"]
    assert list(count(["a-b"], pretokenizer="whitespace_split")) == ["a-b"]
    assert list(count(["a b<x>c"], pretokenizer=None)) == ["a b", "c"]
    assert "<" in count(special_tokens=[])
    assert list(bytemill.count_pieces(["a b"], progress=False)) == [" b", "a"]
    (tmp_path / "a.jsonl").write_text('{"body": "b"}')
    assert list(count(tmp_path / "a.jsonl", field="body")) == ["b"]
    (tmp_path / "a.txt").write_bytes(b"a\xff")
    assert list(count(str(tmp_path / "a.txt"), errors="replace")) == ["a\ufffd"]
    assert dict(count([tmp_path / "a.txt", tmp_path / "a.jsonl"], errors="replace", field="body").items()) == {
        "a\ufffd": 1,
        "b": 1,
    }


def test_the_order_of_appearance() -> None:
    counts = count(order=True)
    assert counts.in_order_of_appearance() == [("the", 3), ("cat", 1), ("and", 2), ("dog", 1), ("end", 1)]
    later = count(["mouse the"], order=True)
    assert (later + counts).in_order_of_appearance()[:3] == [("mouse", 1), ("the", 4), ("cat", 1)]


def test_saved_and_loaded(tmp_path: Path) -> None:
    for order in (False, True):
        counts = count(order=order)
        counts.save(tmp_path / "a.counts")
        loaded = PieceCounts.load(str(tmp_path / "a.counts"))
        assert list(loaded.items()) == list(counts.items())
        assert loaded.made_by == counts.made_by
        assert (loaded.documents, loaded.bytes, loaded.total) == (counts.documents, counts.bytes, counts.total)
        if order:
            assert loaded.in_order_of_appearance() == counts.in_order_of_appearance()
        loaded.save(tmp_path / "b.counts")
        assert (tmp_path / "a.counts").read_bytes() == (tmp_path / "b.counts").read_bytes()
    empty = count([])
    empty.save(tmp_path / "empty.counts")
    assert len(PieceCounts.load(tmp_path / "empty.counts")) == 0


@pytest.mark.parametrize("order", [False, True])
def test_a_file_does_not_depend_on_how_it_was_made(order: bool, tmp_path: Path) -> None:
    text = "".join(f"word{i * 7919 % 40009} and {i * i % 503}, " for i in range(150_000))
    files = set()
    for threads, memory in ((1, None), (2, None), (7, None), (2, "200 KB"), (7, "1B")):
        count([text], threads=threads, memory=memory, order=order).save(tmp_path / "a.counts")
        files.add((tmp_path / "a.counts").read_bytes())
    assert len(files) == 1


def test_merged() -> None:
    a, b, c = (count([text]) for text in ("x y", "y z", "z z"))
    assert dict((a + b + c).items()) == {"x": 1, "y": 2, "z": 3}
    merged = PieceCounts.merge([a, b, c], memory="1B", threads=2)
    assert list(merged.items()) == list((a + b + c).items())
    assert (merged.documents, merged.bytes, merged.total) == (3, 9, 6)
    assert list(PieceCounts.merge(iter([a])).items()) == list(a.items())
    # The order is kept where all know it.
    later = count(["z"], order=True)
    assert later.ordered and (later + later).ordered and not (a + later).ordered
    with pytest.raises(TypeError):
        a + {"x": 1}  # type: ignore[operator]


def test_from_elsewhere() -> None:
    assert list(PieceCounts.from_dict({"b": 1, "a": 2, "c": 0}).items()) == [("a", 2), ("b", 1)]
    assert dict(PieceCounts.from_dict([("a", 2), ("a", 3)]).items()) == {"a": 5}
    assert PieceCounts.from_dict({"a": 1}).made_by is None
    told = PieceCounts.from_dict({"a": 1}, pretokenizer="bert", normalizer="nfc", special_tokens=["<x>"])
    assert told.made_by == {
        "normalizer": {"type": "nfc"},
        "pretokenizer": {"type": "bert"},
        "special_tokens": ["<x>"],
    }


@pytest.mark.parametrize("family", [bytemill.Word, bytemill.Char])
def test_training_from_counts_is_training_from_the_text(family: type, tmp_path: Path) -> None:
    stages = {"special_tokens": ["<x>"], "normalizer": "lowercase", "pretokenizer": "whitespace"}
    text = TEXT + " The End"
    counts = count([text], **stages)
    counts.save(tmp_path / "a.counts")
    expected = bytemill.train([text], family(), progress=False, **stages)
    for source in (counts, tmp_path / "a.counts", str(tmp_path / "a.counts")):
        trained = bytemill.train(source, family(), progress=False)
        assert trained.vocab() == expected.vocab()
        assert trained == expected
        assert bytemill.train(source, family(), **stages) == expected
    assert bytemill.train([tmp_path / "a.counts"], family()) == expected
    twice = bytemill.train([tmp_path / "a.counts", tmp_path / "a.counts"], family())
    assert twice == expected and twice.training_stats["documents"] == 2
    if family is bytemill.Word:
        assert bytemill.train(counts, family()).training_stats == expected.training_stats


def test_counts_that_do_not_tell_their_stages() -> None:
    counts = PieceCounts.from_dict({"the": 3, "cat": 1})
    tok = bytemill.train(counts, bytemill.Word(lowercase=True), special_tokens=["<x>"], pretokenizer="whitespace")
    assert list(tok.vocab())[4:] == ["<x>", "the", "cat"]
    assert tok.tokenize("THE<x>cat") == ["the", "<x>", "cat"]


@pytest.mark.parametrize("family", [bytemill.Word, bytemill.Char])
def test_memory_changes_nothing_in_a_training(family: type) -> None:
    texts = [f"word{i % 997} {i * i % 503}" for i in range(5000)]
    expected = bytemill.train(texts, family(), progress=False)
    assert bytemill.train(texts, family(), memory="1B", progress=False) == expected
    assert bytemill.train(texts, family(), memory="2GB", progress=False) == expected


def test_temporary_files_have_no_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen = []
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TMPDIR", str(tmp_path))

    def texts():
        for i in range(20_000):
            yield f"word{i}"
        seen.append(list(tmp_path.iterdir()))

    counts = count(texts(), memory="1B")
    assert len(counts) == 20_000
    assert seen == [[]] and list(tmp_path.iterdir()) == []


def test_no_folder_for_temporary_files() -> None:
    code = """
import os, bytemill
os.environ["TMPDIR"] = "/no/such/folder"
try:
    bytemill.count_pieces((f"word{i}" for i in range(20_000)), memory="1B", threads=1, progress=False)
except FileNotFoundError as error:
    print(error)
"""
    assert "/no/such/folder" in python(code)


def test_an_exception_stops_the_counting() -> None:
    class Enough(Exception):
        pass

    def stop(progress: object) -> None:
        raise Enough

    started = time.monotonic()
    with pytest.raises(Enough):
        count(("the cat" for _ in iter(int, 1)), progress=stop, memory="1MB")
    assert time.monotonic() - started < 20


def test_amounts_of_memory() -> None:
    assert [memory_bytes(text) for text in ("1B", "2 B", "3KB", "4kb", "1.5MB", "2GB", "1TB")] == [
        1,
        2,
        3000,
        4000,
        1_500_000,
        2 * 10**9,
        10**12,
    ]
    assert [memory_bytes(text) for text in ("1KiB", "1MiB", " 2 GiB ")] == [1024, 1 << 20, 2 << 30]
    assert memory_bytes(None) is None and memory_bytes(7_000_000) == 7_000_000


CONTRADICTION = (
    "{}= says something else than the counts, whose pieces were made with another; "
    "leave it out, or count the text again with it"
)


def train(**options: object) -> bytemill.Tokenizer:
    spec = options.pop("spec", bytemill.Word())
    return bytemill.train(options.pop("counts", count()), spec, progress=False, **options)


TABLE: Mistakes = {
    "no amount": (
        lambda folder: count(memory="2 apples"),
        errors.SpecError,
        "memory='2 apples' is no amount of memory; write it as in 2GB, 500MB or 64MiB",
    ),
    "no memory": (lambda folder: count(memory=0), errors.SpecError, "memory must be at least 1, not 0"),
    "not even a byte": (lambda folder: count(memory="0.1B"), errors.SpecError, "memory must be at least 1, not 0"),
    "memory of another type": (lambda folder: count(memory=1.5), TypeError, "memory is a whole number, not 1.5"),
    "an order": (lambda folder: count(order=1), TypeError, "order is True or False, not 1"),
    "text as a path": (
        lambda folder: count("the\ncat"),
        FileNotFoundError,
        "source is a str, which names a file or folder, and there is none of that name; "
        "to count the text itself, pass it in a list: count_pieces([text], …)",
    ),
    "an empty special token": (
        lambda folder: count(special_tokens=[""]),
        errors.SpecError,
        "a special token cannot be empty",
    ),
    "a piece of another type": (lambda folder: count()[5], TypeError, "a piece is a str, not 5"),
    "an empty piece": (
        lambda folder: PieceCounts.from_dict({"": 1}),
        errors.SpecError,
        "a piece cannot be empty",
    ),
    "a negative count": (
        lambda folder: PieceCounts.from_dict({"a": -1}),
        errors.SpecError,
        "a count must be at least 0, not -1",
    ),
    "more than can be counted": (
        lambda folder: train(counts=PieceCounts.from_dict({"a" * 5: 2**62}), spec=bytemill.Char()),
        errors.SpecError,
        "the counts of a piece together are more than 18,446,744,073,709,551,615",
    ),
    "no counts": (lambda folder: PieceCounts.merge([]), errors.SpecError, "there are no counts to merge"),
    "other things to merge": (lambda folder: PieceCounts.merge([{}]), TypeError, "merge takes PieceCounts, not dict"),
    "other stages": (
        lambda folder: count() + count(pretokenizer="gpt2"),
        errors.SpecError,
        "counts of pieces that were made by different pretokenizers cannot be merged; count the texts in the same way",
    ),
    "no order": (
        lambda folder: count().in_order_of_appearance(),
        errors.SpecError,
        "these counts do not know in which order pieces appeared; count again and keep it, with order=True",
    ),
    "another normalizer": (
        lambda folder: train(normalizer="nfc"),
        errors.SpecError,
        CONTRADICTION.format("normalizer"),
    ),
    "lower case": (
        lambda folder: train(spec=bytemill.Word(lowercase=True)),
        errors.SpecError,
        CONTRADICTION.format("normalizer"),
    ),
    "another pretokenizer": (
        lambda folder: train(pretokenizer="gpt2"),
        errors.SpecError,
        CONTRADICTION.format("pretokenizer"),
    ),
    "no pretokenizer for words": (
        lambda folder: train(counts=count(pretokenizer=None)),
        errors.SpecError,
        CONTRADICTION.format("pretokenizer"),
    ),
    "other special tokens": (
        lambda folder: train(special_tokens=["<y>"]),
        errors.SpecError,
        CONTRADICTION.format("special_tokens"),
    ),
    "counts among texts": (
        lambda folder: bytemill.train([folder / "a.counts", folder / "b.txt"], bytemill.Word()),
        errors.SpecError,
        "counts and texts cannot be trained on together: {folder}/b.txt holds no counts; count the texts and merge all",
    ),
    "no file": (
        lambda folder: PieceCounts.load(folder / "no.counts"),
        FileNotFoundError,
        "[Errno 2] No such file or directory: '{folder}/no.counts'",
    ),
    "no counts in the file": (
        lambda folder: bytemill.train(folder / "text.counts", bytemill.Word()),
        errors.FormatError,
        "{folder}/text.counts: these are no counts of pieces, "
        "which count-pieces or PieceCounts.save would have written",
    ),
    "a short file": (
        lambda folder: PieceCounts.load(folder / "short.counts"),
        errors.FormatError,
        "{folder}/short.counts: truncated: it ends inside its header",
    ),
}


@pytest.mark.parametrize("name", TABLE)
def test_messages(name: str, tmp_path: Path) -> None:
    (tmp_path / "text.counts").write_text("This is a text, and no file of counts.")
    (tmp_path / "short.counts").write_bytes(b"\x89CNTS")
    raises_exactly(TABLE[name], tmp_path)


def test_a_stage_that_the_counts_have_is_no_contradiction() -> None:
    assert train(pretokenizer=pretokenizers.Bert(), special_tokens=["<x>"]) == train()
    lower = normalizers.Bert(clean_text=False, strip_accents=False, lowercase=True, split_cjk=False)
    assert train(counts=count(normalizer=lower), spec=bytemill.Word(lowercase=True)) == train(
        counts=count(normalizer=lower)
    )


@pytest.mark.parametrize("model", ["unigram", "bpe", "word", "char"])
def test_sentencepiece_is_trained_from_counts_of_its_words(model: str, tmp_path: Path) -> None:
    texts = ["the low lower newest widest\n  the  low", "Ｌow lo \tnew"] * 3
    spec = bytemill.SentencePiece(vocab_size=24, model=model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = [bytemill.count_pieces([text], spec=spec, progress=False) for text in texts]
        (parts[0] + parts[1]).save(tmp_path / "a.counts")
        merged = bytemill.PieceCounts.merge([bytemill.PieceCounts.load(tmp_path / "a.counts"), *parts[2:]])
        expected = bytemill.train(texts, spec, progress=False)
        assert bytemill.train(merged, spec, progress=False).to_bytes("model") == expected.to_bytes("model")


def test_counts_that_are_not_for_sentencepiece() -> None:
    others = bytemill.count_pieces(["a b"], pretokenizer="bert", progress=False)
    with pytest.raises(SpecError, match=r"not made for this training; count the text with count_pieces\(…, spec=…\)"):
        bytemill.train(others, bytemill.Unigram(vocab_size=8), progress=False)
    with pytest.raises(SpecError, match="leave out pretokenizer, normalizer and special_tokens"):
        bytemill.count_pieces(["a"], spec=bytemill.Unigram(), pretokenizer="bert", progress=False)
    with pytest.raises(TypeError, match=r"spec is .*, not BPE"):
        bytemill.count_pieces(["a"], spec=bytemill.BPE(), progress=False)  # type: ignore[arg-type]
