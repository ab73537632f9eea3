"""What a file of another library cannot hold, and how to load it all the same."""

from __future__ import annotations

import json

from . import pretokenizers

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
