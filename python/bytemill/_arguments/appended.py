"""Tokens by name: what `append=` and `prepend=` put around every document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..errors import SpecError
from ..results.html import listed
from . import checks
from .names import did_you_mean

if TYPE_CHECKING:
    from .. import _core

#: What tokens may be there for, by the names of `Tokenizer.roles`.
ROLES = ("pad", "unk", "bos", "eos", "cls", "sep", "mask")


def token_id(
    tok: _core.Tokenizer, name: str, token: str | int, *, option: str | None = None, option_of_id: str | None = None
) -> int:
    """The id of a special token or of a role, or an id itself. An ordinary token is most likely a mistake.

    `name` is that of the argument; `option` and `option_of_id` are how the user writes either, if not as in Python.
    """
    if not isinstance(token, str):
        return checks.whole_number(name, token, least=0)
    given = (option or f"{name}={{!r}}").format(token)
    special = tok.added_tokens | tok.special_tokens
    if token in special:
        return special[token]
    if token in tok.roles:
        return int(getattr(tok, f"{token}_id"))
    if token in ROLES:
        raise SpecError(f"{given}: this tokenizer has no such token{_ways_out(special)}")
    ordinary = tok.token_to_id(token)
    if ordinary is not None:
        by_id = (option_of_id or f"{name}={{}}").format(ordinary)
        raise SpecError(
            f"{given} is an ordinary token, which a text may hold as well; to {name} it all the same, "
            f"pass its id, {by_id}{_ways_out(special)}"
        )
    raise SpecError(f"{given} is no special token{did_you_mean(token, [*special, *tok.roles])}{_ways_out(special)}")


def optional_token_id(tok: _core.Tokenizer, name: str, token: str | int | None) -> int | None:
    return None if token is None else token_id(tok, name, token)


def _ways_out(special: Mapping[str, int]) -> str:
    if not special:
        return "; there are no special tokens: pass an id, or train with special_tokens=[…]"
    return f" (special tokens: {listed(list(special))})"
