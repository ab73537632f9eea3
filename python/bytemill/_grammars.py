"""Grammars of programming languages that are not part of the package: each is in a wheel, such as `tree-sitter-lua`.

The core calls `of_wheel` when a language is named whose grammar it does not have yet, or when a tokenizer was made with
another version of the wheel than the one that it has.
"""

from __future__ import annotations

import importlib
import warnings
from importlib import metadata

from .errors import GrammarError, OtherGrammar


def of_wheel(language: str, made_with: str | None) -> tuple[object, str]:
    """The capsule with a grammar, and the version of its wheel."""
    name = f"tree-sitter-{language}"
    try:
        module = importlib.import_module(name.replace("-", "_"))
        version = metadata.version(name)
    except ImportError as error:
        made = f" (this tokenizer was made with {name} {made_with})" if made_with is not None else ""
        raise GrammarError(
            f"the grammar of {language} is in the package {name}, which cannot be imported{made}: "
            f'pip install "bytemill[languages]", or {name} alone'
        ) from error
    capsule = module.language()
    if type(capsule).__name__ != "PyCapsule":
        raise GrammarError(
            f"{name} {version} hands out its grammar as {type(capsule).__name__}, as old versions do, and not as a "
            f"capsule: pip install -U {name}"
        )
    if made_with not in (None, version):
        warnings.warn(
            f"this tokenizer was made with {name} {made_with}, and {version} is installed: where their syntax trees "
            f"differ, so do the ids (pip install {name}=={made_with})",
            OtherGrammar,
            stacklevel=3,
        )
    return capsule, version
