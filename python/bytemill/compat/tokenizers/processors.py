"""`tokenizers.processors`: what is put around the tokens of a text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from ... import _core
from ._encoding import Encoding
from ._errors import as_the_library
from ._stage import Option, Stage, Stages, State, compact, of_kind

TokenAndId = tuple[str, int]


def _pair(value: Any) -> list[Any]:
    """A token and its id, as the file writes them."""
    if not isinstance(value, tuple):
        raise TypeError(f"'{type(value).__name__}' object is not an instance of 'tuple'")
    token, id = value
    return [token, id]


def _as_tuple(value: list[Any]) -> TokenAndId:
    return (value[0], value[1])


class PostProcessor(Stage):
    """The base of all post-processors."""

    _kinds: ClassVar[dict[str, type[Stage]]] = {}
    _family = "PostProcessor"

    def __new__(cls, *arguments: Any, **keywords: Any) -> Any:
        if cls is PostProcessor:
            raise TypeError("cannot create 'tokenizers.processors.PostProcessor' instances")
        return super().__new__(cls)

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Returns how many tokens are put around one text, or a pair."""
        with as_the_library():
            return _core._stage_added(compact(self._json()), is_pair)

    def process(self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True) -> Encoding:
        """Returns one encoding, or a pair, with what is put around it."""
        return processed(self, encoding, pair, add_special_tokens)


def processed(
    processor: Stage | None,
    encoding: Encoding,
    pair: Encoding | None,
    add_special_tokens: bool,
    truncation: str | None = None,
) -> Encoding:
    """The same where there may be no post-processor, and encodings may be too long."""
    of_kind(encoding, Encoding)
    texts = [text._loose() for text in (encoding, pair) if text is not None]
    stage = None if processor is None else compact(processor._json())
    with as_the_library():
        return Encoding._of(_core.Encoding._processed(stage, texts, add_special_tokens, truncation))


class BertProcessing(PostProcessor):
    _type = "BertProcessing"

    def __init__(self, sep: TokenAndId, cls: TokenAndId) -> None:
        self._settle(sep=_pair(sep), cls=_pair(cls))

    def __getnewargs__(self) -> tuple[TokenAndId, TokenAndId]:
        return (("", 0), ("", 0))

    sep = Option[TokenAndId]("sep", get=_as_tuple, put=_pair)
    cls = Option[TokenAndId]("cls", get=_as_tuple, put=_pair)


class RobertaProcessing(PostProcessor):
    _type = "RobertaProcessing"

    def __init__(
        self, sep: TokenAndId, cls: TokenAndId, trim_offsets: bool = True, add_prefix_space: bool = True
    ) -> None:
        self._settle(sep=_pair(sep), cls=_pair(cls), trim_offsets=trim_offsets, add_prefix_space=add_prefix_space)

    def __getnewargs__(self) -> tuple[TokenAndId, TokenAndId]:
        return (("", 0), ("", 0))

    sep = Option[TokenAndId]("sep", get=_as_tuple, put=_pair)
    cls = Option[TokenAndId]("cls", get=_as_tuple, put=_pair)
    trim_offsets = Option[bool]("trim_offsets")
    add_prefix_space = Option[bool]("add_prefix_space")


class ByteLevel(PostProcessor):
    _type = "ByteLevel"
    _options: ClassVar[State] = {"add_prefix_space": True, "trim_offsets": True, "use_regex": True}

    def __init__(
        self,
        add_prefix_space: bool | None = None,
        trim_offsets: bool | None = None,
        use_regex: bool | None = None,
        **keywords: Any,
    ) -> None:
        given = {"add_prefix_space": add_prefix_space, "trim_offsets": trim_offsets, "use_regex": use_regex}
        self._settle(**{name: True if value is None else value for name, value in given.items()})

    add_prefix_space = Option[bool]("add_prefix_space")
    trim_offsets = Option[bool]("trim_offsets")
    use_regex = Option[bool]("use_regex")


class TemplateProcessing(PostProcessor):
    _type = "TemplateProcessing"

    def __init__(
        self,
        single: str | list[str] | None = None,
        pair: str | list[str] | None = None,
        special_tokens: Iterable[Any] | None = None,
    ) -> None:
        tokens = dict(map(_special_token, special_tokens or []))
        slots = {"single": _slots(single, "$A"), "pair": _slots(pair, "$A:0 $B:1")}
        if pair is not None and {"A", "B"} - _sequences(slots["pair"]):
            raise ValueError("Template for `pair` must use both sequences")
        self._settle(**slots, special_tokens=dict(sorted(tokens.items())))
        self._refuse_missing(slots["single"] + slots["pair"])

    def _take(self, state: State) -> None:
        super()._take({**state, "special_tokens": dict(sorted(state["special_tokens"].items()))})

    def _refuse_missing(self, slots: list[State]) -> None:
        named = [slot["SpecialToken"]["id"] for slot in slots if "SpecialToken" in slot]
        missing = [name for name in dict.fromkeys(named) if name not in self._state["special_tokens"]]
        if missing:
            raise ValueError(f"Missing SpecialToken(s) with id(s) `{', '.join(missing)}`")

    @property
    def single(self) -> str:
        """The template of one text, as the library shows it."""
        return f"Template([{', '.join(map(_shown_slot, self._state['single']))}])"

    @single.setter
    def single(self, template: str | list[str]) -> None:
        self._state["single"] = _slots(template, "$A")
        self._changed()


def _shown_slot(slot: State) -> str:
    ((kind, value),) = slot.items()
    shown = value["id"] if kind == "Sequence" else f'"{value["id"]}"'
    return f"{kind} {{ id: {shown}, type_id: {value['type_id']} }}"


def _sequences(slots: list[State]) -> set[str]:
    return {slot["Sequence"]["id"] for slot in slots if "Sequence" in slot}


def _slots(template: str | list[str] | None, default: str) -> list[State]:
    if template is None:
        template = default
    return [_slot(piece) for piece in (template.split() if isinstance(template, str) else template)]


def _slot(piece: str) -> State:
    """`$A:1`, `$1`, `$B`, `[CLS]` or `[SEP]:1` as the file writes it."""
    wrong = ValueError(f'Cannot build Piece from string "{piece}"')
    name, colon, number = piece.partition(":")
    if ":" in number or (colon and not number.isdecimal()):
        raise wrong
    if not name.startswith("$"):
        return {"SpecialToken": {"id": name, "type_id": int(number or 0)}}
    rest = name[1:]
    if rest in ("", "A", "a", "B", "b"):
        return {"Sequence": {"id": (rest or "A").upper(), "type_id": int(number or 0)}}
    if not rest.isdecimal():
        raise wrong
    # A number is that of the type.
    return {"Sequence": {"id": "A", "type_id": int(number or rest)}}


def _special_token(token: Any) -> tuple[str, State]:
    if isinstance(token, dict):
        ids, tokens = list(token["ids"]), list(token["tokens"])
        if len(ids) != len(tokens):
            raise Exception("SpecialToken: ids and tokens must be of the same length")
        return token["id"], {"id": token["id"], "ids": ids, "tokens": tokens}
    name, id = token if isinstance(token[0], str) else reversed(token)
    return name, {"id": name, "ids": [id], "tokens": [name]}


class Sequence(Stages, PostProcessor):
    _type = "Sequence"
    _list = "processors"

    def __init__(self, processors: list[PostProcessor]) -> None:
        for processor in processors:
            of_kind(processor, PostProcessor)
        self._hold(list(processors))
