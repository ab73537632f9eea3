"""Engine: the tokenizer of the core for a tokenizer of the library, and what its calls must know about it."""

from __future__ import annotations

from dataclasses import dataclass

from ... import _core


@dataclass(frozen=True, slots=True)
class Frame:
    """What a template puts around a text: ids, and the types of all."""

    before: list[int]
    after: list[int]
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
        return cls(ids[0], ids[1], types[0], type_id, types[1], len(before) + len(after))

    def without_tokens(self) -> Frame:
        return Frame([], [], [], self.type_id, [], 0)


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

    @classmethod
    def of(cls, core: _core.Tokenizer, is_slow: bool, is_bare: bool) -> Engine:
        frame = Frame.of(core)
        frames = {} if frame is None else {True: frame, False: frame.without_tokens()}
        return cls(core, is_slow, is_bare, frames)

    def encode_batch(self, texts: list[str]) -> list[list[int]]:
        return _core._id_lists(*self.core._encode_batch(texts, None, None))
