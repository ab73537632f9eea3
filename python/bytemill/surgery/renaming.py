"""`rename_specials`: special tokens under other names, with the ids that they had."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from .._arguments import checks
from .._arguments.names import did_you_mean
from .._arguments.types import AnyPath
from ..chat.settings import Settings
from ..errors import SpecError
from ..tokenizer import Tokenizer
from .draft import Draft
from .edit import Edit, Notes, finished, opened
from .outlines import renamed


def rename_specials(tokenizer: Tokenizer | AnyPath, names: Mapping[str, str]) -> Edit:
    """Gives special and other added tokens other names. Their ids and roles stay.

    The template around a text, the padding and the settings of the model's folder name them anew. So does a chat
    template, in which every occurrence of the old name is replaced.

    Args:
        tokenizer: A tokenizer, or the file or name of one.
        names: The old names with the new ones.

    Examples:
        >>> import bytemill
        >>> tok = bytemill.train(["the cat"], bytemill.Word(), progress=False)
        >>> edit = bytemill.surgery.rename_specials(tok, {"<BOS>": "<|start|>"})
        >>> edit.tokenizer.tokenize("<|start|>the"), edit.tokenizer.bos_id
        (['<|start|>', 'the'], 2)
    """
    tok = opened(tokenizer)
    if not isinstance(names, Mapping):
        raise TypeError(f"names is a mapping of old names to new ones, not {type(names).__name__}")
    draft = Draft(tok)
    known = {**tok.added_tokens, **tok.special_tokens}
    for old, new in names.items():
        checks.text("a name", old)
        checks.text("a name", new)
        _check(tok, known, old, new)
    # Roles may follow from usual names, which may be gone.
    roles = {role: getattr(tok, f"{role}_id") for role in tok.roles}
    draft.outline = renamed(draft.outline, names)
    draft.outline["roles"] = roles
    for old, new in names.items():
        id = draft.ids.get(old.encode())
        if id is not None and id == known[old]:
            del draft.ids[old.encode()]
            draft.tokens[id] = new.encode()
            draft.ids[new.encode()] = id
    if draft.pieces is not None:
        kept = draft.outline["normalizer"]["kept"]
        draft.outline["normalizer"]["kept"] = [names.get(name, name) for name in kept]
    both = {name.encode() for pair in names.items() for name in pair}
    draft.settings = _renamed_settings(tok.settings, names)
    return finished(draft, Notes(touched=both, renamed={**names}), None)


def _check(tok: Tokenizer, known: Mapping[str, int], old: str, new: str) -> None:
    if old not in known:
        raise SpecError(f"{old!r} is not a special token{did_you_mean(old, known)}")
    if not new:
        raise SpecError("a name cannot be empty")
    id = tok.token_to_id(new)
    if id is not None:
        raise SpecError(f"{new!r} is a token already, with the id {id}")


def _renamed_settings(settings: Settings, names: Mapping[str, str]) -> Settings:
    templates = {name: _replaced(template, names) for name, template in settings.chat_templates.items()}
    config, special = (_renamed_values(one, names) for one in (settings.config, settings.special_tokens))
    return dataclasses.replace(settings, chat_templates=templates, config=config, special_tokens=special)


def _replaced(template: str, names: Mapping[str, str]) -> str:
    for old, new in names.items():
        template = template.replace(old, new)
    return template


def _renamed_values(value: Any, names: Mapping[str, str]) -> Any:
    """JSON in which every text that is an old name is the new one."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, Mapping):
        return {key: _renamed_values(inner, names) for key, inner in value.items()}
    if isinstance(value, list):
        return [_renamed_values(inner, names) for inner in value]
    return value
