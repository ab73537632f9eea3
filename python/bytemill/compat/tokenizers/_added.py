"""AddedToken: a token beside those of the model."""

from __future__ import annotations

from typing import Any

from ._encoding import ignore
from ._stage import of_kind


class AddedToken:
    """A token that is found in a text before the model sees it."""

    def __init__(self, content: str | None = None, **options: Any) -> None:
        if content is not None:
            of_kind(content, str)
        self._content = content or ""
        self._special = bool(options.pop("special", False))
        self._single_word = bool(options.pop("single_word", False))
        self._lstrip = bool(options.pop("lstrip", False))
        self._rstrip = bool(options.pop("rstrip", False))
        normalized = options.pop("normalized", None)
        self._normalized = None if normalized is None else bool(normalized)
        ignore(options)

    @property
    def content(self) -> str:
        return self._content

    @content.setter
    def content(self, content: str) -> None:
        of_kind(content, str)
        self._content = content

    @property
    def special(self) -> bool:
        return self._special

    @special.setter
    def special(self, special: bool) -> None:
        self._special = special

    @property
    def single_word(self) -> bool:
        return self._single_word

    @property
    def lstrip(self) -> bool:
        return self._lstrip

    @property
    def rstrip(self) -> bool:
        return self._rstrip

    @property
    def normalized(self) -> bool:
        # Special tokens stand for themselves unless somebody says otherwise.
        return not self._special if self._normalized is None else self._normalized

    def __getstate__(self) -> dict[str, Any]:
        return {
            "content": self._content,
            "single_word": self._single_word,
            "lstrip": self._lstrip,
            "rstrip": self._rstrip,
            "normalized": self.normalized,
            "special": self._special,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, f"_{name}", value)

    @classmethod
    def _of(cls, token: object, special: bool = False) -> AddedToken:
        """A token of its own from a text, from another token, or from one of the library itself.

        With `special`, the other token becomes special, too, as the library does it.
        """
        if isinstance(token, str):
            token = cls(token)
        other: Any = token
        if type(other).__name__ != "AddedToken":
            raise TypeError("Input must be a List[Union[str, AddedToken]]")
        if special:
            other.special = True
        made = cls.__new__(cls)
        # Whether it is normalized may follow from its being special, which only the token itself knows.
        made.__setstate__(other.__getstate__())
        return made

    def _copy(self) -> AddedToken:
        token = AddedToken.__new__(AddedToken)
        token.__setstate__(self.__getstate__())
        return token

    def __str__(self) -> str:
        return self._content

    def __repr__(self) -> str:
        flags = ("rstrip", "lstrip", "single_word", "normalized", "special")
        options = ", ".join(f"{name}={getattr(self, name)}" for name in flags)
        return f'AddedToken("{self._content}", {options})'

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AddedToken):
            return NotImplemented
        return self.__getstate__() == other.__getstate__()

    def __lt__(self, other: object) -> bool:
        return False

    __gt__ = __le__ = __ge__ = __lt__

    def __hash__(self) -> int:
        return hash(self._content)
