"""Random small WordPiece models, with every option of the `tokenizers` library, and texts for them."""

from __future__ import annotations

import random
from typing import Any

from .random_bpe import CHARACTERS, STEPS


def model(rng: random.Random) -> dict[str, Any]:
    """`model` of a tokenizer.json: some characters are no tokens, and longer matches may lead nowhere."""
    prefix = rng.choice(["##", "##", "", "#", "é"])
    tokens = {"[UNK]"}
    for _ in range(rng.randint(0, 40)):
        word = "".join(rng.choices(CHARACTERS, weights=[6, 6, 3, 1, 1, 1], k=rng.choice([1, 1, 2, 3, 4, 6])))
        tokens.add(rng.choice(["", prefix]) + word)
    numbered = list(enumerate(sorted(tokens)))
    rng.shuffle(numbered)
    return {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": prefix,
        "max_input_chars_per_word": rng.choice([100, 100, 20, 3]),
        "vocab": {token: id for id, token in numbered},
    }


NORMALIZERS: list[dict[str, Any] | None] = [
    None,
    {"type": "Lowercase"},
    *(
        {
            "type": "BertNormalizer",
            "clean_text": clean,
            "handle_chinese_chars": cjk,
            "strip_accents": accents,
            "lowercase": lower,
        }
        for clean in (True, False)
        for cjk in (True, False)
        for accents in (None, True, False)
        for lower in (True, False)
    ),
]


def file(rng: random.Random) -> dict[str, Any]:
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": rng.choice(NORMALIZERS),
        "pre_tokenizer": rng.choice([None, STEPS["bert"], STEPS["bert"], STEPS["whitespace_split"]]),
        "post_processor": None,
        "decoder": rng.choice([None, {"type": "WordPiece", "prefix": "##", "cleanup": rng.random() < 0.5}]),
        "model": model(rng),
    }
