"""Random `.tiktoken` files beside `tiktoken`: ranks at random, patterns of OpenAI's encodings, special tokens."""

from __future__ import annotations

import base64
import random
import tempfile
from pathlib import Path
from typing import Any

import tiktoken

import bytemill
from bytemill.errors import BytemillError
from tests.differential.patterns import KNOWN

from .equalities import check_rows, check_ways
from .tally import expect, expect_each
from .texts import random_rows, random_text

Json = dict[str, Any]

#: None begins with another: which of two is found depends there on the order of a hash table.
SPECIALS = ["<|endoftext|>", "<|a|>", "<|b|><|a|>", "ab", "\n"]


def make(rng: random.Random) -> Json:
    """A case: tokens in the order of their ranks, the first of them the bytes, and texts."""
    tokens = [bytes([byte]) for byte in range(256)]
    rng.shuffle(tokens)
    words = [word.encode() for _ in range(12) for word in random_text(rng, []).split()] or [b"ab"]
    for _ in range(rng.choice([0, 20, 120])):
        word = rng.choice(words)
        start = rng.randrange(len(word))
        tokens.append(rng.choice([b"", b" "]) + word[start : start + rng.choice([1, 2, 2, 3, 4, 8])])
    names = rng.sample(SPECIALS, k=rng.choice([0, 1, 2, 4]))
    return {
        "tokens": [base64.b64encode(token).decode() for token in dict.fromkeys(tokens) if token],
        "pattern": rng.choice(KNOWN),
        "specials": names,
        "texts": [random_text(rng, names) for _ in range(8)],
        "rows": random_rows(rng, names),
        "seed": rng.randrange(1 << 30),
    }


def check(case: Json) -> str:
    ranks = {base64.b64decode(token): rank for rank, token in enumerate(case["tokens"])}
    specials = {name: len(ranks) + i for i, name in enumerate(case["specials"])}
    try:
        theirs = tiktoken.Encoding("own", pat_str=case["pattern"], mergeable_ranks=ranks, special_tokens=specials)
    except ValueError as error:
        return f"refused there: {str(error)[:60]}"
    try:
        ours = load(case, specials)
    except BytemillError as error:
        return f"refused here: {str(error).partition(': ')[2][:60]}"
    rng = random.Random(case["seed"])
    general = bytemill.Tokenizer(ours._without_fast_path())
    for text in case["texts"]:
        expect(f"ids of {text!r}", ours.encode(text, specials="all"), theirs.encode(text, allowed_special="all"))
        expect(f"ordinary ids of {text!r}", ours.encode(text, specials="none"), theirs.encode_ordinary(text))
        ids = rng.choices(range(len(ranks) + len(specials)), k=rng.randint(0, 8))
        expect(f"decoded {ids}", ours.decode_bytes(ids), theirs.decode_bytes(ids))
        expect(f"decoded {ids} as text", ours.decode(ids), theirs.decode(ids))
        if not any(name in text for name in specials):
            check_ways(ours, general, text, rng)
    if rows := case.get("rows"):
        ids = range(len(ranks) + len(specials))
        check_many(theirs, ours, rows, [rng.choices(ids, k=rng.randint(0, 8)) for _ in rows])
        check_rows(ours, general, [text for text in rows if not any(name in text for name in specials)])
    return "compared"


def check_many(theirs: Any, ours: bytemill.Tokenizer, texts: list[str], rows: list[list[int]]) -> None:
    """Many texts at once, and many rows of ids that no text gives."""
    expected = theirs.encode_batch(texts, num_threads=1, allowed_special="all")
    expect_each("ids of", texts, ours.encode_batch(texts, specials="all").to_list(), expected)
    expected = theirs.encode_ordinary_batch(texts, num_threads=1)
    expect_each("ordinary ids of", texts, ours.encode_batch(texts, specials="none").to_list(), expected)
    written = [str(row) for row in rows]
    expect_each("decoded", written, ours.decode_batch(rows), theirs.decode_batch(rows, num_threads=1))
    expected = theirs.decode_bytes_batch(rows, num_threads=1)
    expect_each("bytes of", written, map(ours.decode_bytes, rows), expected)


def load(case: Json, specials: dict[str, int]) -> bytemill.Tokenizer:
    lines = "".join(f"{token} {rank}\n" for rank, token in enumerate(case["tokens"]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "own.tiktoken"
        path.write_text(lines)
        return bytemill.load(path, pattern=case["pattern"], special_tokens=specials)
