"""numpy's integers are integers, wherever a number is asked for."""

import numpy as np
import pytest

import bytemill
from bytemill.errors import SpecError
from bytemill.results.ragged import Ragged
from tests.samples import words


def test_ids_and_options() -> None:
    tok = words(["the cat"])
    ids = tok.encode_array("the cat")
    assert [tok.id_to_token(id) for id in ids] == ["the", "cat"]
    assert [tok.id_to_bytes(id) for id in ids] == [tok.id_to_token(int(id)).encode() for id in ids]
    small = bytemill.train(["a b c"], bytemill.Word(vocab_size=np.int64(5)), threads=np.int64(2), progress=False)
    assert small.vocab_size == 5 and small.encode_batch(["a"], threads=np.int64(1)).to_list() == [[4]]


def test_arrays_whose_values_are_apart_or_not_aligned() -> None:
    tok = words(["the cat"])
    ids = tok.encode_array("the cat the")
    apart = np.repeat(ids, 3)[::3]
    shifted = np.frombuffer(b"." + ids.tobytes(), np.uint32, offset=1)
    assert not shifted.flags.aligned and not apart.flags.contiguous
    for array in (ids, apart, ids[::-1], shifted):
        assert tok.decode(array) == tok.decode(array.tolist())
        assert Ragged(array, np.array([0, 9, 1, 9, 3])[::2]).to_list() == [[array[0]], array[1:].tolist()]


def test_labels_are_padded_with_negative_numbers() -> None:
    rows = words(["a b"]).encode_batch(["a b", "a"])
    padded = rows.pad(-100)
    assert padded.dtype == np.int64 and padded[1, 1] == -100
    assert rows.pad(0).dtype == np.uint32
    for wrong in ({"length": -1}, {"multiple_of": 0}):
        with pytest.raises(SpecError):
            rows.pad(0, **wrong)


def test_numbers_beyond_all_measure() -> None:
    with pytest.raises(SpecError, match="vocab_size must be at most"):
        bytemill.Word(vocab_size=10**30)
    with pytest.raises(SpecError, match="threads must be at least 1"):
        words(["a"]).count_batch(["a"], threads=0)
