"""`remove_tokens`: tokens go, and what is merged from them goes, too, or keeps them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Literal, get_args

from .._arguments import checks
from .._arguments.names import did_you_mean
from .._arguments.types import AnyPath
from ..errors import SpecError
from ..results.visible import visible
from ..tokenizer import Tokenizer
from ..training.sources import Source
from .derivations import dependents, needed_by
from .draft import Draft, shown
from .edit import Edit, Notes, finished, opened
from .growing import ordinary_pieces
from .outlines import needed_for
from .renumbering import close_gaps

#: A token that stands for a byte.
BYTE = re.compile(rb"<0x[0-9A-F]{2}>")

Needed = Literal["remove", "keep"]
Ids = Literal["compact", "keep"]


def remove_tokens(
    tokenizer: Tokenizer | AnyPath,
    tokens: Iterable[str | int],
    *,
    needed: Needed = "remove",
    ids: Ids = "compact",
    on: Source | None = None,
) -> Edit:
    """Removes tokens from a vocabulary.

    Single bytes of a byte-level model, and tokens that the template, padding or unknown text needs, are refused.

    Args:
        tokenizer: A tokenizer, or the file or name of one.
        tokens: The tokens as `Tokenizer.vocab` shows them, or their ids.
        needed: Only BPE: what happens if other tokens are merged from a token. `"remove"` removes those that merging
            no longer makes, too; `"keep"` keeps the token as a stepping stone.
        ids: `"compact"` gives the ids that become free to the tokens after them. `"keep"` leaves every other id as it
            is; pieces of a SentencePiece model are then marked as unused, since its file has no ids without a piece.
        on: Texts to measure the edit on: a path, a list of `Path`, or an iterable of `str`.

    Examples:
        >>> import bytemill
        >>> tok = bytemill.train(["low lower lowest"] * 9, bytemill.BPE(259), progress=False)
        >>> [*tok.vocab()][256:]
        ['lo', 'low', ' low']
        >>> edit = bytemill.surgery.remove_tokens(tok, ["low"])
        >>> [*edit.report.removed.values()]
        ['low', ' low']
        >>> [*bytemill.surgery.remove_tokens(tok, ["low"], needed="keep").report.kept.items()]
        [('low', "' low' is merged from it")]
    """
    tok = opened(tokenizer)
    how = checks.one_of("needed", needed, get_args(Needed))
    numbering = checks.one_of("ids", ids, get_args(Ids))
    draft, notes = Draft(tok), Notes()
    gone = {_found(tok, draft, token) for token in tokens}
    if not gone:
        raise SpecError("tokens is empty; name the tokens to remove")
    for id in sorted(gone):
        refuse_needed(draft, id)
    marks = numbering == "keep" and draft.pieces is not None
    if draft.outline["family"] == "bpe" and not marks:
        if how == "keep":
            for id, other in needed_by(draft, gone).items():
                name, product = (shown(draft.tokens[one] or b"") for one in (id, other))
                notes.kept[name] = f"{product!r} is merged from it"
                gone.discard(id)
        elif not draft.outline.get("whole_pieces"):
            gone |= dependents(draft, gone)
    remove(draft, gone, notes, numbering)
    return finished(draft, notes, on)


def remove(draft: Draft, gone: Collection[int], notes: Notes, ids: str) -> None:
    """Removes tokens of which nothing depends on another that stays."""
    lowest = _lowest(draft)
    notes.touched = {draft.token(id) or b"" for id in gone}
    if ids == "keep" and draft.pieces is not None:
        _mark_unused(draft, gone)
    else:
        _forget_symbols(draft, gone)
        draft.drop(gone)
    if _lowest(draft) != lowest:
        # Unknown characters have a score that depends on it.
        notes.touched = None
    if ids == "compact":
        close_gaps(draft)


def _lowest(draft: Draft) -> float | None:
    if draft.outline["family"] != "unigram" or draft.scores is None:
        return None
    return min((draft.scores[id] for id in ordinary_pieces(draft).values()), default=0.0)


def _mark_unused(draft: Draft, gone: Collection[int]) -> None:
    """Pieces keep their ids, and texts are not encoded to them."""
    pieces = draft.pieces
    assert pieces is not None
    special = [id for id in gone if id in pieces["reserved"] or id in pieces["user_defined"]]
    if special:
        name = shown(draft.token(special[0]) or b"")
        raise SpecError(f'{name!r} is no ordinary piece and cannot be marked as unused; remove it with ids="compact"')
    pieces["unused"] = sorted({*pieces["unused"], *gone})


def _forget_symbols(draft: Draft, gone: Collection[int]) -> None:
    """The normalizer of SentencePiece no longer keeps the user's symbols that go."""
    names = {shown(draft.tokens[id] or b"") for id in gone if draft.pieces and id in draft.pieces["user_defined"]}
    if names:
        normalizer = draft.outline["normalizer"]
        normalizer["kept"] = [name for name in normalizer["kept"] if name not in names]


def refuse_needed(draft: Draft, id: int) -> None:
    """Refuses to remove what a tokenizer cannot do without."""
    token = draft.token(id) or b""
    name = visible(shown(token))
    if (why := needed_for(draft.outline, id)) is not None:
        raise SpecError(f"{name!r} cannot be removed: {why}")
    if (why := base(draft, id)) is not None:
        raise SpecError(f"{name!r} cannot be removed: {why}")


def base(draft: Draft, id: int) -> str | None:
    """Why texts could not be encoded without a token."""
    if draft.added_at(id) is not None:
        return None
    token, symbols = draft.token(id) or b"", draft.symbols
    if symbols["byte_fallback"] and BYTE.fullmatch(token):
        return "characters without a token become bytes"
    if draft.outline["family"] == "bpe" and symbols["unit"] == "bytes":
        body = token.removeprefix(symbols["prefix"].encode()).removesuffix(symbols["suffix"].encode())
        return "texts are merged from single bytes" if len(body) == 1 else None
    return None


def _found(tok: Tokenizer, draft: Draft, token: str | int) -> int:
    if isinstance(token, str):
        id = tok.token_to_id(token)
        if id is None:
            # Comparing takes long, and others are no misspelling of it.
            alike = [name for name in tok.vocab() if abs(len(name) - len(token)) <= 2]
            meant = did_you_mean(token, alike)
            raise SpecError(f"{token!r} is not a token; tokens are named as Tokenizer.vocab() shows them{meant}")
        return id
    id = checks.whole_number("a token", token, least=0)
    if draft.token(id) is None:
        raise SpecError(f"no token has the id {id}")
    return id
