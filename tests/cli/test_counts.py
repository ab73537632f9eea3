"""Every option of `count-pieces` and `merge-counts` changes the counts as it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from bytemill import PieceCounts


@pytest.mark.parametrize(
    ("options", "pieces"),
    [
        ([], [" b", "<x", ">", "A"]),
        (["--pretokenizer", "bert"], ["<", ">", "A", "b", "x"]),
        (["--normalizer", "lowercase"], [" b", "<x", ">", "a"]),
        (["--special", "<x>", "--special", "<y>"], [" b", "A"]),
        (["--threads", "2", "--memory", "1KiB"], [" b", "<x", ">", "A"]),
    ],
)
def test_option(invoke, options, pieces):
    Path("text.txt").write_text("A b<x>")
    code, _, err = invoke("count-pieces", "text.txt", "-o", "new.counts", *options)
    assert code == 0, err
    assert list(PieceCounts.load("new.counts")) == pieces


def test_field_errors_and_standard_input(invoke):
    assert invoke("count-pieces", "records.jsonl", "-o", "new.counts", "--field", "id")[0] == 1
    assert invoke("count-pieces", "latin1.txt", "-o", "new.counts")[0] == 1
    assert not Path("new.counts").exists()
    assert invoke("count-pieces", "latin1.txt", "-o", "new.counts", "--errors", "replace")[0] == 0
    assert "caf" in PieceCounts.load("new.counts")


def test_order(invoke):
    assert invoke("count-pieces", "corpus.txt", "-o", "new.counts", "--order")[0] == 0
    assert PieceCounts.load("new.counts").in_order_of_appearance()[:2] == [("The", 2), (" cat", 3)]


def test_merging(invoke):
    for name in ("a", "b"):
        assert invoke("count-pieces", f"texts/{name}.txt", "-o", f"{name}.counts")[0] == 0
    assert (
        invoke("merge-counts", "a.counts", "b.counts", "-o", "all.counts", "--threads", "2", "--memory", "1B")[0] == 0
    )
    assert dict(PieceCounts.load("all.counts").items()) == {" cat": 1, " dog": 1, "the": 2}
    # The output may be one of the sources no more than elsewhere.
    assert invoke("merge-counts", "a.counts", "b.counts", "-o", "a.counts")[0] == 2
