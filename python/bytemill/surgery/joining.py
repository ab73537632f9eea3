"""`merge`: the tokens of two tokenizers in one."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from .._arguments.types import AnyPath
from ..errors import SpecError
from ..see.linting.subject import Subject
from ..tokenizer import Tokenizer
from ..training.sources import Source
from .adding import Growing, with_added, with_plain
from .draft import shown
from .edit import Edit, finished, opened
from .embedding import EmbeddingMap


def merge(
    tokenizer: Tokenizer | AnyPath,
    other: Tokenizer | AnyPath,
    *,
    stepping_stones: bool = True,
    on: Source | None = None,
) -> Edit:
    """Adds the tokens of another tokenizer of the same family, in the order of their ids.

    The ids, the stages and the template are those of the first tokenizer. Tokens of the other are added as
    `add_tokens` adds them; those that no text would be encoded to are left out, and the report says why. Special
    tokens of the other that the first does not have are added last. `Edit.other_map` says which new id each id of the
    other tokenizer has.

    Args:
        tokenizer: A tokenizer, or the file or name of one.
        other: The tokenizer whose tokens are added.
        stepping_stones: Only BPE: False leaves out tokens that are merged from more than two tokens.
        on: Texts to measure the edit on: a path, a list of `Path`, or an iterable of `str`.

    Examples:
        >>> import bytemill
        >>> one = bytemill.train(["low lower lowest"] * 9, bytemill.BPE(259), progress=False)
        >>> two = bytemill.train(["new newer newest"] * 9, bytemill.BPE(259), progress=False)
        >>> both = bytemill.surgery.merge(one, two)
        >>> [*both.tokenizer.vocab()][256:]
        ['lo', 'low', ' low', 'ew', 'new', ' new']
        >>> both.other_map.new_ids[256:].tolist()
        [259, 260, 261]
    """
    one, two = opened(tokenizer), opened(other)
    _refuse_other_kinds(one, two)
    subject = Subject(two)
    missing = [token for id, token in sorted(subject.ordinary.items()) if one.token_to_id(token) is None]
    scores = (
        {shown(token): two.score([subject.tok.token_to_id(token) or 0]) for token in missing} if _scored(one) else {}
    )
    draft, notes = with_plain(one, dict.fromkeys(missing), Growing(False, stepping_stones, scores))
    if added := _missing_added(one, two):
        for special in (True, False):
            names = [name for name, is_special in added.items() if is_special == special]
            if names:
                _, more = with_added(draft, dict.fromkeys(names), special, False)
                notes.touched = None if notes.touched is None or more.touched is None else notes.touched | more.touched
    edit = finished(draft, notes, on)
    return dataclasses.replace(edit, other_map=_map_of(two, edit.tokenizer))


def _scored(tok: Tokenizer) -> bool:
    return tok.family == "unigram"


def _missing_added(one: Tokenizer, two: Tokenizer) -> dict[str, bool]:
    """The added tokens that only the second tokenizer has, and whether each is special."""
    specials = two.special_tokens
    names = {**two.added_tokens, **specials}
    unk = two.unk_id
    return {name: name in specials for name, id in names.items() if one.token_to_id(name) is None and id != unk}


def _refuse_other_kinds(one: Tokenizer, two: Tokenizer) -> None:
    kinds = [_kind(json.loads(tok.definition())) for tok in (one, two)]
    for name, first in kinds[0].items():
        second = kinds[1][name]
        if first != second:
            raise SpecError(
                f"tokenizers are merged that agree in {name}: the first has {first!r}, the second {second!r}"
            )


def _kind(definition: dict[str, Any]) -> dict[str, str]:
    """What the tokens of both must have in common to mean the same text."""
    symbols = {"unit": "bytes", "prefix": "", "suffix": "", **definition.get("symbols", {})}
    marks = definition.get("subwords") or symbols
    return {
        "family": definition["family"],
        "unit": symbols["unit"],
        "prefix": marks["prefix"],
        "suffix": symbols["suffix"],
    }


def _map_of(old: Tokenizer, new: Tokenizer) -> EmbeddingMap:
    """Which id each token has in another tokenizer."""
    origins: dict[int, int] = {}
    for token, id in old.vocab_bytes().items():
        found = new.token_to_id(token)
        if found is not None:
            origins.setdefault(found, id)
    return EmbeddingMap.of((old.vocab_size, new.vocab_size), origins, {})
