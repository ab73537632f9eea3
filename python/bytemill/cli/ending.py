"""The id after every document: a special token, a role, or an id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._arguments.names import did_you_mean
from ..errors import SpecError

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer


def ending(tok: Tokenizer, token: str | None, id: int | None) -> int | None:
    """The id that `--append` or `--append-id` names. An ordinary token would be text that nobody wrote."""
    if token is not None and id is not None:
        raise SpecError("give --append or --append-id, not both")
    if token is None:
        return id
    roles: dict[str, str] = getattr(tok, "roles", {})
    special = tok.special_tokens
    found = special.get(roles.get(token, token))
    if found is not None:
        return found
    if tok.token_to_id(token) is not None:
        raise SpecError(
            f"{token!r} is an ordinary token, which --append does not put after documents; pass a special token "
            f"(known: {', '.join(list(special)[:8]) or 'none'}), or --append-id {tok.token_to_id(token)} to insist"
        )
    known = ", ".join([*roles, *list(special)[:8]]) or "none"
    raise SpecError(f"there is no special token {token!r}{did_you_mean(token, special)} (known: {known})")
