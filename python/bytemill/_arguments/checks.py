"""Checks of arguments, by their names: the core trusts what passes here."""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Mapping

from ..errors import SpecError
from .names import unknown_name

#: More than anything here can count, and within what the core takes.
MOST = 2**62


def whole_number(name: str, value: object, least: int) -> int:
    """The value as an `int`; numpy's integers are integers."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is a whole number, not {value!r}")
    number = operator.index(value)
    if number < least:
        raise SpecError(f"{name} must be at least {least}, not {number}")
    if number > MOST:
        raise SpecError(f"{name} must be at most {MOST}, not {number}")
    return number


def number(name: str, value: object) -> float:
    """The value as a `float`; numpy's numbers are numbers."""
    if isinstance(value, (bool, str)) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise TypeError(f"{name} is a number, not {value!r}")
    return float(value)  # type: ignore[arg-type]


def optional_whole_number(name: str, value: object, least: int) -> int | None:
    return None if value is None else whole_number(name, value, least)


def flag(name: str, value: object) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"{name} is True or False, not {value!r}")


def optional_text(name: str, value: object) -> None:
    if value is None:
        return
    if not isinstance(value, str):
        raise TypeError(f"{name} is a str or None, not {value!r}")
    unicode_text(name, value)


def text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} is a str, not {value!r}")
    unicode_text(name, value)


def unicode_text(name: str, value: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise SpecError(f"{name}: {value!r} has a lone surrogate, which no encoding can express") from None


def list_of_texts(name: str, values: Iterable[str]) -> list[str]:
    if isinstance(values, str):
        raise TypeError(f"{name} takes a list of strings; for one write [{values!r}]")
    listed = list(values)
    for value in listed:
        if not isinstance(value, str):
            raise TypeError(f"{name} takes a list of strings, and {value!r} is none")
        unicode_text(name, value)
    return listed


def one_of(name: str, value: object, known: Collection[str]) -> str:
    """The known name that a value is, in any case."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is a name ({', '.join(sorted(known))}), not {type(value).__name__}")
    found = next((one for one in known if one.casefold() == value.casefold()), None)
    if found is None:
        raise SpecError(unknown_name(name, value, dict.fromkeys(known)))
    return found


def special_tokens(values: Mapping[str, int] | Iterable[str]) -> list[tuple[str, int | None]]:
    """The names of special tokens, each with the id that it is to have, if that is said."""
    if not isinstance(values, Mapping):
        return [(token, None) for token in list_of_texts("special_tokens", values)]
    names = list_of_texts("special_tokens", values)
    return [(token, whole_number(f"the id of the special token {token!r}", values[token], least=0)) for token in names]


def special_names(values: Iterable[str]) -> list[str]:
    """The names of special tokens where no ids are given."""
    if isinstance(values, Mapping):
        raise TypeError(
            "special_tokens takes a list of names here, since counts have no ids; give the mapping to train(counts, …)"
        )
    return list_of_texts("special_tokens", values)
