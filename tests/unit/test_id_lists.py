"""Lists of ids, read and written where the interpreter keeps them, and by its calls: the same."""

from __future__ import annotations

import enum
import sysconfig
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytemill
from bytemill import _core
from tests.samples import words


class Number(int):
    pass


class Odd(int):
    def __index__(self) -> int:
        return 7


class Index:
    def __init__(self, number: int) -> None:
        self.number = number

    def __index__(self) -> int:
        return self.number


class Colour(enum.IntEnum):
    RED = 3


#: An interpreter without a lock keeps its objects otherwise, and its lists are read by its calls alone.
LAYOUT = not sysconfig.get_config_var("Py_GIL_DISABLED")
EDGES = [0, 1, 255, 256, 257, 2**30 - 1, 2**30, 2**30 + 1, 2**31, 2**32 - 1]
OUTSIDE = [-1, -(2**30), 2**32, 2**32 + 1, 2**60, 2**64, -(2**64), 10**40]
KINDS = [
    True,
    False,
    Number(5),
    Number(2**31),
    Odd(5),
    Index(9),
    Colour.RED,
    np.int64(4),
    np.uint8(200),
    np.uint32(2**32 - 1),
]
NO_IDS = [1.0, "1", b"1", None, [1], np.float32(1), object()]


def copied(ids: list[Any], direct: bool) -> list[int] | None:
    return _core._copied_ids(ids, direct and LAYOUT)


def outcome(ids: list[Any], direct: bool) -> list[int] | tuple[type[BaseException], str] | None:
    try:
        return copied(ids, direct)
    except (TypeError, bytemill.errors.UnknownIdError) as error:
        return type(error), str(error)


def test_this_interpreter_has_the_known_layout() -> None:
    assert _core._copied_ids([1, 2, 3], True) == ([1, 2, 3] if LAYOUT else None)


@pytest.mark.parametrize("item", [*EDGES, *OUTSIDE, *KINDS, *NO_IDS], ids=lambda item: type(item).__name__)
def test_each_kind_of_item_is_taken_alike(item: Any) -> None:
    for ids in ([item], [1, item, 2], [item] * 3, [0, item]):
        assert outcome(ids, direct=True) == outcome(ids, direct=False)


@given(st.lists(st.one_of(st.integers(0, 2**17), st.sampled_from(EDGES + OUTSIDE + KINDS), st.sampled_from(NO_IDS))))
def test_any_mixture_is_taken_alike(ids: list[Any]) -> None:
    direct = outcome(ids, direct=True)
    assert direct == outcome(ids, direct=False)
    if all(isinstance(item, int) and not isinstance(item, Odd) and 0 <= item < 2**32 for item in ids):
        assert direct == [int(item) for item in ids]


@given(st.lists(st.integers(0, 2**32 - 1)), st.integers(0, 50))
def test_lists_that_grew_and_shrank(ids: list[int], removed: int) -> None:
    grown: list[int] = []
    for item in ids:
        grown.append(item)
    del grown[: removed % (len(grown) + 1)]
    assert copied(grown, True) == copied(grown, False) == grown


@pytest.mark.parametrize("direct", [True, False])
def test_a_list_that_an_item_changes_is_read_as_it_then_is(direct: bool) -> None:
    class Emptying(Index):
        def __index__(self) -> int:
            ids.clear()
            return self.number

    class Extending(Index):
        def __index__(self) -> int:
            ids.extend([8, 9])
            return self.number

    ids: list[Any] = [1, Emptying(2), *range(1000)]
    assert copied(ids, direct) == [1, 2]
    ids = [1, Extending(2), 3]
    assert copied(ids, direct) == [1, 2, 3, 8, 9]


def test_tuples_and_subclasses_of_list() -> None:
    class Ids(list):  # type: ignore[type-arg]
        pass

    tok = words(["the cat"])
    assert tok.decode(Ids([5, 4])) == tok.decode((5, 4)) == tok.decode((5, np.int64(4))) == "the cat"
    with pytest.raises(TypeError, match="ids are integers, not str"):
        tok.decode((5, "4"))


def test_integers_of_lists_outlive_their_tokenizer() -> None:
    tok = words(["the cat " * 3])
    ids = tok.encode("the cat the cat")
    again = copied(ids, True)
    del tok
    assert again == ids == [5, 4, 5, 4]
