"""The second name of every method: `EncodeAsIds` is also `encode_as_ids`."""

from __future__ import annotations

import re
from typing import TypeVar

T = TypeVar("T")


def with_snake_case(cls: type[T]) -> type[T]:
    for base in reversed(cls.__mro__[:-1]):
        for name in [name for name in vars(base) if re.match("[A-Z]", name)]:
            snake = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower().replace("n_best", "nbest")
            setattr(cls, snake, vars(base)[name])
    return cls
