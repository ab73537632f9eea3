"""Ragged: the rows of a batch in one flat array."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._arguments import checks
from ..errors import SpecError


class Ragged:
    """Rows of ids of different lengths: one flat `ids` array and the `offsets` where each row starts and ends.

    Row `i` is `ids[offsets[i]:offsets[i + 1]]`. Indexing gives views, not copies.

    Examples:
        >>> import numpy as np
        >>> rows = Ragged(np.array([7, 8, 9], np.uint32), np.array([0, 2, 2, 3]))
        >>> rows.to_list()
        [[7, 8], [], [9]]
        >>> rows.pad(value=0).tolist()
        [[7, 8], [0, 0], [9, 0]]
    """

    __slots__ = ("ids", "offsets", "pad_id")

    def __init__(self, ids: NDArray[np.uint32], offsets: NDArray[np.int64], pad_id: int | None = None) -> None:
        self.ids = ids
        self.offsets = offsets
        #: What `pad` fills rows with: the id of the pad token, where the tokenizer has one.
        self.pad_id = pad_id

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> NDArray[np.uint32]: ...
    @overload
    def __getitem__(self, index: slice) -> Ragged: ...
    def __getitem__(self, index: int | slice) -> NDArray[np.uint32] | Ragged:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                raise SpecError(f"a Ragged is sliced in steps of 1, not {step}")
            stop = max(start, stop)
            first, last = self.offsets[start], self.offsets[stop]
            return Ragged(self.ids[first:last], self.offsets[start : stop + 1] - first, self.pad_id)
        row = index + len(self) if index < 0 else index
        if not 0 <= row < len(self):
            raise IndexError(f"row {index} of a batch of {len(self)}")
        return self.ids[self.offsets[row] : self.offsets[row + 1]]

    def __iter__(self) -> Iterator[NDArray[np.uint32]]:
        return (self[row] for row in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ragged):
            return NotImplemented
        return np.array_equal(self.ids, other.ids) and np.array_equal(self.offsets, other.offsets)

    __hash__ = None  # type: ignore[assignment]  # the arrays can be written to

    def __repr__(self) -> str:
        return f"Ragged({len(self)} rows, {len(self.ids)} ids)"

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of ids in each row."""
        return np.diff(self.offsets)

    def to_list(self) -> list[list[int]]:
        """The rows as Python lists."""
        return _core._id_lists(self.ids, self.offsets)

    def pad(
        self,
        value: int | None = None,
        *,
        length: int | None = None,
        multiple_of: int = 1,
        side: Literal["left", "right"] = "right",
    ) -> NDArray[np.uint32] | NDArray[np.int64]:
        """A rectangle: every row filled up to the longest, or to `length`, on the given side.

        Rows are filled with `value`, an id, or else with the pad token of the tokenizer. `multiple_of` rounds the width
        up. A row longer than `length` is refused, not cut. With a negative `value`, as for labels that are left out,
        the array is int64.
        """
        value = self.pad_id if value is None else operator.index(value)
        if value is None:
            raise SpecError(
                "the tokenizer has no pad token; pass the id to fill rows with, as in pad(tok.eos_id), "
                "or pad(-100) for labels"
            )
        if length is not None:
            length = checks.whole_number("length", length, least=0)
        if side not in ("left", "right"):
            raise SpecError(f'side is "left" or "right", not {side!r}')
        multiple_of = checks.whole_number("multiple_of", multiple_of, least=1)
        lengths = self.lengths
        longest = int(lengths.max(initial=0))
        if length is not None and longest > length:
            row = int(lengths.argmax())
            raise SpecError(f"row {row} has {longest} ids, which do not fit in length={length}; cut it first")
        width = longest if length is None else length
        width = -(-width // multiple_of) * multiple_of
        padded = np.full((len(self), width), value, dtype=np.int64 if value < 0 else np.uint32)
        columns = np.arange(width)
        filled = columns < lengths[:, None] if side == "right" else columns >= width - lengths[:, None]
        padded[filled] = self.ids
        return padded
