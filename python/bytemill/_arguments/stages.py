"""What a normalizer or a pretokenizer is on the Python side: a frozen description that the core carries out."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, TypeVar

from ..errors import SpecError
from .names import unknown_name


@dataclasses.dataclass(frozen=True)
class Stage:
    """A step of the pipeline as plain data; `definition()` is what a file would hold."""

    #: How one of this kind is made of a pattern, for callers that give the pattern itself.
    of_pattern: ClassVar[str] = ""

    def definition(self) -> dict[str, Any]:
        """The stage as the core reads it."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {"type": stage_type(type(self).__name__), **{k: _plain(v) for k, v in fields.items()}}


def _plain(value: Any) -> Any:
    if isinstance(value, Stage):
        return value.definition()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def pattern_definition(pattern: str, literal: bool) -> dict[str, str]:
    if not isinstance(pattern, str):
        raise TypeError(f"pattern is a str, not {type(pattern).__name__}")
    return {"text" if literal else "regex": pattern}


def stage_type(class_name: str) -> str:
    """`WhitespaceSplit` → `whitespace_split`, `NFC` → `nfc`: the name a definition uses."""
    if class_name.isupper():
        return class_name.lower()
    return "".join(f"_{c.lower()}" if c.isupper() and i else c.lower() for i, c in enumerate(class_name))


def require_stages(steps: Iterable[object], kind: type[Stage]) -> None:
    for step in steps:
        if not isinstance(step, kind):
            raise TypeError(f"the steps of a Sequence are objects of {kind.__module__}, and {step!r} is none")


S = TypeVar("S", bound=Stage)


def resolve(value: S | str | None, kind: type[S], named: Mapping[str, S]) -> str | None:
    """The JSON of a stage given as an object or by a well-known name; None stays None."""
    if value is None:
        return None
    if isinstance(value, str):
        if value not in named:
            own = (
                f"; a pattern of your own is {kind.of_pattern}" if kind.of_pattern and not value.isidentifier() else ""
            )
            raise SpecError(unknown_name(kind.__name__.lower(), value, named) + own)
        value = named[value]
    if not isinstance(value, kind):
        raise TypeError(f"expected a {kind.__name__} or the name of one, not {type(value).__name__}")
    return json.dumps(value.definition(), ensure_ascii=False)
