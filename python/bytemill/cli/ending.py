"""The ids around every document: a special token, a role, or an id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import SpecError

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer


def beginning(tok: Tokenizer, token: str | None) -> int | None:
    """The id that `--prepend` names."""
    from .._arguments.appended import token_id

    return None if token is None else token_id(tok, "prepend", token, option="--prepend {!r}")


def ending(tok: Tokenizer, token: str | None, id: int | None) -> int | None:
    """The id that `--append` or `--append-id` names."""
    from .._arguments.appended import token_id

    if token is not None and id is not None:
        raise SpecError("give --append or --append-id, not both")
    if token is None:
        return id
    return token_id(tok, "append", token, option="--append {!r}", option_of_id="--append-id {}")
