"""Checks of what the files around a tokenizer say: chat templates, roles, lengths."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .findings import Finding, some

if TYPE_CHECKING:
    from .subject import Subject

#: What looks like a special token in a template.
_MARKED = re.compile(r"<\|[^<>|\s]{1,40}\|>|\[/?[A-Z_]{2,20}\]|<(?:start|end)_of_\w+>|</?s>")


def check_template(subject: Subject) -> Iterator[Finding]:
    """Tokens that chat templates write and the vocabulary does not have as added tokens."""
    missing = []
    for name, template in subject.tok.settings.chat_templates.items():
        for marked in dict.fromkeys(_MARKED.findall(template)):
            if marked not in subject.tok.added_tokens and subject.tok.token_to_id(marked) is None:
                missing.append(f"{marked} in the template {name!r}")
    yield from some(
        "template-without-token",
        "warning",
        missing,
        "tokens that chat templates write and the vocabulary does not have: {}",
        "add them as special tokens, or take the template that belongs to the tokenizer: they become plain text",
    )


def check_roles(subject: Subject) -> Iterator[Finding]:
    """Tokens that settings name for a role and the vocabulary does not have."""
    settings, missing, differing = subject.tok.settings, [], []
    for source in (settings.config, settings.special_tokens):
        for name, token in _roles(source):
            role = name.removesuffix("_token")
            if subject.tok.token_to_id(token) is None:
                missing.append(f"{name}: {token}")
            elif subject.tok.roles.get(role, token) != token:
                differing.append(f"{name}: {token} there, {subject.tok.roles[role]} in the tokenizer")
    yield from some(
        "role-without-token",
        "error",
        [*dict.fromkeys(missing)],
        "tokens of the settings that are not in the vocabulary: {}",
        "add them as special tokens, or correct tokenizer_config.json",
    )
    yield from some(
        "role-mismatch",
        "warning",
        [*dict.fromkeys(differing)],
        "roles with another token in the settings than in the tokenizer: {}",
        "make tokenizer_config.json and the tokenizer agree",
    )


def _roles(source: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for role in ("pad", "unk", "bos", "eos", "cls", "sep", "mask"):
        given = source.get(f"{role}_token")
        token = given.get("content") if isinstance(given, dict) else given
        if isinstance(token, str):
            yield f"{role}_token", token


def check_lengths(subject: Subject) -> Iterator[Finding]:
    """Truncation that a file asks for: texts lose their ends in calls that say nothing about it."""
    cut = subject.definition.get("truncation")
    if cut:
        yield Finding(
            "truncates-by-default",
            "note",
            f"the file truncates every input to {cut['max_length']:,} ids",
            "pass truncation=False in the call, or save the tokenizer without truncation, if that is not meant",
        )
    limit = subject.tok.settings.model_max_length
    if cut and limit is not None and cut["max_length"] > limit:
        yield Finding(
            "longer-than-model",
            "warning",
            f"the file truncates to {cut['max_length']:,} ids, and the settings say that the model takes {limit:,}",
            "make model_max_length and the truncation agree",
        )


def check_ids_of_template(subject: Subject) -> Iterator[Finding]:
    """Ids that the template around a text adds and no token has."""
    template = subject.definition.get("template") or {}
    ids = {
        (part["special"]["token"], id)
        for parts in template.values()
        if isinstance(parts, list)
        for part in parts
        if isinstance(part, dict) and "special" in part
        for id in part["special"]["ids"]
    }
    wrong = [f"{token} {id}" for token, id in sorted(ids) if subject.tok.id_to_bytes(id) is None]
    yield from some(
        "template-id-without-token",
        "error",
        wrong,
        "ids of the template around a text that no token has: {}",
        "correct the ids of the template (post_processor in tokenizer.json)",
    )
