"""ParityBpeTrainer: one vocabulary from several languages, each merge for the language that needs it most."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from ... import _core
from ..._arguments.paths import how_to_read
from ..._arguments.types import Watcher
from ...progress import watching
from . import trainers
from ._added import AddedToken
from ._errors import as_the_library
from ._lengths import unsigned
from ._stage import Stage, State, compact, of_kind
from .models import BPE

if TYPE_CHECKING:
    from ._tokenizer import Tokenizer

#: The numbers of the library have 64 bits.
_MOST = 2**64 - 1


def _whole(value: Any) -> int:
    number = operator.index(value)
    unsigned(number)
    if number > _MOST:
        raise OverflowError("int too big to convert")
    return number


def _real(value: Any) -> float:
    # float() would read strings.
    return math.fsum((value,))


def _flag(value: Any) -> bool:
    of_kind(value, bool)
    return bool(value)


def _text(value: Any) -> str:
    of_kind(value, str)
    return str(value)


def _perhaps(put: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else put(value)


def _members(values: Any) -> list[Any]:
    if isinstance(values, str):
        raise TypeError("Can't extract `str` to `Vec`")
    of_kind(values, Sequence)
    return list(values)


def _rates(values: Any) -> list[float]:
    return [_real(value) for value in _members(values)]


def _characters(values: Any) -> list[str]:
    characters = [_text(value) for value in _members(values)]
    if any(len(character) != 1 for character in characters):
        raise ValueError("expected a string of length 1")
    return characters


def _tokens(values: Any) -> list[AddedToken]:
    of_kind(values, list)
    tokens = trainers._special_tokens(values)
    for value in values:
        if isinstance(value, AddedToken):
            # So the library does with the caller's own object.
            value.special = True
    return tokens


def _variant(name: Any) -> str:
    if _text(name) not in ("base", "window"):
        raise ValueError(f"Unknown variant '{name}'. Use 'base' or 'window'.")
    return str(name)


#: What each option has to be, in the order of the library's state.
_OPTIONS: dict[str, Callable[[Any], Any]] = {
    "num_merges": _whole,
    "variant": _variant,
    "min_frequency": _whole,
    "global_merges": _whole,
    "window_size": _whole,
    "alpha": _real,
    "total_symbols": _flag,
    "show_progress": _flag,
    "ratio": _perhaps(_rates),
    "special_tokens": _tokens,
    "limit_alphabet": _perhaps(_whole),
    "initial_alphabet": _characters,
    "continuing_subword_prefix": _perhaps(_text),
    "end_of_word_suffix": _perhaps(_text),
    "max_token_length": _perhaps(_whole),
}

#: The options that a state may lack.
_ABSENT = ("ratio", "limit_alphabet", "continuing_subword_prefix", "end_of_word_suffix", "max_token_length")

#: The options that `repr` shows.
_SHOWN = ("num_merges", "variant", "min_frequency", "global_merges", "window_size", "alpha", "total_symbols")


def _option(name: str, get: Callable[[Any], Any] | None = None) -> Any:
    def getter(trainer: ParityBpeTrainer) -> Any:
        value = trainer._state[name]
        return value if get is None else get(value)

    def setter(trainer: ParityBpeTrainer, value: Any) -> None:
        trainer._state[name] = _OPTIONS[name](value)

    return property(getter, setter)


class ParityBpeTrainer:
    """Trains BPE on several languages. Each merge is the best one of the language whose text is the longest by then.

    The lengths are those of `dev_iterators` if there are any, otherwise those of the texts themselves. With `ratio` the
    language is taken whose text has become shorter by the least, relative to its ratio.
    """

    #: As in the library, there are no other attributes.
    __slots__ = ("_state",)

    _state: State

    def __init__(
        self,
        num_merges: int = 32000,
        variant: str = "base",
        min_frequency: int = 0,
        ratio: Sequence[float] | None = None,
        global_merges: int = 0,
        window_size: int = 100,
        alpha: float = 2.0,
        total_symbols: bool = False,
        special_tokens: list[str | AddedToken] | None = None,
        show_progress: bool = True,
        limit_alphabet: int | None = None,
        initial_alphabet: Sequence[str] | None = None,
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        max_token_length: int | None = None,
    ) -> None:
        self._settle(
            {
                "num_merges": num_merges,
                "variant": variant,
                "min_frequency": min_frequency,
                "global_merges": global_merges,
                "window_size": window_size,
                "alpha": alpha,
                "total_symbols": total_symbols,
                "show_progress": show_progress,
                "ratio": ratio,
                "special_tokens": [] if special_tokens is None else special_tokens,
                "limit_alphabet": limit_alphabet,
                "initial_alphabet": [] if initial_alphabet is None else initial_alphabet,
                "continuing_subword_prefix": continuing_subword_prefix,
                "end_of_word_suffix": end_of_word_suffix,
                "max_token_length": max_token_length,
            }
        )

    def _settle(self, values: State) -> None:
        self._state = {name: put(values[name]) for name, put in _OPTIONS.items()}

    num_merges = _option("num_merges")
    min_frequency = _option("min_frequency")
    global_merges = _option("global_merges")
    window_size = _option("window_size")
    alpha = _option("alpha")
    total_symbols = _option("total_symbols")
    show_progress = _option("show_progress")
    special_tokens = _option("special_tokens", list)
    limit_alphabet = _option("limit_alphabet")
    initial_alphabet = _option("initial_alphabet", list)
    continuing_subword_prefix = _option("continuing_subword_prefix")
    end_of_word_suffix = _option("end_of_word_suffix")
    max_token_length = _option("max_token_length")

    @property
    def variant(self) -> str:
        return str(self._state["variant"])

    def __getstate__(self) -> State:
        return {**self._state, "special_tokens": [token.content for token in self._state["special_tokens"]]}

    def __setstate__(self, state: State) -> None:
        of_kind(state, dict)
        # What may be None may be missing.
        absent: State = {**dict.fromkeys(_ABSENT), "initial_alphabet": []}
        self._settle({**absent, **state})

    def __repr__(self) -> str:
        return f"ParityBpeTrainer({', '.join(f'{name}={_shown(self._state[name])}' for name in _SHOWN)})"

    def train_from_iterator(
        self,
        tokenizer: Tokenizer,
        train_iterators: Sequence[Iterable[Any]],
        dev_iterators: Sequence[Iterable[Any]] | None = None,
        ratio: Sequence[float] | None = None,
    ) -> None:
        """Trains a tokenizer on the texts of each language, or on lists of them."""
        from ._tokenizer import Tokenizer

        of_kind(tokenizer, Tokenizer)
        train = _members(train_iterators)
        dev = _perhaps(_members)(dev_iterators)
        rates = self._state["ratio"] if ratio is None else _rates(ratio)
        if not train:
            raise ValueError("train_iterators must not be empty")
        if dev is not None and len(dev) != len(train):
            raise ValueError(f"dev_iterators length ({len(dev)}) must match train_iterators length ({len(train)})")
        options = self._options(None if dev else rates)
        with watching(None if self._state["show_progress"] else False) as watcher:
            words = [_counted(tokenizer, texts, watcher) for texts in train]
            dev_words = [_counted(tokenizer, texts, watcher) for texts in dev or []]
            with as_the_library(RuntimeError, "Training error: "):
                tokens, merges = _core.learn_parity(words, dev_words, watcher, **options)
        vocab = {token: id for id, token in enumerate(tokens)}
        marks = {name: self._state[name] for name in ("continuing_subword_prefix", "end_of_word_suffix")}
        tokenizer.model = BPE(vocab, [(tokens[left], tokens[right]) for left, right in merges], **marks)
        tokenizer.add_special_tokens(self.special_tokens)

    def _options(self, ratio: list[float] | None) -> State:
        """The options as the core takes them."""
        others = ("variant", "window_size", "alpha", "show_progress")
        asked = {name: value for name, value in self._state.items() if name not in others}
        window = (self._state["window_size"], self._state["alpha"]) if self.variant == "window" else None
        specials = [token.content for token in self._state["special_tokens"]]
        return {**asked, "ratio": ratio, "window": window, "special_tokens": specials}


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, float) and not math.isinf(value):
        # Never with an exponent.
        return format(Decimal(repr(value)), "f").removesuffix(".0")
    return str(value)


def _counted(tokenizer: Tokenizer, iterator: Any, watcher: Watcher | None) -> _core.Counts:
    """The words of a language after the tokenizer's stages, each with its count."""
    texts = trainers._texts(iter(iterator))
    normalizer, pre_tokenizer = tokenizer.normalizer, tokenizer.pre_tokenizer
    if any(stage is not None and stage._is_custom() for stage in (normalizer, pre_tokenizer)):
        # The engine cannot run these: it is given their pieces.
        texts, normalizer, pre_tokenizer = trainers._pieces(texts, normalizer, pre_tokenizer), None, None
    with as_the_library():
        made_by: State = {
            "normalizer": _own(_core._own_normalizer, normalizer),
            "pretokenizer": _own(_core._own_pretokenizer, pre_tokenizer),
            "special_tokens": [],
        }
        return _core.count_pieces(
            texts, json.dumps(made_by), watcher, how=how_to_read(), threads=None, memory=None, order=False
        )


def _own(translated: Callable[[str], str], stage: Stage | None) -> Any:
    """A stage as the engine writes it."""
    return None if stage is None else json.loads(translated(compact(stage._json())))
