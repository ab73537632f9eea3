"""Checks of arguments, by their names: the core trusts what passes here."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from .errors import SpecError


def whole_number(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} is a whole number, not {value!r}")
    if value < least:
        raise SpecError(f"{name} must be at least {least}, not {value}")


def optional_whole_number(name: str, value: object, least: int) -> None:
    if value is not None:
        whole_number(name, value, least)


def flag(name: str, value: object) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"{name} is True or False, not {value!r}")


def optional_text(name: str, value: object) -> None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{name} is a str or None, not {value!r}")


def list_of_texts(name: str, values: Iterable[str]) -> list[str]:
    if isinstance(values, str):
        raise TypeError(f"{name} takes a list of strings; for one write [{values!r}]")
    listed = list(values)
    for value in listed:
        if not isinstance(value, str):
            raise TypeError(f"{name} takes a list of strings, and {value!r} is none")
    return listed


def one_of(name: str, value: object, known: Collection[str]) -> None:
    from .stages import unknown_name

    if value not in known:
        raise SpecError(unknown_name(name, str(value), dict.fromkeys(known)))
