"""`transformers` 5.22 on this engine: `patch()` before `AutoTokenizer.from_pretrained`, and nothing else changes.

Tokenizers that are made while the patch is on run on bytemill. One that it cannot take exactly stays on the library
`tokenizers`, with a warning. Tokenizers that were made before stay what they are, and those that were made under the
patch keep running after `unpatch()`.
"""

from __future__ import annotations

import json
import warnings
from types import TracebackType
from typing import Any, cast

from . import tokenizers as stand_in
from .tokenizers._stage import Stage

#: Where `transformers` reads, keeps and uses the tokenizers of the library.
_BACKEND = "transformers.tokenization_utils_tokenizers"
_BASE = "transformers.tokenization_utils_base"

#: What that module has from the library. `AddedToken` stays the library's: tokens go from one tokenizer to another.
_NAMES = {
    "pre_tokenizers_fast": stand_in.pre_tokenizers,
    "processors": stand_in.processors,
    "EncodingFast": stand_in.Encoding,
    "DecoderFast": stand_in.decoders.Decoder,
    "BPE": stand_in.models.BPE,
    "Unigram": stand_in.models.Unigram,
    "BpeTrainer": stand_in.trainers.BpeTrainer,
    "UnigramTrainer": stand_in.trainers.UnigramTrainer,
    "WordLevelTrainer": stand_in.trainers.WordLevelTrainer,
    "WordPieceTrainer": stand_in.trainers.WordPieceTrainer,
}

_KINDS = {
    "model": stand_in.models.Model,
    "normalizer": stand_in.normalizers.Normalizer,
    "pre_tokenizer": stand_in.pre_tokenizers.PreTokenizer,
    "post_processor": stand_in.processors.PostProcessor,
    "decoder": stand_in.decoders.Decoder,
}


class StaysOnTokenizers(UserWarning):
    """Warns that a tokenizer stays on the library `tokenizers`, and says why."""


class BackendTokenizer(stand_in.Tokenizer):
    """The tokenizer inside one of `transformers`. It takes the library's own models, stages and added tokens, too."""

    def __init__(self, model: Any) -> None:
        super().__init__(_own("model", model))

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, _own(name, value) if name in _KINDS else value)

    def get_added_tokens_decoder(self) -> Any:
        from tokenizers import AddedToken  # It is installed with transformers.

        added = super().get_added_tokens_decoder()
        return {id: AddedToken(**token.__getstate__()) for id, token in added.items()}

    @staticmethod
    def from_str(json: str) -> Any:
        return _taken(json.encode())

    @staticmethod
    def from_buffer(buffer: bytes) -> Any:
        return _taken(bytes(buffer))

    @staticmethod
    def from_file(path: str) -> Any:
        # The library names what is wrong with a file.
        with open(path, "rb") as file:  # noqa: PTH123
            return _taken(file.read())


def _own(name: str, value: Any) -> Any:
    """A model or stage of the library as one of the stand-in."""
    kind = _KINDS[name]
    if value is None or isinstance(value, kind):
        return value
    state = value.__getstate__()
    if name == "model":
        model = stand_in.models.Model._kinds[type(value).__name__]
        made = model.__new__(model)
        made.__setstate__(state)
        return made
    return cast("type[Stage]", kind)._of_json(json.loads(state))


def _taken(data: bytes) -> Any:
    """The tokenizer of a file, on the engine if that takes it."""
    import tokenizers  # It is installed with transformers.

    tokenizer = BackendTokenizer.__new__(BackendTokenizer)
    try:
        tokenizer._take(data)
        tokenizer._ready()
    except Exception as reason:
        original = tokenizers.Tokenizer.from_buffer(data)
        warnings.warn(
            f"a tokenizer stays on the library tokenizers, since bytemill cannot take it exactly: {reason}",
            StaysOnTokenizers,
            stacklevel=3,
        )
        # So that nobody tries again.
        vars(original)["stays"] = True
        return original
    return tokenizer


class _Backend:
    """The attribute of a tokenizer of `transformers` that holds one of the library: one that runs on the engine."""

    def __get__(self, owner: Any, kind: type) -> Any:
        return None if owner is None else owner.__dict__.get("_tokenizer")

    def __set__(self, owner: Any, tokenizer: Any) -> None:
        import tokenizers  # It is installed with transformers.

        if type(tokenizer) is tokenizers.Tokenizer and not getattr(tokenizer, "stays", False):
            tokenizer = _moved(tokenizer)
        owner.__dict__["_tokenizer"] = tokenizer


def _moved(tokenizer: Any) -> Any:
    """A tokenizer of the library on the engine, if that takes it."""
    try:
        data = tokenizer.to_str().encode()
    except Exception:
        # It has stages that are written in Python, and stays where it is.
        return tokenizer
    moved = _taken(data)
    if isinstance(moved, BackendTokenizer):
        moved.encode_special_tokens = tokenizer.encode_special_tokens
        return moved
    return tokenizer


class Patch:
    """What `patch()` gives: a context manager that takes the patch off at its end."""

    def __enter__(self) -> Patch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        unpatch()


#: What was there before, while the patch is on.
_before: dict[tuple[Any, str], Any] = {}


def patch() -> Patch:
    """Makes new tokenizers of `transformers` run on bytemill, until `unpatch()` or the end of a `with`."""
    if not _before:
        backend, base = _modules()
        import tokenizers

        _put(backend, {**_NAMES, "TokenizerFast": BackendTokenizer})
        _put(base, {"EncodingFast": (tokenizers.Encoding, stand_in.Encoding)})
        _put(backend.TokenizersBackend, {"_tokenizer": _Backend(), "_patch_mistral_regex": _mistral_fix(backend)})
    return Patch()


def unpatch() -> None:
    """Takes the patch off. Tokenizers that run on bytemill go on doing so."""
    if _before:
        for (module, name), value in _before.items():
            setattr(module, name, value)
        _before.clear()


def is_patched() -> bool:
    """Whether the patch is on."""
    return bool(_before)


def _modules() -> tuple[Any, Any]:
    import importlib

    try:
        return importlib.import_module(_BACKEND), importlib.import_module(_BASE)
    except ModuleNotFoundError as error:
        raise ImportError(
            f"bytemill.compat.transformers is for transformers 5.22, which is not there ({error}); "
            'pip install "transformers>=5.22,<5.23"'
        ) from error


def _mistral_fix(backend: Any) -> Any:
    """The one place where `transformers` asks for the library's own classes: it is given the library's tokenizer."""
    fix = vars(backend.TokenizersBackend)["_patch_mistral_regex"].__func__

    def fixed(kind: type, tokenizer: Any, *arguments: Any, **options: Any) -> Any:
        import tokenizers

        asked = options.get("fix_mistral_regex") or (options.get("init_kwargs") or {}).get("fix_mistral_regex")
        if asked and isinstance(tokenizer, BackendTokenizer):
            tokenizer = tokenizers.Tokenizer.from_str(tokenizer.to_str())
        return fix(kind, tokenizer, *arguments, **options)

    return classmethod(fixed)


def _put(module: Any, names: dict[str, Any]) -> None:
    for name, value in names.items():
        if not hasattr(module, name):
            unpatch()
            raise ImportError(
                f"bytemill.compat.transformers is for transformers 5.22; this one has no {module.__name__}.{name}"
            )
        # Not getattr: a class method is to come back as one.
        _before[module, name] = vars(module)[name]
        setattr(module, name, value)
