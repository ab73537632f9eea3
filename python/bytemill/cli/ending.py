"""The id after every document: a special token, a role, or an id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import SpecError

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer


def ending(tok: Tokenizer, token: str | None, id: int | None) -> int | None:
    """The id that `--append` or `--append-id` names."""
    from .._arguments.appended import appended_id

    if token is not None and id is not None:
        raise SpecError("give --append or --append-id, not both")
    if token is None:
        return id
    return appended_id(tok, token, option="--append {!r}", option_of_id="--append-id {}")
