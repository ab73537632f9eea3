"""Truncation and padding, as callers say them, as the file writes them, and as the library shows them."""

from __future__ import annotations

from typing import Any

from ..._arguments.lengths import Padding, Truncation
from ._stage import State

_STRATEGIES = {"longest_first": "LongestFirst", "only_first": "OnlyFirst", "only_second": "OnlySecond"}
_SIDES = {"left": "Left", "right": "Right"}


def truncation_of(max_length: int, stride: int, strategy: str, direction: str) -> State:
    """Truncation as the file writes it."""
    if strategy not in _STRATEGIES:
        raise ValueError(
            f"Unknown `strategy`: `{strategy}`. Use one of `longest_first`, `only_first`, or `only_second`"
        )
    if direction not in _SIDES:
        raise ValueError(f"Unknown `direction`: `{direction}`. Use one of `left` or `right`.")
    for number in (max_length, stride):
        unsigned(number)
    return {
        "direction": _SIDES[direction],
        "max_length": max_length,
        "strategy": _STRATEGIES[strategy],
        "stride": stride,
    }


def shown_truncation(state: State | None) -> dict[str, Any] | None:
    if state is None:
        return None
    return {
        "max_length": state["max_length"],
        "stride": state["stride"],
        "strategy": _name_of(state["strategy"], _STRATEGIES),
        "direction": _name_of(state.get("direction", "Right"), _SIDES),
    }


def padding_of(
    direction: str, pad_id: int, pad_type_id: int, pad_token: str, length: int | None, pad_to_multiple_of: int | None
) -> State:
    """Padding as the file writes it."""
    if direction not in _SIDES:
        raise ValueError(f"Unknown `direction`: `{direction}`. Use one of `left` or `right`")
    for number in (pad_id, pad_type_id, length or 0, pad_to_multiple_of or 0):
        unsigned(number, "number too small to fit in target type")
    return {
        "strategy": "BatchLongest" if length is None else {"Fixed": length},
        "direction": _SIDES[direction],
        "pad_to_multiple_of": pad_to_multiple_of,
        "pad_id": pad_id,
        "pad_type_id": pad_type_id,
        "pad_token": pad_token,
    }


def shown_padding(state: State | None) -> dict[str, Any] | None:
    if state is None:
        return None
    strategy = state["strategy"]
    return {
        "length": None if strategy == "BatchLongest" else strategy["Fixed"],
        "pad_to_multiple_of": state["pad_to_multiple_of"],
        "pad_id": state["pad_id"],
        "pad_token": state["pad_token"],
        "pad_type_id": state["pad_type_id"],
        "direction": _name_of(state["direction"], _SIDES),
    }


def as_arguments(truncation: State | None, padding: State | None) -> dict[str, Any]:
    """Both as arguments of a call of the engine; nothing where there is neither."""
    arguments: dict[str, Any] = {}
    if truncation is not None:
        shown = shown_truncation(truncation) or {}
        arguments["truncation"] = Truncation(
            shown["max_length"], strategy=shown["strategy"], stride=shown["stride"], side=shown["direction"]
        )
    if padding is not None:
        shown = shown_padding(padding) or {}
        arguments["padding"] = Padding(
            shown["length"],
            multiple_of=shown["pad_to_multiple_of"] or None,
            side=shown["direction"],
            id=shown["pad_id"],
            type_id=shown["pad_type_id"],
            token=shown["pad_token"],
        )
    return arguments


def padded_to(padding: Padding, length: int) -> int:
    """The length that padding brings encodings to, the longest of which has this length."""
    target = length if padding.length is None else padding.length
    return -(-target // padding.multiple_of) * padding.multiple_of if padding.multiple_of else target


def _name_of(written: str, names: dict[str, str]) -> str:
    return next(name for name, known in names.items() if known == written)


def unsigned(number: int, message: str = "can't convert negative int to unsigned") -> None:
    """Raises what the library raises for a number below zero, or for what is no whole number."""
    if not isinstance(number, int):
        raise TypeError(f"'{type(number).__name__}' object cannot be interpreted as an integer")
    if number < 0:
        raise OverflowError(message)
