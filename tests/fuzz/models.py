"""Random models for tokenizer.json, with tokens taken from pieces that their stages give."""

from __future__ import annotations

import random
from typing import Any

Json = dict[str, Any]


def substrings(rng: random.Random, pieces: list[str], count: int) -> list[str]:
    found = []
    for piece in rng.choices(pieces, k=count):
        start = rng.randrange(len(piece))
        found.append(piece[start : start + rng.choice([1, 2, 2, 3, 5, 30])])
    return found


def characters(rng: random.Random, pieces: list[str]) -> list[str]:
    """Most of the characters; what is left out is unknown text."""
    every = sorted(set("".join(pieces)))
    share = rng.choice([0.5, 0.9, 1.0, 1.0])
    return [c for c in every if rng.random() <= share]


def numbered(tokens: list[str]) -> dict[str, int]:
    return {token: id for id, token in enumerate(dict.fromkeys(tokens))}


def byte_tokens(rng: random.Random) -> list[str]:
    """The tokens of byte fallback: all, or all but some."""
    missing = rng.choice([0, 0, 0, 3])
    left_out = rng.sample(range(256), k=missing)
    return [f"<0x{byte:02X}>" for byte in range(256) if byte not in left_out]


def random_model(rng: random.Random, pieces: list[str], specials: list[str]) -> Json:
    make = rng.choice([word_level, word_piece, bpe, bpe, bpe, unigram])
    return make(rng, pieces, specials)


def word_level(rng: random.Random, pieces: list[str], specials: list[str]) -> Json:
    tokens = [*specials, *rng.sample(pieces, k=rng.randint(1, len(pieces))), *characters(rng, pieces)]
    return {"type": "WordLevel", "vocab": numbered(tokens), "unk_token": rng.choice(["[UNK]", "[UNK]", "none"])}


def word_piece(rng: random.Random, pieces: list[str], specials: list[str]) -> Json:
    prefix = rng.choice(["##", "##", "_", ""])
    starts, rest = characters(rng, pieces), characters(rng, pieces)
    longer = substrings(rng, pieces, rng.choice([0, 20, 60]))
    tokens = [*specials, *starts, *(prefix + c for c in rest), *longer, *(prefix + token for token in longer[::2])]
    return {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": prefix,
        "max_input_chars_per_word": rng.choice([100, 100, 4]),
        "vocab": numbered(tokens),
    }


def bpe(rng: random.Random, pieces: list[str], specials: list[str]) -> Json:
    prefix, suffix = rng.choice([(None, None)] * 4 + [("##", None), (None, "</w>")])
    rows = [symbols(piece, prefix or "", suffix or "") for piece in pieces if len(piece) < 200]
    fallback = rng.random() < 0.3
    tokens = [*specials, *(byte_tokens(rng) if fallback else [])]
    share = rng.choice([0.5, 0.9, 1.0, 1.0])
    tokens += [token for token in dict.fromkeys(token for row in rows for token in row) if rng.random() <= share]
    known, merges = set(tokens), []
    for _ in range(rng.choice([0, 10, 40, 120])):
        row = rng.choice(rows)
        places = [i for i in range(len(row) - 1) if row[i] in known and row[i + 1] in known]
        if not places:
            continue
        left, right = row[(at := rng.choice(places))], row[at + 1]
        made = left + (right.removeprefix(prefix) if prefix else right)
        row[at : at + 2] = [made]
        if [left, right] not in merges:
            merges.append([left, right])
            tokens.append(made)
            known.add(made)
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": rng.choice([None, "[UNK]", "[UNK]"]),
        "continuing_subword_prefix": prefix,
        "end_of_word_suffix": suffix,
        "fuse_unk": rng.random() < 0.5,
        "byte_fallback": fallback,
        "ignore_merges": rng.random() < 0.3,
        "vocab": numbered(tokens),
        "merges": merges,
    }


def symbols(piece: str, prefix: str, suffix: str) -> list[str]:
    row = [piece[0], *(prefix + c for c in piece[1:])]
    row[-1] += suffix
    return row


def unigram(rng: random.Random, pieces: list[str], specials: list[str]) -> Json:
    fallback = rng.random() < 0.3
    tokens = [*specials, *(byte_tokens(rng) if fallback else []), *characters(rng, pieces)]
    tokens += substrings(rng, pieces, rng.choice([0, 20, 80]))
    scores = rng.choice([lambda: -rng.random() * 12, lambda: -float(rng.randint(0, 4)), lambda: -rng.random() * 1e-3])
    vocab = [[token, scores()] for token in dict.fromkeys(tokens)]
    return {"type": "Unigram", "unk_id": 0, "vocab": vocab, "byte_fallback": fallback}
