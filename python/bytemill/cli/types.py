"""The types of values on a command line: names, sizes, amounts of memory, paths."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._arguments.amounts import memory_bytes, vocabulary_size
from .._arguments.names import did_you_mean, unknown_name
from ..errors import SpecError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    ParamType = click.ParamType[Any]  # generic for checkers, in newer versions of click
else:
    ParamType = click.ParamType


class OneOf(ParamType):
    """One of a few names, in any case; a misspelt one gets the nearest."""

    name = "name"

    def __init__(self, what: str, names: Iterable[str]) -> None:
        self.what = what
        self.names = tuple(names)

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        for name in self.names:
            if isinstance(value, str) and value.casefold() == name.casefold():
                return name
        self.fail(unknown_name(self.what, str(value), dict.fromkeys(self.names)), param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(name) for name in self.names if name.startswith(incomplete.lower())]


class Size(ParamType):
    """A whole number, which may be written as 32k or 50,257."""

    name = "size"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            size = vocabulary_size("size", value)
        except SpecError:
            self.fail(f"{value!r} is not a whole number; write it like 32000, 32k or 1M", param, ctx)
        assert size is not None
        return size


class Real(ParamType):
    """A number within bounds."""

    name = "number"

    def __init__(self, least: float, most: float = math.inf) -> None:
        self.least = least
        self.most = most

    def parsed(self, value: object) -> float:
        return float(str(value))

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = self.parsed(value)
        except ValueError:
            self.fail(f"{value!r} is not a {self.name}", param, ctx)
        if not self.least <= number <= self.most:
            bounds = f"at least {self.least:g}" + ("" if self.most == math.inf else f" and at most {self.most:g}")
            self.fail(f"it must be {bounds}, not {number:g}", param, ctx)
        return number


class Whole(Real):
    """A whole number within bounds."""

    name = "whole number"

    def parsed(self, value: object) -> int:
        return int(str(value))


class Memory(ParamType):
    """An amount of memory with its unit."""

    name = "amount"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        try:
            memory_bytes(value)
        except SpecError:
            self.fail(f"{value!r} is not an amount of memory; write it with its unit, like 2GB or 500MB", param, ctx)
        return value


class EngineName(ParamType):
    """What runs shards."""

    name = "engine"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        known = ("local", "ray", "spark")
        if isinstance(value, str) and (value in known or value.startswith("ray://")):
            return value
        meant = did_you_mean(str(value), known)
        self.fail(f"{value!r} is no engine; write ray, ray://HOST:PORT, spark or local{meant}", param, ctx)


class PathOf(click.Path):
    """A path, which must not be empty: an empty variable in a script is not the current folder."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        if value == "":
            self.fail("the path is empty; name a file or folder (the current folder is '.')", param, ctx)
        return Path(str(value))


PATH = PathOf()
SIZE = Size()
MEMORY = Memory()
ENGINE = EngineName()
