"""Stage: what stands around a model, as tokenizer.json writes it. Stages can be changed; their users are told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Generic, TypeVar, overload
from weakref import WeakSet

from ._shown import REPR, STR, Shown

State = dict[str, Any]
T = TypeVar("T")


def compact(value: Any) -> str:
    """JSON as the core and the library write it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def of_kind(value: object, kind: type, name: str | None = None) -> None:
    """Raises what the library raises for an argument of the wrong type."""
    if not isinstance(value, kind):
        raise TypeError(f"{_named(value)} is not an instance of '{name or kind.__name__}'")


def _named(value: object) -> str:
    return "'None'" if value is None else f"'{type(value).__name__}' object"


class Watched:
    """Something that can change, and tells the objects that use it."""

    _users: WeakSet[Watched]

    def _used_by(self, user: Watched) -> None:
        self._known_users().add(user)

    def _left_by(self, user: Watched) -> None:
        self._known_users().discard(user)

    def _known_users(self) -> WeakSet[Watched]:
        # Not in __init__: unpickling does not call it.
        try:
            return self._users
        except AttributeError:
            self._users = WeakSet()
            return self._users

    def _changed(self) -> None:
        for user in list(self._known_users()):
            user._changed()


class Stage(Watched):
    """A normalizer, pre-tokenizer, post-processor or decoder."""

    #: What the file calls it.
    _type: ClassVar[str] = ""
    #: The classes of this kind of stage by what the file calls them.
    _kinds: ClassVar[dict[str, type[Stage]]]
    #: The options as the library writes them, with what they are where a file leaves them out.
    _options: ClassVar[State] = {}
    #: What the library calls this kind of stage where it cannot be saved.
    _family: ClassVar[str] = ""

    #: The content, without that of stages inside.
    _state: State
    #: The object of a stage that was written in Python.
    _custom: Any = None

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if cls._type:
            cls._kinds.setdefault(cls._type, cls)

    def _settle(self, **state: Any) -> None:
        self._state = {"type": self._type, **state}

    def _json(self) -> State:
        """The stage as the file writes it."""
        self._refuse_custom()
        return dict(self._state)

    def _refuse_custom(self) -> None:
        if self._custom is not None:
            raise Exception(f"Custom {self._family} cannot be serialized")

    def _is_custom(self) -> bool:
        """Whether some of it is written in Python."""
        return self._custom is not None

    @classmethod
    def _of_custom(cls, custom: object) -> Any:
        stage = object.__new__(cls)
        stage._custom = custom
        stage._state = {}
        return stage

    @classmethod
    def _of_json(cls, state: State) -> Any:
        """The stage that a file writes so."""
        kind = cls._kinds.get(state.get("type", ""))
        if kind is None:
            raise Exception(f"data did not match any variant of untagged enum {cls._family}Wrapper")
        stage = kind.__new__(kind)
        stage._take(state)
        return stage

    def _take(self, state: State) -> None:
        # Old files leave options out, and have some that are no more.
        known = {name: state.get(name, default) for name, default in self._options.items()}
        self._state = {"type": self._type, **known} if known else dict(state)

    def __getstate__(self) -> bytes:
        return compact(self._json()).encode()

    def __setstate__(self, state: bytes) -> None:
        read = json.loads(state)
        if type(self)._type and read.get("type") != type(self)._type:
            raise Exception(f"the state is that of {read.get('type')}, not of {type(self)._type}")
        self._take(read)

    def _shown(self, most: int) -> str:
        return Shown(most).value(self._json()) if not self._is_custom() else f"Custom{self._family}(...)"

    def __repr__(self) -> str:
        return self._shown(REPR)

    def __str__(self) -> str:
        return self._shown(STR)


class Option(Generic[T]):
    """An attribute that is part of a stage's content."""

    def __init__(
        self,
        key: str,
        *,
        get: Callable[[Any], T] | None = None,
        put: Callable[[T], Any] | None = None,
    ) -> None:
        self.key = key
        self.get = get
        self.put = put

    @overload
    def __get__(self, stage: None, kind: type) -> Option[T]: ...
    @overload
    def __get__(self, stage: Stage, kind: type) -> T: ...
    def __get__(self, stage: Stage | None, kind: type) -> Option[T] | T:
        if stage is None:
            return self
        value = stage._state.get(self.key)
        return value if self.get is None else self.get(value)  # type: ignore[return-value]

    def __set__(self, stage: Stage, value: T) -> None:
        stage._state[self.key] = value if self.put is None else self.put(value)
        stage._changed()


class Stages(Stage):
    """Several stages of a kind, one after the other."""

    #: Where the file lists them.
    _list: ClassVar[str] = ""

    _items: list[Stage]

    def _hold(self, items: list[Stage]) -> None:
        self._items = items
        for item in items:
            item._used_by(self)

    def _json(self) -> State:
        return {"type": "Sequence", self._list: [item._json() for item in self._items]}

    def _is_custom(self) -> bool:
        return any(item._is_custom() for item in self._items)

    def _take(self, state: State) -> None:
        self._hold([type(self)._of_json(item) for item in state[self._list]])

    def __getnewargs__(self) -> tuple[list[Stage]]:
        return ([],)

    def __getitem__(self, index: int) -> Any:
        return self._items[self._place(index)]

    def __setitem__(self, index: int, stage: Stage) -> None:
        place = self._place(index)
        self._items[place]._left_by(self)
        self._items[place] = stage
        stage._used_by(self)
        self._changed()

    def __delitem__(self, index: int) -> None:
        raise NotImplementedError("can't delete item")

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._items))

    def _place(self, index: int) -> int:
        if index < 0:
            raise OverflowError("can't convert negative int to unsigned")
        if index >= len(self._items):
            raise IndexError("Index not found")
        return index
