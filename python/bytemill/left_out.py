"""What a file of another library cannot hold, and how to load it all the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _core, normalizers, pretokenizers
from .errors import BytemillError

if TYPE_CHECKING:
    from .tokenizer import Tokenizer

#: More special tokens are not written into a message one by one.
_FEW = 8


class LeftOut(UserWarning):
    """A tokenizer was saved as a file that cannot hold all of it; the message says how to load it."""


def how_to_load(path: str, splitter: str | None, special_tokens: list[tuple[str, int]]) -> str:
    """The message for a `.tiktoken` file, with the call that loads it.

    >>> print(how_to_load("x.tiktoken", '{"type":"gpt2"}', [("<|endoftext|>", 300)]))
    x.tiktoken holds the ranks alone, without the pattern and the special tokens; this loads it: \
bytemill.load('x.tiktoken', pattern='gpt2', special_tokens={'<|endoftext|>': 300})
    """
    given = [repr(path), f"pattern={_pattern(splitter)}"]
    if special_tokens:
        few = len(special_tokens) <= _FEW
        given.append(f"special_tokens={dict(special_tokens)!r}" if few else "special_tokens=tok.special_tokens")
    without = "without the pattern and the special tokens" if special_tokens else "without the pattern"
    return f"{path} holds the ranks alone, {without}; this loads it: bytemill.load({', '.join(given)})"


def holds_tokens_alone(path: str, format: str | None) -> bool:
    """Whether what was saved is `vocab.json` with `merges.txt`, or `vocab.txt`.

    >>> holds_tokens_alone("bert-vocab.txt", None), holds_tokens_alone("a.json", None)
    (True, False)
    """
    if format is not None:
        return format in ("vocab.json", "vocab.txt")
    return path.lower().endswith(("vocab.json", "merges.txt", "vocab.txt"))


def how_to_load_vocabulary(path: str, tok: Tokenizer) -> str | None:
    """The message for `vocab.json` or `vocab.txt` with the call that loads it; None if the path is enough."""
    if Path(path).is_dir():  # Which may hold other tokenizers, too.
        path = str(Path(path) / "vocab.json")
    own = _definition(tok)
    try:
        found = _definition(type(tok)(_core.read(path)))
    except BytemillError:
        found = {"symbols": None}  # The vocabulary does not say how it is meant.
    given = {
        "pretokenizer": ("pattern", _pattern(own["pretokenizer"] and json.dumps(own["pretokenizer"]))),
        "normalizer": ("normalizer", _normalizer(own["normalizer"])),
        "added": ("special_tokens", _specials(own["added"])),
        "unk": ("unk_token", repr(None if own["unk"] is None else tok.id_to_token(own["unk"]))),
        "symbols": ("byte_level", repr(own.get("symbols", {}).get("unit", "bytes") == "bytes")),
    }
    lacking = [name for name in given if name in found and name in own and found[name] != own[name]]
    if "pretokenizer" not in found:
        lacking = [name for name in given if own.get(name)]
    if not lacking:
        return None
    options = ", ".join(f"{name}={value}" for name, value in map(given.__getitem__, lacking))
    return f"{path} holds the vocabulary alone; this loads it: bytemill.load({path!r}, {options})"


def _definition(tok: Tokenizer) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(tok.definition())
    return {**found, "normalizer": _settled(found["normalizer"])}


def _specials(added: list[dict[str, Any]]) -> str:
    named = {token["content"]: token["id"] for token in added}
    return repr(named) if len(named) <= _FEW else "tok.special_tokens"


def _normalizer(definition: dict[str, Any] | None) -> str:
    """What `normalizer=` takes: a name, or words for one that has none."""
    if definition is None:
        return "bytemill.normalizers.Sequence()"
    known = (repr(name) for name, stage in normalizers.NAMED.items() if _settled(stage.definition()) == definition)
    if definition["type"] == "bert":
        options = ", ".join(f"{name}={value!r}" for name, value in definition.items() if name != "type")
        return next(known, f"bytemill.normalizers.Bert({options})")
    return next(known, "…, the normalizer that it was trained with")


def _settled(definition: dict[str, Any] | None) -> dict[str, Any] | None:
    """A normalizer with everything said: BERT's strips accents with lower case if nothing else is said."""
    if definition is not None and definition["type"] == "bert" and definition["strip_accents"] is None:
        return {**definition, "strip_accents": definition["lowercase"]}
    return definition


def _pattern(splitter: str | None) -> str:
    """What `pattern=` takes: a name, the regular expression, or a stage."""
    if splitter is None:
        # Texts are not split at all.
        return repr("(?s).+")
    definition = json.loads(splitter)
    for name, stage in pretokenizers.NAMED.items():
        if stage.definition() == definition:
            return repr(name)
    if definition["type"] != "split":
        return "…, the pretokenizer that it was trained with"
    [(kind, text)] = definition["pattern"].items()
    behavior, invert = definition["behavior"], definition["invert"]
    if (kind, behavior, invert) == ("regex", "removed", True):
        return repr(text)
    return f"bytemill.pretokenizers.{pretokenizers.Split(text, behavior, invert, literal=kind == 'text')!r}"
