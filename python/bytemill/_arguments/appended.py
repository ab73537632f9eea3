"""What `append=` puts after every document."""

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


def appended_id(
    tok: _core.Tokenizer, append: str | int, *, option: str = "append={!r}", option_of_id: str = "append={}"
) -> int:
    """The id of a special token or of a role, or an id itself. An ordinary token is most likely a mistake.

    `option` and `option_of_id` are how the user writes either.
    """
    if not isinstance(append, str):
        return checks.whole_number("append", append, least=0)
    special = tok.added_tokens | tok.special_tokens
    if append in special:
        return special[append]
    if append in tok.roles:
        return int(getattr(tok, f"{append}_id"))
    if append in ROLES:
        raise SpecError(f"{option.format(append)}: this tokenizer has no such token{_ways_out(special)}")
    ordinary = tok.token_to_id(append)
    if ordinary is not None:
        raise SpecError(
            f"{option.format(append)} is an ordinary token, which a text may hold as well; to append it all the same, "
            f"pass its id, {option_of_id.format(ordinary)}{_ways_out(special)}"
        )
    raise SpecError(f"{option.format(append)} is no special token{did_you_mean(append, special)}{_ways_out(special)}")


def _ways_out(special: Mapping[str, int]) -> str:
    if not special:
        return "; there are no special tokens: pass an id, or train with special_tokens=[…]"
    return f" (special tokens: {listed(list(special))})"
