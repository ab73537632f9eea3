"""Outlines: everything but the vocabulary, and the places in it that hold ids and names of tokens."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

Outline = dict[str, Any]


def renumbered(outline: Outline, new: Mapping[int, int]) -> Outline:
    """The same outline, with another id in every place that has one."""
    changed = copy.deepcopy(outline)
    if changed.get("unk") is not None:
        changed["unk"] = new[changed["unk"]]
    for token in changed["added"]:
        token["id"] = new[token["id"]]
    changed["added"].sort(key=lambda token: token["id"])
    for slot in slots(changed):
        # A template may put an id that no token has.
        slot["ids"] = [new.get(id, id) for id in slot["ids"]]
    if changed.get("padding"):
        changed["padding"]["id"] = new.get(changed["padding"]["id"], changed["padding"]["id"])
    if changed.get("roles"):
        changed["roles"] = {role: new[id] for role, id in changed["roles"].items()}
    if changed.get("sentencepiece"):
        for kind in ("user_defined", "unused", "reserved"):
            changed["sentencepiece"][kind] = sorted(new[id] for id in changed["sentencepiece"][kind])
    return changed


def slots(outline: Outline) -> Iterator[dict[str, Any]]:
    """The special tokens of the template around a text."""
    for parts in (outline.get("template") or {}).values():
        for part in parts:
            if "special" in part:
                yield part["special"]


def needed_for(outline: Outline, id: int) -> str | None:
    """What a tokenizer cannot do without the token of an id."""
    if outline.get("unk") == id:
        return "unknown text becomes it"
    if any(id in slot["ids"] for slot in slots(outline)):
        return "the template around a text has it"
    if (outline.get("padding") or {}).get("id") == id:
        return "the file pads with it"
    return None


def renamed(outline: Outline, names: Mapping[str, str]) -> Outline:
    """The same outline, with another name in every place that names a special token."""
    changed = copy.deepcopy(outline)
    for token in changed["added"]:
        token["content"] = names.get(token["content"], token["content"])
    for slot in slots(changed):
        slot["token"] = names.get(slot["token"], slot["token"])
        slot["names"] = [names.get(name, name) for name in slot["names"]]
    if changed.get("padding"):
        changed["padding"]["token"] = names.get(changed["padding"]["token"], changed["padding"]["token"])
    decoder = changed["decoder"]
    if isinstance(decoder, dict) and "sentencepiece" in decoder:
        decoder["sentencepiece"]["unk"] = names.get(decoder["sentencepiece"]["unk"], decoder["sentencepiece"]["unk"])
    return changed
