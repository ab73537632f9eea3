"""Tokenizers and texts that many tests use, and processes of their own for what would disturb the others."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import bytemill

CORPUS = [
    "the cat sat on the mat.",
    "The dog, the cat and the bird: “naïve” façade!",
    "我能吞下玻璃 こんにちは 안녕 Привет, мир",
    "👩‍👩‍👧 don't stop-now (ever) $5 1,234",
]

#: Where tokenizers go wrong: the ends of blocks, joiners, controls, white space of all kinds, halves of special tokens.
TEXTS = [
    "",
    " ",
    "\n\t\r\n",
    "the cat",
    "  the  cat ",
    "Hello, world!",
    "the<EOS>cat <BOS>",
    "<EOS",
    "<<EOS>>",
    "naïve façade, cafe\u0301",
    "我能吞下玻璃。",
    "👩‍👩‍👧 🇩🇪 e\u0301\u0308",
    "a\x00b\x1fc\x7fd\x85e\u200bf\ufefff",
    "\u3000the\u00a0cat\u2028",
    "x" * 63 + "é" + "y" * 65,
    "the cat, " * 40,
]


def chars(corpus: Iterable[str] = CORPUS, **options: Any) -> bytemill.Tokenizer:
    """A character tokenizer; options of the spec and of `train` alike."""
    return _trained(bytemill.Char, corpus, options)


def words(corpus: Iterable[str] = CORPUS, **options: Any) -> bytemill.Tokenizer:
    return _trained(bytemill.Word, corpus, options)


OF_TRAIN = ("special_tokens", "normalizer", "pretokenizer", "threads")


def _trained(family: type, corpus: Iterable[str], options: dict[str, Any]) -> bytemill.Tokenizer:
    outer = {name: options.pop(name) for name in OF_TRAIN if name in options}
    return bytemill.train(corpus, family(**options), progress=False, **outer)


def python(code: str, *arguments: str, timeout: float = 60) -> str:
    """What a Python program prints when it runs in a process of its own; it must end well."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *arguments], capture_output=True, text=True, timeout=timeout
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


Mistake = tuple[Callable[[Path], object], type[BaseException], str]
#: By name: what is done with a folder of files, the exception, and its message, where {folder} is that folder.
Mistakes = dict[str, Mistake]


def raises_exactly(mistake: Mistake, folder: Path) -> None:
    do, kind, message = mistake
    with pytest.raises(kind) as caught:
        do(folder)
    assert type(caught.value) is kind
    assert str(caught.value) == message.format(folder=folder)
