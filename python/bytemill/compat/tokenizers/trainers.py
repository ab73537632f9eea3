"""`tokenizers.trainers`: what trains a model. The engine trains; the options are those of the library."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ... import _core, training
from ..._arguments.paths import how_to_read
from ...progress import watching
from ._added import AddedToken
from ._encoding import ignore
from ._errors import as_the_library
from ._normalized import PreTokenizedString
from ._parity import ParityBpeTrainer as ParityBpeTrainer
from ._shown import REPR, STR, Shown
from ._stage import State, compact, of_kind
from .models import BPE, Model, Unigram, WordLevel, WordPiece

if TYPE_CHECKING:
    from ._tokenizer import Tokenizer

#: Special tokens have these names while the engine trains, so that it does not look for them in the text.
_STAND_IN = "\U0010fffe{}\U0010fffe"


class Trainer:
    """The base of all trainers."""

    #: The options as the library orders them, with what they are if nobody says.
    _defaults: ClassVar[State] = {}
    #: The options that the constructor knows by other names.
    _state: State
    #: What it trains.
    _model: ClassVar[type[Model]] = Model

    def __new__(cls, *arguments: Any, **keywords: Any) -> Any:
        if cls is Trainer:
            raise TypeError("cannot create 'tokenizers.trainers.Trainer' instances")
        return super().__new__(cls)

    def _settle(self, keywords: State) -> None:
        known = {name: keywords.pop(name) for name in list(keywords) if name in self._defaults}
        ignore(keywords)
        self._state = {**{name: _copied(value) for name, value in self._defaults.items()}, **known}
        self._state["special_tokens"] = _special_tokens(self._state["special_tokens"])
        if "initial_alphabet" in self._state:
            self._state["initial_alphabet"] = _alphabet(self._state["initial_alphabet"])

    def _json(self) -> State:
        tokens = [token.__getstate__() for token in self._state["special_tokens"]]
        return {**self._state, "special_tokens": tokens, "words": {}}

    def __getstate__(self) -> bytes:
        return compact({type(self).__name__: self._json()}).encode()

    def __setstate__(self, state: bytes) -> None:
        ((_, values),) = json.loads(state).items()
        self._take(values)

    def _take(self, values: State) -> None:
        values = {name: value for name, value in values.items() if name in self._defaults}
        values["special_tokens"] = [_of_state(token) for token in values.get("special_tokens", [])]
        self._settle(values)

    def _shown(self, most: int) -> str:
        name = type(self).__name__
        return f"{name}({name}({Shown(most).arguments(self._json())}))"

    def __repr__(self) -> str:
        return self._shown(REPR)

    def __str__(self) -> str:
        return self._shown(STR)

    def _trained(self, tokenizer: Tokenizer, texts: Iterator[str]) -> Model:
        raise NotImplementedError

    def _learn(self, tokenizer: Tokenizer, texts: Iterator[str], spec: training.specs.Vocabulary) -> _core.Tokenizer:
        """What the engine makes of texts after the tokenizer's stages."""
        names = [_STAND_IN.format(number) for number in range(len(self._special_names()))]
        normalizer, pre_tokenizer = tokenizer.normalizer, tokenizer.pre_tokenizer
        if any(stage is not None and stage._is_custom() for stage in (normalizer, pre_tokenizer)):
            # The engine cannot run these: it is given their pieces.
            texts, normalizer, pre_tokenizer = _pieces(texts, normalizer, pre_tokenizer), None, None
        nothing = compact({"type": "Sequence", "normalizers": []}), compact({"type": "Sequence", "pretokenizers": []})
        definition = self._definition(spec)
        with as_the_library(), watching(None if self._state["show_progress"] else False) as watcher:
            handle, _ = _core.train(
                texts,
                json.dumps(definition),
                watcher,
                special_tokens=[(name, None) for name in names],
                normalizer=_core._own_normalizer(nothing[0] if normalizer is None else compact(normalizer._json())),
                pretokenizer=_core._own_pretokenizer(
                    nothing[1] if pre_tokenizer is None else compact(pre_tokenizer._json())
                ),
                how=how_to_read(),
                threads=None,
                memory=None,
                continue_from=None,
                log=None,
                checkpoint=None,
                counted=False,
            )
        return _core.Tokenizer(handle)

    def _definition(self, spec: training.specs.Vocabulary) -> State:
        """What the engine is told, with the rules of the library that no spec has an option for."""
        definition = spec.definition()
        if "bpe" in definition:
            definition["bpe"]["may_exceed"] = True
        if "sentencepiece" in definition:
            definition["sentencepiece"]["recipe"] = {"tokenizers": {"vocab_size": self._state["vocab_size"]}}
        return definition

    def _special_names(self) -> list[str]:
        """The special tokens, each of them once."""
        return list(dict.fromkeys(token.content for token in self._state["special_tokens"]))

    def _vocab(self, learned: _core.Tokenizer) -> dict[str, int]:
        """The vocabulary with the names that special tokens have."""
        names = {_STAND_IN.format(number): name for number, name in enumerate(self._special_names())}
        return {names.get(token, token): id for token, id in learned.vocab().items()}


def _pieces(texts: Iterator[str], normalizer: Any, pre_tokenizer: Any) -> Iterator[str]:
    """The pieces of texts after stages of which some are written in Python."""
    for text in texts:
        pretok = PreTokenizedString(text)
        if normalizer is not None:
            pretok._normalize(normalizer.normalize)
        if pre_tokenizer is not None:
            pre_tokenizer.pre_tokenize(pretok)
        for piece, _, _ in pretok.get_splits():
            yield piece


def _copied(value: Any) -> Any:
    return list(value) if isinstance(value, list) else value


def _of_state(token: State) -> AddedToken:
    added = AddedToken.__new__(AddedToken)
    added.__setstate__(token)
    return added


def _special_tokens(tokens: Iterable[Any]) -> list[AddedToken]:
    try:
        return [AddedToken._of(token, special=True) for token in tokens]
    except TypeError:
        raise TypeError("special_tokens must be a List[Union[str, AddedToken]]") from None


def _alphabet(texts: Iterable[str]) -> list[str]:
    """The first character of each text."""
    return list(dict.fromkeys(text[0] for text in texts if text))


def _option(name: str, get: Any = None, put: Any = None) -> Any:
    def getter(trainer: Trainer) -> Any:
        value = trainer._state[name]
        return value if get is None else get(value)

    def setter(trainer: Trainer, value: Any) -> None:
        trainer._state[name] = value if put is None else put(value)

    return property(getter, setter)


_FORMATS = {"indicatif": "Indicatif", "json": "JsonLines", "silent": "Silent"}


def _format(name: str) -> str:
    if name not in _FORMATS:
        raise ValueError(f"Unknown progress format: {name}. Use one of {', '.join(_FORMATS)}")
    return _FORMATS[name]


class BpeTrainer(Trainer):
    _model: ClassVar[type[Model]] = BPE
    _defaults: ClassVar[State] = {
        "min_frequency": 0,
        "vocab_size": 30000,
        "show_progress": True,
        "progress_format": "Indicatif",
        "special_tokens": [],
        "limit_alphabet": None,
        "initial_alphabet": [],
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "max_token_length": None,
    }

    def __init__(self, **kwargs: Any) -> None:
        if isinstance(kwargs.get("progress_format"), str) and kwargs["progress_format"] not in _FORMATS.values():
            kwargs["progress_format"] = _format(kwargs["progress_format"])
        self._settle(kwargs)

    vocab_size = _option("vocab_size")
    min_frequency = _option("min_frequency")
    show_progress = _option("show_progress")
    progress_format = _option("progress_format", str.lower, _format)
    special_tokens = _option("special_tokens", list, _special_tokens)
    limit_alphabet = _option("limit_alphabet")
    initial_alphabet = _option("initial_alphabet", list, _alphabet)
    continuing_subword_prefix = _option("continuing_subword_prefix")
    end_of_word_suffix = _option("end_of_word_suffix")
    max_token_length = _option("max_token_length")

    def get_word_count(self) -> int:
        """The engine keeps no words after a training."""
        return 0

    def _learned(self, tokenizer: Tokenizer, texts: Iterator[str]) -> _core.Tokenizer:
        state = self._state
        spec = training.BPE(
            vocab_size=state["vocab_size"],
            min_frequency=max(state["min_frequency"], 1),
            unk_token=None,
            ties="huggingface",
            byte_level=False,
            max_token_length=state["max_token_length"],
            initial_alphabet=state["initial_alphabet"] or None,
            limit_alphabet=state["limit_alphabet"],
            end_of_word_suffix=state["end_of_word_suffix"] or None,
            continuing_subword_prefix=state["continuing_subword_prefix"] or None,
        )
        return self._learn(tokenizer, texts, spec)

    def _trained(self, tokenizer: Tokenizer, texts: Iterator[str]) -> Model:
        learned = self._learned(tokenizer, texts)
        merges = [(left.decode(), right.decode()) for left, right in learned.merges() or []]
        before = tokenizer.model._parameters
        options = {name: value for name, value in before.items() if name not in ("type", "vocab", "merges")}
        for name in ("continuing_subword_prefix", "end_of_word_suffix"):
            options[name] = self._state[name]
        return BPE(self._vocab(learned), merges, **options)


class WordPieceTrainer(BpeTrainer):
    _model: ClassVar[type[Model]] = WordPiece
    _defaults: ClassVar[State] = {**BpeTrainer._defaults, "continuing_subword_prefix": "##"}

    def _json(self) -> State:
        return {"bpe_trainer": super()._json()}

    def _take(self, values: State) -> None:
        super()._take(values["bpe_trainer"])

    def _shown(self, most: int) -> str:
        inner = Shown(most).arguments(self._json()["bpe_trainer"])
        return f"WordPieceTrainer(WordPieceTrainer(bpe_trainer=BpeTrainer({inner})))"

    def _trained(self, tokenizer: Tokenizer, texts: Iterator[str]) -> Model:
        vocab = self._vocab(self._learned(tokenizer, texts))
        before = tokenizer.model._parameters
        options = {name: value for name, value in before.items() if name not in ("type", "vocab")}
        if self._state["continuing_subword_prefix"] is not None:
            options["continuing_subword_prefix"] = self._state["continuing_subword_prefix"]
        return WordPiece(vocab, **options)


class WordLevelTrainer(Trainer):
    _model: ClassVar[type[Model]] = WordLevel
    _defaults: ClassVar[State] = {
        "min_frequency": 0,
        "vocab_size": 30000,
        "show_progress": True,
        "special_tokens": [],
    }

    def __init__(self, **kwargs: Any) -> None:
        self._settle(kwargs)

    vocab_size = _option("vocab_size")
    min_frequency = _option("min_frequency")
    show_progress = _option("show_progress")
    special_tokens = _option("special_tokens", list, _special_tokens)

    def _trained(self, tokenizer: Tokenizer, texts: Iterator[str]) -> Model:
        state = self._state
        spec = training.Word(
            vocab_size=state["vocab_size"],
            min_frequency=max(state["min_frequency"], 1),
            pad_token=None,
            unk_token=None,
            bos_token=None,
            eos_token=None,
        )
        vocab = self._vocab(self._learn(tokenizer, texts, spec))
        unk = tokenizer.model._unk()
        return WordLevel(vocab, unk)


class UnigramTrainer(Trainer):
    _model: ClassVar[type[Model]] = Unigram
    _defaults: ClassVar[State] = {
        "show_progress": True,
        "vocab_size": 8000,
        "n_sub_iterations": 2,
        "shrinking_factor": 0.75,
        "special_tokens": [],
        "initial_alphabet": [],
        "unk_token": None,
        "max_piece_length": 16,
        "seed_size": 1000000,
    }

    def __init__(
        self,
        vocab_size: int = 8000,
        show_progress: bool = True,
        special_tokens: Sequence[Any] | None = None,
        shrinking_factor: float = 0.75,
        unk_token: str | None = None,
        max_piece_length: int = 16,
        n_sub_iterations: int = 2,
        **kwargs: Any,
    ) -> None:
        given = {
            "vocab_size": vocab_size,
            "show_progress": show_progress,
            "special_tokens": special_tokens or [],
            "shrinking_factor": shrinking_factor,
            "unk_token": unk_token,
            "max_piece_length": max_piece_length,
            "n_sub_iterations": n_sub_iterations,
        }
        self._settle({**given, **kwargs})

    vocab_size = _option("vocab_size")
    show_progress = _option("show_progress")
    special_tokens = _option("special_tokens", list, _special_tokens)
    initial_alphabet = _option("initial_alphabet", list, _alphabet)

    def _trained(self, tokenizer: Tokenizer, texts: Iterator[str]) -> Model:
        state = self._state
        specials = self._special_names()
        if state["unk_token"] is not None and state["unk_token"] not in specials:
            specials.insert(0, state["unk_token"])
        # The engine needs an unknown token, which is none of those here.
        unk = _STAND_IN.format("unk")
        spec = training.Unigram(
            vocab_size=state["vocab_size"] - len(specials) + len(self._special_names()) + 1,
            unk_token=unk,
            bos_token=None,
            eos_token=None,
            character_coverage=1.0,
            required_chars="".join(state["initial_alphabet"]),
            max_piece_length=state["max_piece_length"],
            seed_size=state["seed_size"],
            shrinking_factor=state["shrinking_factor"],
            sub_iterations=state["n_sub_iterations"],
        )
        learned = self._learn(tokenizer, texts, spec)
        reserved = {unk, *(_STAND_IN.format(number) for number in range(len(state["special_tokens"])))}
        pieces = [(token, learned.score([id])) for token, id in learned.vocab().items() if token not in reserved]
        vocab = [*((token, 0.0) for token in specials), *pieces]
        return Unigram(vocab, None if state["unk_token"] is None else specials.index(state["unk_token"]), False)


def train_on_files(tokenizer: Tokenizer, files: Sequence[str], trainer: Any) -> None:
    """Trains on the lines of files, which keep their ends."""
    if isinstance(files, str):
        raise TypeError("Can't extract `str` to `Vec`")

    def lines() -> Iterator[str]:
        for path in files:
            try:
                with Path(path).open(encoding="utf-8", newline="\n") as file:
                    yield from file
            except OSError as error:
                raise Exception(f"{error.strerror} (os error {error.errno})") from error

    _train(tokenizer, lines(), trainer)


def train_on_texts(tokenizer: Tokenizer, iterator: Iterable[Any], trainer: Any) -> None:
    """Trains on texts, or lists of them."""
    _train(tokenizer, _texts(iter(iterator)), trainer)


def _texts(items: Iterator[Any]) -> Iterator[str]:
    for item in items:
        if isinstance(item, str):
            yield item
            continue
        for text in item:
            of_kind(text, str)
            yield text


def _own(trainer: Any) -> Any:
    """A trainer of the library itself as one of these."""
    kind = globals().get(type(trainer).__name__)
    if isinstance(trainer, Trainer) or not isinstance(kind, type) or not issubclass(kind, Trainer):
        return trainer
    own = kind.__new__(kind)
    own.__setstate__(trainer.__getstate__())
    return own


def _train(tokenizer: Tokenizer, texts: Iterator[str], trainer: Any) -> None:
    trainer = tokenizer.model.get_trainer() if trainer is None else _own(trainer)
    of_kind(trainer, Trainer)
    model = trainer._model
    if type(tokenizer.model) is not model:
        raise Exception(f"{type(trainer).__name__} can only train a {model.__name__}")
    tokenizer.model = trainer._trained(tokenizer, texts)
    tokenizer.add_special_tokens(trainer._state["special_tokens"])
