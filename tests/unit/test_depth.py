"""What is nested deeply in a file is refused, on a thread with a small stack, too."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

import bytemill
from bytemill.errors import FormatError

MODEL = {"type": "WordLevel", "vocab": {"a": 0, "[UNK]": 1}, "unk_token": "[UNK]"}
#: What Linux gives to a thread is eight megabytes, and musl 128 KiB.
STACK = 256 * 1024
PATTERNS = ["[" * 20_000 + "a" + "]" * 20_000, "(" * 20_000 + "a" + ")" * 20_000, "(?=" * 5_000 + "a" + ")" * 5_000]
PATTERNS += ["(?:" * 20_000 + "a" + ")" * 20_000, "a" + "{2}" * 3_000, "(a*)*" * 2_000, "a|" * 50_000 + "b"]


def on_a_small_stack(content: str) -> str:
    """The name of what loading and encoding raises."""
    found = []

    def load() -> None:
        try:
            tok = bytemill.loads(content)
            tok.decode(tok.encode("a"))
        except Exception as error:
            found.append(type(error).__name__)

    before = threading.stack_size(STACK)
    try:
        thread = threading.Thread(target=load)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    return "".join(found)


def file_with(**stages: Any) -> str:
    return json.dumps({"version": "1.0", "added_tokens": [], "model": MODEL, **stages})


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern[:5])
def test_patterns(pattern: str) -> None:
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    assert on_a_small_stack(file_with(pre_tokenizer=split)) == FormatError.__name__


@pytest.mark.parametrize("depth", [10, 100, 300])
@pytest.mark.parametrize("stage", ["normalizer", "pretokenizer"])
def test_stages_in_stages(stage: str, depth: int) -> None:
    nested: dict[str, Any] = {"type": "Lowercase"} if stage == "normalizer" else {"type": "Whitespace"}
    for _ in range(depth):
        nested = {"type": "Sequence", f"{stage}s": [nested]}
    key = "normalizer" if stage == "normalizer" else "pre_tokenizer"
    refused = FormatError.__name__ if depth > 50 else ""
    assert on_a_small_stack(file_with(**{key: nested})) == refused


@pytest.mark.parametrize(("count", "refused"), [(64, ""), (65, FormatError.__name__), (40_000, FormatError.__name__)])
def test_decoders_one_after_the_other(count: int, refused: str) -> None:
    decoder = {"type": "Sequence", "decoders": [{"type": "Fuse"}] * count}
    assert on_a_small_stack(file_with(decoder=decoder)) == refused
