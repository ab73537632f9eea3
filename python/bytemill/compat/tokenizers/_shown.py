"""How `tokenizers` shows its objects: the content of their file, written like a call."""

from __future__ import annotations

import struct
from typing import Any

#: Names that stand there without quotes: they are values of an enumeration.
_UNQUOTED = ("behavior", "prepend_scheme", "progress_format", "direction", "strategy")

#: How many members of a list `repr` and `str` show; of longer ones one less.
REPR = 100
STR = 6


class Shown:
    """Writes values; of long lists and mappings only the first members."""

    def __init__(self, most: int) -> None:
        self._most = most

    def value(self, state: Any, key: str = "") -> str:
        """The text of a value that stands under this key."""
        if isinstance(state, dict):
            return self._mapping(state, key)
        if isinstance(state, list):
            if _is_tuple(state, key):
                return f"({', '.join(map(self.value, state))})"
            return f"[{self._few([self.value(item, key) for item in state])}]"
        if isinstance(state, str):
            return state if key in _UNQUOTED else f'"{state}"'
        if key == "dropout" and isinstance(state, float):
            # The library keeps it in 32 bits.
            state = struct.unpack("f", struct.pack("f", state))[0]
        if isinstance(state, float) and state.is_integer():
            return str(int(state))
        return str(state)

    def arguments(self, state: dict[str, Any]) -> str:
        """What stands between the parentheses of a call."""
        return ", ".join(f"{name}={self.value(value, name)}" for name, value in state.items() if name != "type")

    def _mapping(self, state: dict[str, Any], key: str) -> str:
        if key in ("vocab", "words"):
            return "{" + self._few([f'"{name}":{value}' for name, value in state.items()]) + "}"
        if key == "added_tokens":
            return "{" + self._few([f'"{name}":{self.value(value)}' for name, value in state.items()]) + "}"
        if key == "special_tokens" and "content" not in state:
            tokens = [f'"{name}":SpecialToken({self.arguments(value)})' for name, value in state.items()]
            return "{" + self._few(tokens) + "}"
        if "type" in state:
            return f"{state['type']}({self.arguments(state)})"
        if len(state) > 1:
            return f"AddedToken({self.arguments(state)})"
        # The variant of an enumeration: Regex("a"), Sequence(id=A, type_id=0), Fixed(5).
        ((name, value),) = state.items()
        if name == "Sequence":
            return f"Sequence(id={value['id']}, type_id={value['type_id']})"
        return f"{name}({self.arguments(value) if isinstance(value, dict) else self.value(value)})"

    def _few(self, parts: list[str]) -> str:
        return ", ".join(parts if len(parts) < self._most else [*parts[: self._most - 1], "..."])


def _is_tuple(state: list[Any], key: str) -> bool:
    if key in ("sep", "cls"):
        return True
    return key in ("merges", "vocab") and len(state) == 2 and isinstance(state[0], str)
