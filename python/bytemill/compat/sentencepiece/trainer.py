"""`SentencePieceTrainer`: flags → a spec of bytemill → a model."""

from __future__ import annotations

import random
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from ..._whole_files import write_whole
from ...errors import BytemillError
from ...training import CorpusTooSmall, SentencePiece, train
from . import flags as flags_of
from .model import Model
from .names import with_snake_case
from .normalizer import RULE_NAMES, SentencePieceNormalizer, rules_file, settings_of

MODELS = ("unigram", "bpe", "word", "char")
#: The options of a spec, by the flags that set them.
OPTIONS = {
    "character_coverage": "character_coverage",
    "required_chars": "required_chars",
    "user_defined_symbols": "user_defined_symbols",
    "byte_fallback": "byte_fallback",
    "max_sentencepiece_length": "max_piece_length",
    "split_by_unicode_script": "split_by_unicode_script",
    "split_by_number": "split_by_number",
    "split_digits": "split_digits",
    "split_by_whitespace": "split_by_whitespace",
    "treat_whitespace_as_suffix": "treat_whitespace_as_suffix",
    "allow_whitespace_only_pieces": "allow_whitespace_only_pieces",
    "add_dummy_prefix": "add_dummy_prefix",
    "remove_extra_whitespaces": "remove_extra_whitespaces",
    "unk_surface": "unk_surface",
}
#: What a normalizer sets.
OF_NORMALIZER = (
    "normalization_rule_name",
    "normalization_rule_tsv",
    "add_dummy_prefix",
    "escape_whitespaces",
    "remove_extra_whitespaces",
)
OF_UNIGRAM = {
    "seed_sentencepiece_size": "seed_size",
    "shrinking_factor": "shrinking_factor",
    "num_sub_iterations": "sub_iterations",
}


@with_snake_case
class SentencePieceTrainer:
    """Trains models."""

    @staticmethod
    def _Train(arg: Any = None, **kwargs: Any) -> Any:
        if arg is not None and isinstance(arg, str):
            return _trained(flags_of.of_line(arg), None, None, None)
        sentences = kwargs.pop("sentence_reader", None) or kwargs.pop("sentence_iterator", None)
        writer, normalizer = kwargs.pop("model_writer", None), kwargs.pop("normalizer", None)
        given = {name: flags_of.written(value) for name, value in kwargs.items() if name != "sentence_iterator"}
        if normalizer is not None:
            given |= _settings(normalizer, given)
        return _trained(given, sentences, writer, normalizer)

    @staticmethod
    def Train(arg: Any = None, logstream: Any = None, **kwargs: Any) -> Any:
        """Trains a model.

        Args:
            arg: The flags, as on a command line.
            logstream: Where messages would go; there are none. It is closed.
            kwargs: The flags as arguments, and `sentence_iterator`, `model_writer` and `normalizer`.
        """
        try:
            return SentencePieceTrainer._Train(arg=arg, **kwargs)
        finally:
            if logstream is not None:
                logstream.close()


def _settings(normalizer: SentencePieceNormalizer, given: dict[str, str]) -> dict[str, str]:
    """The flags that a normalizer sets, which nothing else may set then."""
    if conflicts := [name for name in OF_NORMALIZER if name in given]:
        raise ValueError(
            f"INVALID_ARGUMENT: normalizer and {conflicts[0]} cannot be given together: the normalizer says what it is"
        )
    return {name: flags_of.written(value) for name, value in settings_of(normalizer).items()}


def _trained(given: dict[str, str], sentences: Any, writer: Any, normalizer: Any) -> bool | None:
    flags = flags_of.parsed(given)
    _check(flags, sentences, writer)
    with tempfile.TemporaryDirectory(prefix="bytemill-") as made:
        model = _model(flags, _chosen(_sentences(flags, sentences), flags), normalizer, Path(made))
    if writer is not None:
        writer.write(model.serialized)
        return None
    write_whole(flags["model_prefix"] + ".model", model.serialized)
    rows = zip(model.names, model.types_and_scores, strict=True)
    scored = flags["vocabulary_output_piece_score"]
    lines = (f"{name}\t{score:g}\n" if scored else f"{name}\n" for name, (_, score) in rows)
    write_whole(flags["model_prefix"] + ".vocab", "".join(lines))
    return True


def _check(flags: dict[str, Any], sentences: Any, writer: Any) -> None:
    if flags["model_type"].lower() not in MODELS:
        raise ValueError(f"INVALID_ARGUMENT: unknown model_type {flags['model_type']!r}; there are {', '.join(MODELS)}")
    if flags["normalization_rule_name"] not in RULE_NAMES:
        raise RuntimeError(f"NOT_FOUND: No precompiled charsmap is found: {flags['normalization_rule_name']}")
    if sentences is None and not flags["input"]:
        raise RuntimeError("INTERNAL: input or sentence_iterator is needed")
    if sentences is not None and not hasattr(sentences, "__next__"):
        raise TypeError(f"sentence_iterator is an iterator, not {type(sentences).__name__}")
    if writer is None and not flags["model_prefix"]:
        raise RuntimeError("INTERNAL: model_prefix or model_writer is needed")
    if 0 < flags["input_sentence_size"] <= 100:
        raise RuntimeError("INTERNAL: input_sentence_size is 0, for all, or above 100")
    if flags["unk_id"] < 0:
        raise RuntimeError("INTERNAL: unk_id must be defined: it is at least 0")


def _sentences(flags: dict[str, Any], sentences: Any) -> Iterator[str]:
    lines: Iterable[Any] = sentences if sentences is not None else chain.from_iterable(map(_lines, flags["input"]))
    for line in lines:
        if not isinstance(line, (str, bytes)):
            raise ValueError("INVALID_ARGUMENT: Iterator must return str or bytes.")
        text = line.decode("utf-8", "bytemill-each") if isinstance(line, bytes) else line
        text = text.rstrip("\r\n").replace("\n", " ")
        if text and len(text.encode("utf-8", "replace")) <= flags["max_sentence_length"]:
            yield text


def _lines(path: str) -> Iterator[bytes]:
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            yield from file
    except OSError as error:
        raise RuntimeError(f'NOT_FOUND: "{path}": {error.strerror} Error #{error.errno}') from error


def _chosen(sentences: Iterator[str], flags: dict[str, Any]) -> Iterable[str]:
    """At most `input_sentence_size` of the sentences: by chance, or the first ones."""
    size = flags["input_sentence_size"]
    if size <= 0:
        return sentences
    if not flags["shuffle_input_sentence"]:
        return [sentence for _, sentence in zip(range(size), sentences, strict=False)]
    numbers, kept = random.Random(flags["random_seed"]), list[str]()
    for count, sentence in enumerate(sentences):
        if count < size:
            kept.append(sentence)
        elif (place := numbers.randrange(count + 1)) < size:
            kept[place] = sentence
    return kept


def _model(flags: dict[str, Any], sentences: Iterable[str], normalizer: Any, folder: Path) -> Model:
    kind = flags["model_type"].lower()
    size = None if flags["use_all_vocab"] and kind in ("word", "char") else flags["vocab_size"]
    names = dict(OPTIONS, **(OF_UNIGRAM if kind == "unigram" else {}))
    options = {option: flags[name] for name, option in names.items()}
    ids = {role: flags[f"{role}_id"] for role in ("unk", "bos", "eos", "pad")}
    symbols = _symbols(flags, ids)
    options["user_defined_symbols"] = symbols
    ids = {role: -1 if flags[f"{role}_piece"] in symbols else id for role, id in ids.items()}
    roles: dict[str, Any] = {f"{role}_token": flags[f"{role}_piece"] if id >= 0 else None for role, id in ids.items()}
    special = {flags[f"{role}_piece"]: id for role, id in ids.items() if id >= 0}
    try:
        spec = SentencePiece(
            size, model=kind, normalization=_normalization(flags, normalizer, folder), **options, **roles
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CorpusTooSmall)
            # A number of threads changes nothing but the time.
            tokenizer = train(
                sentences, spec, special_tokens=_placed(special, flags["control_symbols"]), progress=False
            )
    except BytemillError as error:
        raise RuntimeError(f"INTERNAL: {error}") from error
    model = Model(tokenizer.to_bytes("model"))
    if size is not None and model.size != size and flags["hard_vocab_limit"] and kind != "char":
        raise RuntimeError(
            f"INTERNAL: Vocabulary size too high ({size}). Please set it to a value <= {model.size}, or pass "
            "hard_vocab_limit=False."
        )
    return model


def _symbols(flags: dict[str, Any], ids: dict[str, int]) -> list[str]:
    """The user's symbols. A piece with a role that is one of them keeps its id and loses the role."""
    listed: list[str] = flags["user_defined_symbols"]
    known = {flags[f"{role}_piece"]: id for role, id in ids.items() if id >= 0}
    first = sorted((name for name in known if name in listed), key=known.__getitem__)
    if flags["unk_piece"] in first:
        raise RuntimeError(f"INTERNAL: {flags['unk_piece']} must not be defined with user_defined_symbols")
    others = [id for name, id in known.items() if name not in first]
    if first and [known[name] for name in first] != [*range(max(others) + 1, max(others) + 1 + len(first))]:
        raise NotImplementedError(
            f"bytemill cannot give the ids of roles to the symbols {', '.join(first)}: they must follow all other roles"
        )
    return list(dict.fromkeys(first + listed))


def _placed(special: dict[str, int], controls: list[str]) -> dict[str, int]:
    """Control symbols have the first ids that are free."""
    taken = set(special.values())
    free = (id for id in range(len(special) + len(controls) + max(taken, default=0) + 1) if id not in taken)
    return {**special, **{name: next(free) for name in controls if name not in special}}


def _normalization(flags: dict[str, Any], normalizer: Any, folder: Path) -> Any:
    if normalizer is not None:
        assert isinstance(normalizer, SentencePieceNormalizer)
        return rules_file(normalizer, folder)
    return (
        Path(flags["normalization_rule_tsv"]) if flags["normalization_rule_tsv"] else flags["normalization_rule_name"]
    )
