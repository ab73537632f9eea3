"""Sessions of published models: thousands of edits of real text, each equal to encoding the whole text anew."""

from __future__ import annotations

import gzip
import json
import os
import random
from pathlib import Path

import pytest

import bytemill
from tests.effort import ALL
from tests.sessions import SMALL, check_answers, random_edit, session_in_chunks

pytestmark = pytest.mark.shared

MODELS = {
    "gpt2": "openai-gpt2/tokenizer.json",
    "o200k": "openai-o200k/tokenizer.json.gz",
    "mistral": "mistral-spm/tokenizer.model.v1",
    "mistral json": "mistral-spm/tokenizer_v3.json.gz",
    "t5": "t5-base/tokenizer.json",
    "t5 model": "t5-base/spiece.model",
    "bert": "bert-base-uncased/tokenizer.json",
    "qwen3": "qwen3/tokenizer.json.gz",
}
#: Edits of each model, and how long its text becomes.
EDITS = int(os.environ.get("BYTEMILL_SESSION_EDITS", "2000" if ALL else "300"))
MOST_CHARACTERS = 6000
#: What sessions may trip over: special tokens whole and in halves, marks, runs of spaces and digits.
HARD = [
    "<|endof",
    "text|>",
    "<|endoftext|>",
    "</s>",
    "<extra_id_0>",
    "[MASK]",
    "▁",
    "  ",
    "\n\n",
    " \n ",
    "\u0301",
    "12345678",
]
HARD += ["don't", "é", "ﬁ", "İ", "中文字", "👩\u200d👧", "\u00a0", "\u3000", "’s", "\t", "x" * 90, "..."]


def loaded(shared: Path, name: str) -> bytemill.Tokenizer:
    path = shared / "models" / MODELS[name]
    return bytemill.loads(gzip.decompress(path.read_bytes())) if path.suffix == ".gz" else bytemill.load(path)


def sources(shared: Path) -> list[str]:
    texts = [(shared / "corpora/tinyshakespeare.txt").read_text()[:60_000]]
    texts += [path.read_text()[:20_000] for path in sorted((shared / "corpora/multilingual").glob("*.txt"))]
    return [*texts, "\n".join(json.loads((shared / "torture/blns.json").read_text()))]


@pytest.mark.parametrize("chunk_bytes", [SMALL, 64, 1024])
@pytest.mark.parametrize("name", MODELS)
def test_random_edits(shared: Path, name: str, chunk_bytes: int) -> None:
    tok, texts = loaded(shared, name), sources(shared)
    rng = random.Random(f"{name} {chunk_bytes}")
    text = ""
    session = session_in_chunks(tok, text, chunk_bytes, "all")
    for number in range(EDITS // 3 + 1):
        source = rng.choice(texts)
        at = rng.randrange(len(source))
        new = source[at : at + rng.choice([1, 1, 2, 5, 20, 300])] if rng.random() < 0.8 else rng.choice(HARD)
        text = random_edit(rng, session, text, new)
        if len(text) > MOST_CHARACTERS:
            start = rng.randrange(len(text) // 2)
            session.replace((start, start + len(text) // 2), "")
            text = text[:start] + text[start + len(text) // 2 :]
        assert session.ids == tok.encode(text, specials="all"), (number, new)
        if number % 20 == 0:
            assert session.text == text
            check_answers(rng, session, text, new)


def test_what_is_bounded(shared: Path) -> None:
    bounded = {name: loaded(shared, name).session("the cat sat").bounded for name in MODELS}
    assert bounded == {name: name != "t5 model" for name in MODELS}
