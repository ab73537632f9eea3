"""The parts of a tokenizer: a model, the stages around it, added tokens and lengths, all of which can be exchanged."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import Any

from ... import _core
from ..._whole_files import write_whole
from ...errors import BytemillError
from ._added import AddedToken
from ._encoding import ignore
from ._engine import Engine
from ._errors import as_the_library
from ._lengths import (
    as_arguments,
    padding_of,
    shown_padding,
    shown_truncation,
    truncation_of,
)
from ._shown import REPR, STR, Shown
from ._stage import Stage, State, Watched, compact, of_kind
from .decoders import Decoder
from .models import BPE, Model
from .normalizers import Normalizer
from .pre_tokenizers import PreTokenizer
from .processors import PostProcessor


def _stage(name: str, kind: type[Stage]) -> Any:
    """The attribute that holds a stage."""

    def get(tokenizer: Assembly) -> Stage | None:
        return tokenizer._stages[name]

    def put(tokenizer: Assembly, stage: Stage | None) -> None:
        if stage is not None:
            of_kind(stage, kind)
        tokenizer._exchange(name, stage)

    return property(get, put)


class Assembly(Watched):
    """What a tokenizer consists of, and the engine for it, which is made anew after a change."""

    _model: Model
    _stages: dict[str, Stage | None]
    _truncation: State | None
    _padding: State | None
    #: Both as arguments of a call: they change often, and the engine stays what it is.
    _lengths: dict[str, Any]
    #: The added tokens by id, and the ids by their content.
    _added: dict[int, AddedToken]
    _added_ids: dict[str, int]
    _splits_special: bool
    #: The engine for all of this; None after a change.
    _engine: Engine | None
    #: How often anything was changed, so that no thread keeps an engine of before.
    _changes: int
    _adding: threading.Lock

    def __init__(self, model: Model) -> None:
        of_kind(model, Model)
        self._start(model)

    def _start(self, model: Model) -> None:
        self._model = model
        model._used_by(self)
        self._stages = dict.fromkeys(("normalizer", "pre_tokenizer", "post_processor", "decoder"))
        self._truncation = self._padding = None
        self._lengths = {}
        self._added, self._added_ids = {}, {}
        self._splits_special = False
        self._engine = None
        self._changes = 0
        self._adding = threading.Lock()

    normalizer = _stage("normalizer", Normalizer)
    pre_tokenizer = _stage("pre_tokenizer", PreTokenizer)
    post_processor = _stage("post_processor", PostProcessor)
    decoder = _stage("decoder", Decoder)

    def _exchange(self, name: str, stage: Stage | None) -> None:
        before = self._stages[name]
        self._stages[name] = stage
        if before is not None and before not in self._stages.values():
            before._left_by(self)
        if stage is not None:
            stage._used_by(self)
        self._changed()

    def _changed(self) -> None:
        self._changes += 1
        self._engine = None
        super()._changed()

    @property
    def model(self) -> Any:
        return self._model

    @model.setter
    def model(self, model: Model) -> None:
        of_kind(model, Model)
        self._model._left_by(self)
        self._model = model
        model._used_by(self)
        self._changed()

    # Writing

    def to_str(self, pretty: bool = False) -> str:
        with as_the_library():
            return self._model._staged.write(compact(self._rest()), compact(self._model._parameters), pretty)

    def save(self, path: str, pretty: bool = True) -> None:
        text = self.to_str(pretty)
        try:
            write_whole(path, text)
        except OSError as error:
            raise Exception(f"{error.strerror} (os error {error.errno})") from error

    def _rest(self, without_custom: bool = False) -> State:
        """The file without the model."""
        stages = {
            name: None if stage is None or (without_custom and stage._is_custom()) else stage._json()
            for name, stage in self._stages.items()
        }
        added = [{"id": id, **token.__getstate__()} for id, token in sorted(self._added.items())]
        return {
            "version": "1.0",
            "truncation": self._truncation,
            "padding": self._padding,
            "added_tokens": added,
            **stages,
        }

    def __getnewargs__(self) -> tuple[Model]:
        return (BPE(),)

    def __getstate__(self) -> bytes:
        return self.to_str().encode()

    def __setstate__(self, state: bytes) -> None:
        self._take(state)

    def _take(self, data: bytes) -> None:
        try:
            staged, rest_json = _core.StagedModel.open(data)
        except BytemillError as error:
            raise Exception(str(error)) from error
        rest = json.loads(rest_json)
        # Only the parameters of the model: its lists stay in the engine.
        self._start(Model._of_parts(json.loads(staged.parameters()), staged))
        kinds = {
            "normalizer": Normalizer,
            "pre_tokenizer": PreTokenizer,
            "post_processor": PostProcessor,
            "decoder": Decoder,
        }
        for name, kind in kinds.items():
            if rest.get(name) is not None:
                self._exchange(name, kind._of_json(rest[name]))
        truncation, self._padding = rest.get("truncation"), rest.get("padding")
        # Old files do not say at which end they cut.
        self._truncation = None if truncation is None else {"direction": "Right", **truncation}
        self._lengths = as_arguments(self._truncation, self._padding)
        for token in rest.get("added_tokens") or []:
            added = AddedToken.__new__(AddedToken)
            added.__setstate__({name: value for name, value in token.items() if name != "id"})
            self._add([added])

    def _shown(self, most: int) -> str:
        state = {**self._rest(), "model": json.loads(self._model._json())}
        return f"Tokenizer({Shown(most).arguments(state)})"

    def __repr__(self) -> str:
        return self._shown(REPR)

    def __str__(self) -> str:
        return self._shown(STR)

    # Tokens

    def add_tokens(self, tokens: Sequence[str | AddedToken]) -> int:
        """Adds tokens that the model does not have. Returns how many were added."""
        of_kind(tokens, list)
        return self._add([AddedToken._of(token) for token in tokens])

    def add_special_tokens(self, tokens: Sequence[str | AddedToken]) -> int:
        """Adds special tokens, which decoding can leave out. Returns how many were added."""
        of_kind(tokens, list)
        return self._add([AddedToken._of(token, special=True) for token in tokens])

    def _add(self, tokens: list[AddedToken]) -> int:
        with self._adding:
            # Others may be reading the ones that are there.
            added, ids = dict(self._added), dict(self._added_ids)
            count = sum(self._added_one(token, added, ids) for token in tokens)
            self._added, self._added_ids = added, ids
        if count:
            self._changed()
        return count

    def _added_one(self, token: AddedToken, added: dict[int, AddedToken], ids: dict[str, int]) -> bool:
        """Gives a token its id, by the rule of the library; False if it has one already."""
        known = ids.get(token.content)
        if not token.content or (known is not None and added.get(known) == token):
            return False
        staged = self._model._staged
        id = staged.token_to_id(token.content) if known is None else known
        if id is None:
            size, last = len(staged), max(added, default=-1)
            id = last + 1 if last >= size or not (size or last < 0) else size
        added[id], ids[token.content] = token, id
        return True

    def get_added_tokens_decoder(self) -> dict[int, AddedToken]:
        return {id: token._copy() for id, token in sorted(self._added.items())}

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        vocab = self._model._staged.vocab()
        return {**vocab, **self._added_ids} if with_added_tokens else vocab

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        staged = self._model._staged
        if not with_added_tokens:
            return len(staged)
        return len(staged) + sum(staged.token_to_id(token) is None for token in self._added_ids)

    def token_to_id(self, token: str) -> int | None:
        of_kind(token, str)
        id = self._added_ids.get(token)
        return self._model._staged.token_to_id(token) if id is None else id

    def id_to_token(self, id: int) -> str | None:
        added = self._added.get(id)
        return self._model._staged.id_to_token(id) if added is None else added.content

    @property
    def encode_special_tokens(self) -> bool:
        """Whether special tokens in a text are text like any other."""
        return self._splits_special

    @encode_special_tokens.setter
    def encode_special_tokens(self, value: bool) -> None:
        self._splits_special = value

    # Lengths

    def enable_truncation(
        self,
        max_length: int,
        stride: int = 0,
        strategy: str = "longest_first",
        direction: str = "right",
        **kwargs: Any,
    ) -> None:
        ignore(kwargs)
        truncation = truncation_of(max_length, stride, strategy, direction)
        added = self.num_special_tokens_to_add(False)
        room = max_length - added
        if room < stride:
            raise ValueError(
                f"tokenizer stride set to {stride}, which is greater than or equal to its effective max length of "
                f"{room} (= {max_length} original max length - {added} added special tokens), "
            )
        self._truncation = truncation
        self._lengths = as_arguments(self._truncation, self._padding)

    def no_truncation(self) -> None:
        self._truncation = None
        self._lengths = as_arguments(None, self._padding)

    @property
    def truncation(self) -> dict[str, Any] | None:
        return shown_truncation(self._truncation)

    def enable_padding(
        self,
        *,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
        length: int | None = None,
        pad_to_multiple_of: int | None = None,
        **kwargs: Any,
    ) -> None:
        ignore(kwargs)
        self._padding = padding_of(direction, pad_id, pad_type_id, pad_token, length, pad_to_multiple_of)
        self._lengths = as_arguments(self._truncation, self._padding)

    def no_padding(self) -> None:
        self._padding = None
        self._lengths = as_arguments(self._truncation, None)

    @property
    def padding(self) -> dict[str, Any] | None:
        return shown_padding(self._padding)

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        processor = self._stages["post_processor"]
        return processor.num_special_tokens_to_add(is_pair) if isinstance(processor, PostProcessor) else 0

    # The engine

    def _ready(self) -> Engine:
        """The engine for what the tokenizer is now."""
        engine = self._engine
        while engine is None:
            changes = self._changes
            with as_the_library():
                rest = {**self._rest(without_custom=True), "truncation": None, "padding": None}
                core = _core.Tokenizer(self._model._staged.with_stages(compact(rest)))
            stages = (self._stages["normalizer"], self._stages["pre_tokenizer"])
            is_slow = any(stage is not None and stage._is_custom() for stage in stages)
            if changes == self._changes:
                # Otherwise another thread has changed it meanwhile.
                is_bare = self._stages["post_processor"] is None
                engine = self._engine = Engine.of(core, self._added, is_slow, is_bare)
        return engine
