"""Ragged: rows without copies."""

from __future__ import annotations

import numpy as np
import pytest

from bytemill import Ragged
from tests.samples import words


@pytest.fixture
def rows() -> Ragged:
    """[[7, 8, 9], [], [5], [6, 4]]"""
    return Ragged(np.array([7, 8, 9, 5, 6, 4], np.uint32), np.array([0, 3, 3, 4, 6], np.int64))


def test_what_encode_batch_gives() -> None:
    tok = words(["the cat"])
    batch = tok.encode_batch(["the cat", "", "cat"])
    assert isinstance(batch, Ragged)
    assert batch.ids.dtype == np.uint32 and batch.ids.tolist() == [5, 4, 4]
    assert batch.offsets.dtype == np.int64 and batch.offsets.tolist() == [0, 2, 2, 3]
    assert batch.ids.flags["C_CONTIGUOUS"] and batch.offsets.flags["C_CONTIGUOUS"]


def test_rows_are_views(rows: Ragged) -> None:
    assert [row.tolist() for row in rows] == [[7, 8, 9], [], [5], [6, 4]]
    for row in (rows[0], rows[-1], next(iter(rows)), rows[1:].ids, rows[3:4][0]):
        assert np.shares_memory(row, rows.ids)
    rows[0][1] = 1
    assert rows.ids.tolist() == [7, 1, 9, 5, 6, 4]


def test_len_index_and_iteration(rows: Ragged) -> None:
    assert len(rows) == 4
    assert rows[3].tolist() == rows[-1].tolist() == rows[np.int64(3)].tolist() == [6, 4]
    assert rows[1].tolist() == [] and rows[1].dtype == np.uint32
    assert rows.lengths.tolist() == [3, 0, 1, 2]
    for index in (4, -5):
        with pytest.raises(IndexError, match=f"row {index} of a batch of 4"):
            rows[index]


@pytest.mark.parametrize(
    "part",
    [slice(None), slice(1, 3), slice(2, None), slice(-1, None), slice(0, 0), slice(3, 1), slice(9, 12), slice(-9, 2)],
)
def test_slices_are_those_of_the_list(rows: Ragged, part: slice) -> None:
    assert rows[part].to_list() == rows.to_list()[part]
    assert rows[part].offsets[0] == 0


def test_to_list_gives_python_integers(rows: Ragged) -> None:
    assert rows.to_list() == [[7, 8, 9], [], [5], [6, 4]]
    assert type(rows.to_list()[0][0]) is int


def test_equality(rows: Ragged) -> None:
    same = Ragged(rows.ids.copy(), rows.offsets.copy())
    assert rows == same
    same.ids[0] = 1
    assert rows != same
    assert rows != Ragged(rows.ids, np.array([0, 2, 3, 4, 6]))
    assert rows != [[7, 8, 9], [], [5], [6, 4]]
    with pytest.raises(TypeError):
        hash(rows)


def test_repr(rows: Ragged) -> None:
    assert repr(rows) == "Ragged(4 rows, 6 ids)"


def test_pad_to_the_longest(rows: Ragged) -> None:
    padded = rows.pad(0)
    assert padded.dtype == np.uint32
    assert padded.tolist() == [[7, 8, 9], [0, 0, 0], [5, 0, 0], [6, 4, 0]]
    assert rows.pad(1).tolist() == rows.pad(value=1).tolist() == [[7, 8, 9], [1, 1, 1], [5, 1, 1], [6, 4, 1]]


def test_pad_on_the_left(rows: Ragged) -> None:
    assert rows.pad(0, side="left").tolist() == [[7, 8, 9], [0, 0, 0], [0, 0, 5], [0, 6, 4]]
    assert rows[2:].pad(1, side="left", length=3).tolist() == [[1, 1, 5], [1, 6, 4]]


def test_pad_to_a_length(rows: Ragged) -> None:
    assert rows[2:].pad(0, length=3).tolist() == [[5, 0, 0], [6, 4, 0]]
    assert rows.pad(0, length=3).shape == (4, 3)


def test_pad_to_a_multiple(rows: Ragged) -> None:
    assert rows.pad(0, multiple_of=4).tolist() == [[7, 8, 9, 0], [0, 0, 0, 0], [5, 0, 0, 0], [6, 4, 0, 0]]
    assert rows.pad(0, multiple_of=3).shape == (4, 3)
    assert rows.pad(0, length=5, multiple_of=4).shape == (4, 8)
    assert rows[2:].pad(0, side="left", multiple_of=4).tolist() == [[0, 0, 0, 5], [0, 0, 6, 4]]


def test_pad_of_little() -> None:
    none = Ragged(np.array([], np.uint32), np.array([0]))
    blank = Ragged(np.array([], np.uint32), np.array([0, 0, 0]))
    assert none.pad(0).shape == (0, 0) and none.pad(0, length=4).shape == (0, 4)
    assert blank.pad(0).shape == (2, 0) and blank.pad(9, length=2).tolist() == [[9, 9], [9, 9]]
    assert len(none) == 0 and none.to_list() == [] and none[:].to_list() == []


def test_padding_is_a_new_array(rows: Ragged) -> None:
    assert not np.shares_memory(rows.pad(0), rows.ids)
