"""`reorder` and `compact`: the same tokens under other ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .._arguments import checks
from .._arguments.types import AnyPath
from ..errors import SpecError
from ..tokenizer import Tokenizer
from .draft import Draft
from .edit import Edit, Notes, finished, opened


def reorder(tokenizer: Tokenizer | AnyPath, ids: Mapping[int, int] | Iterable[int]) -> Edit:
    """Gives tokens other ids. Every text keeps its tokens.

    Args:
        tokenizer: A tokenizer, or the file or name of one.
        ids: Old ids with their new ones; the others stay. Or a list of all old ids in their new order.

    Examples:
        >>> import bytemill
        >>> tok = bytemill.train(["the cat"], bytemill.Word(), progress=False)
        >>> tok.encode("the cat")
        [5, 4]
        >>> edit = bytemill.surgery.reorder(tok, {4: 5, 5: 4})
        >>> edit.tokenizer.encode("the cat")
        [4, 5]
    """
    draft = Draft(opened(tokenizer))
    present = draft.present()
    new = {id: id for id in present} | _wanted(ids)
    unknown = sorted({*new} - {*present})
    if unknown:
        raise SpecError(f"no token has the id {unknown[0]}")
    seen: dict[int, int] = {}
    for old, id in new.items():
        if id in seen:
            raise SpecError(f"the ids {seen[id]} and {old} would both become {id}")
        seen[id] = old
    _check_order(draft, new)
    draft.renumber(new)
    return finished(draft, Notes(), None)


def _wanted(ids: Mapping[int, int] | Iterable[int]) -> dict[int, int]:
    pairs = ids.items() if isinstance(ids, Mapping) else ((old, new) for new, old in enumerate(ids))
    return {
        checks.whole_number("an id", old, least=0): checks.whole_number("an id", new, least=0) for old, new in pairs
    }


def _check_order(draft: Draft, new: Mapping[int, int]) -> None:
    if draft.merging == "concatenations":
        order = [new[id] for id in sorted(draft.ids.values())]
        if order != sorted(order):
            raise SpecError(
                "tokens of tiktoken merge in the order of their ids, so that their order cannot change; "
                "save the tokenizer as tokenizer.json, which lists its merges, and reorder that"
            )
    if draft.pieces is not None and sorted(new.values()) != [*range(len(new))]:
        raise SpecError(
            "a SentencePiece model has no ids without a piece: the new ids must be 0, 1, 2, … without a gap"
        )


def compact(tokenizer: Tokenizer | AnyPath) -> Edit:
    """Gives the tokens the ids 0, 1, 2, … in their order, so that no id is without a token.

    Examples:
        >>> import bytemill
        >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"th": 300}
        >>> tok = bytemill.Tokenizer.from_ranks(ranks, pattern="gpt2", special_tokens={"<|end|>": 400})
        >>> edit = bytemill.surgery.compact(tok)
        >>> tok.vocab_size, edit.tokenizer.vocab_size, edit.tokenizer.special_tokens
        (401, 258, {'<|end|>': 257})
    """
    draft = Draft(opened(tokenizer))
    close_gaps(draft)
    return finished(draft, Notes(), None)


def close_gaps(draft: Draft) -> None:
    """Renumbers the tokens of a draft so that no id is without one."""
    draft.renumber({old: new for new, old in enumerate(draft.present())})
