"""Tables of rules that change characters, for `.model` files and `Precompiled`, compiled by `sentencepiece`."""

from __future__ import annotations

import base64
import io
import random
import tempfile
from functools import cache
from pathlib import Path

import sentencepiece
from sentencepiece import sentencepiece_model_pb2 as pb2

#: What rules change: letters, what is before and after them, and what nothing is left of.
CHARACTERS = [*"abcAB12é中ア\u0301\u200b\u00a0\u3000▁🙂", "ab", "ba", "a\u0301", "aa", "abc", " ", "  ", "\n"]
NAMED = ["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf"]


def random_rules(rng: random.Random) -> str:
    """A name, or rules as lines of code points."""
    if rng.random() < 0.15:
        return rng.choice(NAMED)
    lines = {}
    for _ in range(rng.choice([1, 3, 8])):
        left = rng.choice(CHARACTERS)
        lines[left] = rng.choice([right for right in [*CHARACTERS, "", "xyz", "▁", " "] if right != left])
    return "".join(f"{points(left)}\t{points(right)}\n" for left, right in lines.items())


def points(text: str) -> str:
    return " ".join(f"{ord(c):X}" for c in text)


@cache
def compiled(rules: str) -> str:
    """The table in base64, which is how JSON has it."""
    model = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rules.tsv"
        path.write_text(rules)
        chosen = {"normalization_rule_name": rules} if rules in NAMED else {"normalization_rule_tsv": str(path)}
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(["x y z"]),
            model_writer=model,
            model_type="char",
            vocab_size=7,
            hard_vocab_limit=False,
            minloglevel=3,
            **chosen,
        )
    found = pb2.ModelProto.FromString(model.getvalue()).normalizer_spec.precompiled_charsmap
    return base64.b64encode(found).decode()
