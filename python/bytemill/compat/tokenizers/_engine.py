"""Engine: the tokenizer of the core for a tokenizer of the library, and what its calls must know about it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ... import _core


@dataclass(frozen=True, slots=True)
class Frame:
    """What a template puts around a text: ids and how they are written, and the types of all."""

    before: list[int]
    after: list[int]
    tokens_before: list[str]
    tokens_after: list[str]
    types_before: list[int]
    type_id: int
    types_after: list[int]
    #: How many ids it adds.
    added: int

    @classmethod
    def of(cls, engine: _core.Tokenizer) -> Frame | None:
        """None if the text does not stand in the template exactly once."""
        found = engine._frame()
        if found is None:
            return None
        before, type_id, after = found
        ids, types = ([[pair[which] for pair in side] for side in (before, after)] for which in (0, 1))
        alone = engine("").written_tokens
        if len(alone) != len(before) + len(after):
            return None  # Even an empty text has tokens.
        tokens = alone[: len(before)], alone[len(before) :]
        return cls(ids[0], ids[1], *tokens, types[0], type_id, types[1], len(alone))

    def without_tokens(self) -> Frame:
        return Frame([], [], [], [], [], self.type_id, [], 0)


class Names(dict[int, str | None]):
    """How the tokens of a text are written, by id, found when asked for. None where that depends on the text."""

    def __init__(self, core: _core.Tokenizer, added: Collection[int]) -> None:
        self._core = core
        #: An added token is shown with the white space that it took along, and what Unigram does not know as it stands.
        self._undecided = {*added, core.unk_id}

    def __missing__(self, id: int) -> str | None:
        name = self[id] = None if id in self._undecided else self._core._id_to_written(id)
        return name


@dataclass(frozen=True, slots=True)
class Engine:
    """What a tokenizer was at one moment. It never changes, so that a call sees one state while others change it."""

    core: _core.Tokenizer
    #: Whether stages are written in Python.
    is_slow: bool
    #: Whether there is no post-processor.
    is_bare: bool
    #: What stands around a text with special tokens (True) and without (False). Empty if that is no frame.
    frames: dict[bool, Frame]
    names: Names

    @classmethod
    def of(cls, core: _core.Tokenizer, added: Collection[int], is_slow: bool, is_bare: bool) -> Engine:
        """The engine with the ids of its added tokens."""
        frame = Frame.of(core)
        frames = {} if frame is None else {True: frame, False: frame.without_tokens()}
        return cls(core, is_slow, is_bare, frames, Names(core, added))

    def encode_batch(self, texts: list[str]) -> list[list[int]]:
        return _core._id_lists(*self.core._encode_batch(texts, None, None))
