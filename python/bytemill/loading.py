"""`load`: a tokenizer from a file or a folder, whatever its format, or by its name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from . import _core, normalizers, pretokenizers
from ._arguments import checks
from ._arguments.stages import resolve
from ._arguments.types import AnyPath
from .chat.settings import read_settings
from .errors import SpecError
from .tokenizer import Tokenizer, _made


def load(
    path: AnyPath,
    format: str | None = None,
    *,
    pattern: pretokenizers.PreTokenizer | str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    normalizer: normalizers.Normalizer | str | None = None,
    byte_level: bool | None = None,
    unk_token: str | None = None,
    revision: str | None = None,
) -> Tokenizer:
    """Reads a tokenizer from a file or a folder, or by its name.

    The format is found by looking at the content. Some formats do not contain everything; most other arguments are for
    these. bytemill knows OpenAI's `.tiktoken` files by their names.

    If there is no such file or folder, `path` may be the name of one of OpenAI's encodings (`"cl100k_base"`), which is
    read from the cache of `tiktoken`, or of a repository on the Hugging Face hub (`"Qwen/Qwen3-8B"`), read from the
    cache of `huggingface_hub`. It is downloaded from the hub only if `huggingface_hub` is installed
    (`pip install "bytemill[hub]"`) and `HF_HUB_OFFLINE` is not set.

    Args:
        path: A file, which may be gzipped, a folder, or a name.
        format: Insist on this format: `"mill"`, `"mill.json"`, `"tokenizer.json"`, `"tiktoken"`, `"tekken.json"`,
            `"model"`, `"vocab.json"` or `"vocab.txt"`.
        pattern: How text is split, for `.tiktoken`, `vocab.json` and `vocab.txt`: a pretokenizer, the name of one, or a
            regular expression (for `.tiktoken`, the `pat_str` of `tiktoken`).
        special_tokens: The special tokens with their ids, for the same files.
        normalizer: How text is normalized, for `vocab.json` and `vocab.txt`.
        byte_level: For `vocab.json`: whether tokens are made of bytes, if the vocabulary does not tell.
        unk_token: The unknown token, for `vocab.json` and `vocab.txt`.
        revision: The revision of a repository on the hub.

    Raises:
        FormatError: The file is damaged or not a tokenizer, or has something that cannot be reproduced exactly.
    """
    if byte_level is not None:
        checks.flag("byte_level", byte_level)
    checks.optional_text("unk_token", unk_token)
    checks.optional_text("revision", revision)
    if special_tokens is not None and not isinstance(special_tokens, Mapping):
        raise TypeError(f"special_tokens is a mapping of names to ids, not {type(special_tokens).__name__}")
    read = partial(
        _core.read,
        format=format,
        splitting=pretokenizers.splitting(pattern),
        special_tokens=None if special_tokens is None else list(special_tokens.items()),
        normalizer=resolve(normalizer, normalizers.Normalizer, normalizers.NAMED),
        byte_level=byte_level,
        unk_token=unk_token,
    )
    where = os.fspath(path)
    if isinstance(where, bytes):
        raise TypeError("path is a str or a path, not bytes; bytemill.loads reads the content of a file")
    if not Path(where).exists():
        from . import _caches  # Most calls read a file, and need nothing of this.

        if _caches.is_name(where):
            with _caches.find(where, revision) as found:
                return _with_settings(read(found.path, encoding=found.encoding), Path(found.path))
    if revision is not None:
        raise SpecError(f"a revision is that of a name, and {where!r} is a path; leave out revision=")
    return _with_settings(read(where), Path(where))


def _with_settings(tokenizer: _core.Handle, path: Path) -> Tokenizer:
    """The tokenizer with what the files beside it say."""
    return _made(Tokenizer, tokenizer, read_settings(path if path.is_dir() else path.parent))


def loads(data: bytes | str) -> Tokenizer:
    """Reads a tokenizer from the content of a file: of any format that `load` knows by its content.

    Examples:
        >>> import bytemill
        >>> tok = bytemill.train(["the cat"], bytemill.Word(), progress=False)
        >>> bytemill.loads(tok.to_bytes("tokenizer.json")).encode("the cat") == tok.encode("the cat")
        True
    """
    if not isinstance(data, (bytes, str)):
        raise TypeError(f"data is the content of a file, bytes or str, not {type(data).__name__}")
    return Tokenizer(_core.from_bytes(data.encode() if isinstance(data, str) else data))
