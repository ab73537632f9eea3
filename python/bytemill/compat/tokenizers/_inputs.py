"""What the calls that encode take: texts, lists of words, and pairs of them, refused in the words of the library."""

from __future__ import annotations

from typing import Any

_TEXT = "TextInputSequence must be str"
_WORDS = "PreTokenizedInputSequence must be Union[List[str], Tuple[str]]"
_INPUT = "TextEncodeInput must be Union[TextInputSequence, Tuple[InputSequence, InputSequence]]"
_WORDS_INPUT = (
    "PreTokenizedEncodeInput must be Union[PreTokenizedInputSequence, "
    "Tuple[PreTokenizedInputSequence, PreTokenizedInputSequence]]"
)


def _is_words(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(word, str) for word in value)


def _listed(value: Any) -> Any:
    """An array of numpy as a list."""
    return value.tolist() if type(value).__module__ == "numpy" else value


def sequence(value: Any, is_pretokenized: bool) -> Any:
    """A text, or with `is_pretokenized` words."""
    value = _listed(value)
    if is_pretokenized:
        if not _is_words(value):
            raise TypeError(_WORDS)
        return value
    if not isinstance(value, str):
        raise TypeError(_TEXT)
    return value


def optional(value: Any, is_pretokenized: bool) -> Any:
    return None if value is None else sequence(value, is_pretokenized)


def encode_input(item: Any, is_pretokenized: bool) -> tuple[Any, Any]:
    """A text, or words, and what they are paired with."""
    item = _listed(item)
    if not is_pretokenized:
        if isinstance(item, str):
            return item, None
        if isinstance(item, (list, tuple)) and len(item) == 2 and all(isinstance(text, str) for text in item):
            return item[0], item[1]
        raise TypeError(_INPUT)
    if _is_words(item):
        return item, None
    if isinstance(item, (list, tuple)) and len(item) == 2:
        first, second = map(_listed, item)
        if _is_words(first) and _is_words(second):
            return first, second
    raise TypeError(_WORDS_INPUT)
