"""`SentencePieceNormalizer`, and what a text is normalized to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from ... import _core
from ..._arguments.types import Text
from ...errors import BytemillError
from ...tokenizer import Tokenizer
from .encoding import characters_before
from .messages import field, fields, number
from .model import load_file, readable
from .names import with_snake_case

RULE_NAMES = ("nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity")
TRUE, FALSE = ("true", "t", "yes", "y", "1"), ("false", "f", "no", "n", "0")
#: The fields of the message of a normalizer.
NAME, CHARSMAP, DUMMY_PREFIX, EXTRA_WHITESPACES, ESCAPE, RULES = 1, 2, 3, 4, 5, 6


class Normalizes(Protocol):
    def normalized(self, text: Text) -> tuple[str, list[int]]: ...


def normalized(by: Normalizes, given: Any, with_offsets: Any) -> Any:
    """A text normalized; with offsets, also where each character (of bytes, each byte) comes from."""
    found, places = by.normalized(given)
    if isinstance(given, bytes):
        places = places if found else []
        return (found.encode("utf-8"), places) if with_offsets else found.encode("utf-8")
    if not with_offsets:
        return found
    before, starts = characters_before(given.encode("utf-8")), found.encode("utf-8")
    of_characters = [before[place] for place, byte in zip(places, starts, strict=False) if byte & 0xC0 != 0x80]
    return found, [*of_characters, before[places[-1]]]


def flag(name: str, value: str) -> int:
    """The value of a flag, as it is written on a command line."""
    if value.lower() not in (*TRUE, *FALSE):
        raise ValueError(f"INVALID_ARGUMENT: cannot parse {value!r} as a bool, for {name}")
    return int(value.lower() in TRUE)


@with_snake_case
class SentencePieceNormalizer:
    """A normalizer: that of a model, one that has a name, or one of rules."""

    def __init__(
        self,
        model_file: Any = None,
        model_proto: Any = None,
        normalizer_spec: Any = None,
        rule_tsv: Any = None,
        rule_name: Any = None,
        norm_map: Any = None,
        add_dummy_prefix: Any = False,
        escape_whitespaces: Any = False,
        remove_extra_whitespaces: Any = False,
    ) -> None:
        if model_file:
            spec = _of_model(load_file(model_file))
        elif model_proto:
            spec = _of_model(_serialized(model_proto))
        elif normalizer_spec:
            spec = _serialized(normalizer_spec)
        elif rule_tsv:
            spec = _of_rules(load_file(rule_tsv).decode("utf-8"))
        elif rule_name:
            spec = _named(rule_name)
        elif norm_map:
            spec = _of_rules("\n".join(f"{_codes(before)}\t{_codes(after)}" for before, after in _checked(norm_map)))
        else:
            raise ValueError("no model is specified")
        known = {tag: content for tag, content in fields(spec) if tag not in (DUMMY_PREFIX, EXTRA_WHITESPACES, ESCAPE)}
        flags = {
            DUMMY_PREFIX: int(bool(add_dummy_prefix)),
            EXTRA_WHITESPACES: int(bool(remove_extra_whitespaces)),
            ESCAPE: int(bool(escape_whitespaces)),
        }
        self._set({**known, **flags})

    def _set(self, known: dict[int, int | bytes]) -> None:
        self._spec = b"".join(
            number(tag, value) if isinstance(value, int) else field(tag, value) for tag, value in sorted(known.items())
        )
        self._charsmap = known.get(CHARSMAP, b"")
        # A model that has nothing but the unknown piece.
        unknown = field(1, field(1, b"<unk>") + number(3, 2))
        self._tokenizer = Tokenizer(_core.from_bytes(unknown + field(3, self._spec)))

    def normalized(self, text: Text) -> tuple[str, list[int]]:
        return self._tokenizer._normalized(readable(text))

    def Normalize(self, input: Any, with_offsets: Any = None) -> Any:
        """Normalizes a text, or each of a list of texts."""
        if isinstance(input, list):
            return [normalized(self, text, with_offsets) for text in input]
        return normalized(self, input, with_offsets)

    def Decompile(self) -> list[tuple[str, str]]:
        """Returns the rules: what is replaced, and what it becomes."""
        assert isinstance(self._charsmap, bytes)
        if not self._charsmap:
            raise RuntimeError("INTERNAL: the normalizer has no rules")
        return _core.charsmap_rules(self._charsmap)

    def serialized_model_proto(self) -> bytes:
        return field(3, self._spec)

    def serialized_normalizer_spec(self) -> bytes:
        return self._spec

    def __getstate__(self) -> bytes:
        return self.serialized_model_proto()

    def __setstate__(self, serialized_model_proto: bytes) -> None:
        self._set(dict(fields(_of_model(serialized_model_proto))))


def _serialized(message: Any) -> bytes:
    written = message.SerializeToString() if hasattr(message, "SerializeToString") else message
    if not isinstance(written, bytes):
        raise TypeError(f"a serialized message is bytes, not {type(message).__name__}")
    return written


def _of_model(model: bytes) -> bytes:
    try:
        return b"".join(content for tag, content in fields(model) if tag == 3 and isinstance(content, bytes))
    except ValueError as error:
        raise RuntimeError(f"INTERNAL: this is no model: {error}") from error


def _named(name: Any) -> bytes:
    if not isinstance(name, str):
        raise TypeError(f"rule_name is a str, not {type(name).__name__}")
    if name not in RULE_NAMES:
        raise RuntimeError(f"NOT_FOUND: No precompiled charsmap is found: {name}; there are {', '.join(RULE_NAMES)}")
    return field(NAME, name.encode()) + field(CHARSMAP, _core.charsmap(json.dumps(name)))


def _of_rules(table: str) -> bytes:
    try:
        return field(CHARSMAP, _core.charsmap(json.dumps({"tsv": table})))
    except BytemillError as error:
        raise RuntimeError(f"INTERNAL: {error}") from error


def _checked(norm_map: Any) -> Iterator[tuple[str, str]]:
    """The rules of a map as texts."""
    if not isinstance(norm_map, Sequence):
        raise TypeError(f"norm_map is a list of pairs of texts, not {type(norm_map).__name__}")
    seen = set()
    for pair in norm_map:
        if len(pair) != 2 or not all(isinstance(text, (str, bytes)) for text in pair):
            raise TypeError(f"norm_map is a list of pairs of texts, and {pair!r} is no such pair")
        before, after = (text.decode("utf-8") if isinstance(text, bytes) else text for text in pair)
        if not before:
            raise ValueError("INVALID_ARGUMENT: Source string cannot be empty.")
        if before == after:
            raise ValueError(f"INVALID_ARGUMENT: Identity conversion is not allowed: {before}")
        if before in seen:
            raise ValueError(f"INVALID_ARGUMENT: Duplicate source string in map: {before}")
        seen.add(before)
        yield before, after


def _codes(text: str) -> str:
    return " ".join(f"{ord(character):X}" for character in text)


def settings_of(normalizer: SentencePieceNormalizer) -> dict[str, bool]:
    """The settings of a normalizer, by the flags of a training that set them."""
    known = dict(fields(normalizer._spec))
    return {
        "add_dummy_prefix": bool(known.get(DUMMY_PREFIX, 1)),
        "remove_extra_whitespaces": bool(known.get(EXTRA_WHITESPACES, 1)),
        "escape_whitespaces": bool(known.get(ESCAPE, 1)),
    }


def rules_file(normalizer: Any, folder: Path) -> Path:
    """A file with the rules of a normalizer, for a training."""
    path = folder / "rules.tsv"
    rules = _core.charsmap_rules(normalizer._charsmap)
    path.write_text("".join(f"{_codes(before)}\t{_codes(after)}\n" for before, after in rules), encoding="utf-8")
    return path
