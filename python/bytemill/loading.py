"""`load`: a tokenizer from a file or a folder, whatever its format."""

from __future__ import annotations

import os
from collections.abc import Mapping

from . import _core, normalizers, pretokenizers
from ._arguments import checks
from ._arguments.stages import resolve
from ._arguments.types import AnyPath
from .tokenizer import Tokenizer


def load(
    path: AnyPath,
    format: str | None = None,
    *,
    pattern: pretokenizers.PreTokenizer | str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    normalizer: normalizers.Normalizer | str | None = None,
    byte_level: bool | None = None,
    unk_token: str | None = None,
) -> Tokenizer:
    """Reads a tokenizer from a file or a folder, whatever its format.

    The format is found by looking inside the file; `format` insists on one. A `.tiktoken` file holds neither its
    pattern nor its special tokens: those of OpenAI's encodings are known by the name of the file, others are given.
    Nor do `vocab.json` and `merges.txt`, for which `normalizer`, `byte_level` and `unk_token` can be given, too.
    A `pattern` is a pretokenizer, the name of one, or a regular expression as the library of the file reads it, which
    is the `pat_str` of `tiktoken` for its own.
    """
    if byte_level is not None:
        checks.flag("byte_level", byte_level)
    checks.optional_text("unk_token", unk_token)
    if special_tokens is not None and not isinstance(special_tokens, Mapping):
        raise TypeError(f"special_tokens is a mapping of names to ids, not {type(special_tokens).__name__}")
    handle = _core.read(
        os.fspath(path),
        format,
        pretokenizers.splitting(pattern),
        None if special_tokens is None else list(special_tokens.items()),
        resolve(normalizer, normalizers.Normalizer, normalizers.NAMED),
        byte_level,
        unk_token,
    )
    return Tokenizer(handle)
