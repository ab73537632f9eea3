"""Random small tokenizers of every family and rule, and random edits of them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import bytemill
from bytemill import surgery
from bytemill.errors import BytemillError, SpecError
from tests import random_bpe, random_wordpiece
from tests.see.broken import BYTE_LEVEL, json_tokenizer, unigram

LETTERS = "abc"


def word(rng: random.Random, longest: int = 4) -> str:
    return "".join(rng.choices(LETTERS, k=rng.randint(2, longest)))


def learned(rng: random.Random, letters: list[str]) -> tuple[list[str], list[list[str]]]:
    """Tokens and merges as a training leaves them, and a token that no merge makes."""
    tokens, merges = [*letters], []
    for _ in range(rng.randint(3, 14)):
        left, right = (rng.choice([*LETTERS, *tokens[len(letters) :]]) for _ in range(2))
        if len(left + right) <= 5 and [left, right] not in merges:
            merges.append([left, right])
            if left + right not in tokens:
                tokens.append(left + right)
    if rng.random() < 0.5 and (orphan := word(rng, 5)) not in tokens:
        tokens.append(orphan)
    return tokens, merges


def byte_pairs(rng: random.Random) -> bytemill.Tokenizer:
    from bytemill.reference.bpe import ALPHABET

    tokens, merges = learned(rng, [*ALPHABET.values()])
    vocab = {token: id for id, token in enumerate(tokens)}
    model = {"type": "BPE", "vocab": vocab, "merges": merges, "ignore_merges": rng.random() < 0.3}
    added = [{"id": len(tokens), "content": "<|end|>", "special": True, **FLAGS}]
    return json_tokenizer(model, pre_tokenizer=BYTE_LEVEL, decoder=BYTE_LEVEL, added_tokens=added)


FLAGS = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)


def characters(rng: random.Random) -> bytemill.Tokenizer:
    tokens, merges = learned(rng, [*LETTERS, "<unk>"])
    vocab = {token: id for id, token in enumerate(tokens)}
    return json_tokenizer({"type": "BPE", "vocab": vocab, "merges": merges, "unk_token": "<unk>"})


def any_pairs(rng: random.Random) -> bytemill.Tokenizer:
    return bytemill.loads(json.dumps(random_bpe.file(rng)[0]))


def ranks(rng: random.Random) -> bytemill.Tokenizer:
    tokens, _ = learned(rng, [])
    numbered = {bytes([byte]): byte for byte in range(256)}
    numbered |= {token.encode(): 256 + place * rng.choice([1, 1, 2]) for place, token in enumerate(tokens)}
    unique = {rank: token for token, rank in numbered.items()}
    specials = {"<|end|>": max(unique) + rng.randint(1, 3)}
    pattern = rng.choice(["[a-z]+|[^a-z]", "gpt2", "cl100k"])
    return bytemill.Tokenizer.from_ranks(
        {token: rank for rank, token in unique.items()}, pattern=pattern, special_tokens=specials
    )


def wordpieces(rng: random.Random) -> bytemill.Tokenizer:
    return bytemill.loads(json.dumps(random_wordpiece.file(rng)))


def scored(rng: random.Random) -> bytemill.Tokenizer:
    tokens = dict.fromkeys([*LETTERS, *(word(rng) for _ in range(8))])
    return unigram({token: round(-rng.uniform(1, 9), 3) for token in tokens})


def sentencepieces(rng: random.Random) -> bytemill.Tokenizer:
    text = " ".join(word(rng, 6) for _ in range(60))
    model = rng.choice(["unigram", "bpe"])
    fallback = rng.random() < 0.5
    size = rng.randint(10, 24) + 256 * fallback
    spec = bytemill.SentencePiece(size, model=model, byte_fallback=fallback)  # type: ignore[arg-type]
    return bytemill.train([text], spec, special_tokens=["<mask>"], progress=False)


def words(rng: random.Random) -> bytemill.Tokenizer:
    return bytemill.train([" ".join(word(rng, 6) for _ in range(20))], bytemill.Word(), progress=False)


KINDS: dict[str, Callable[[random.Random], bytemill.Tokenizer]] = {
    "byte_pairs": byte_pairs,
    "characters": characters,
    "any_pairs": any_pairs,
    "ranks": ranks,
    "wordpieces": wordpieces,
    "scored": scored,
    "sentencepieces": sentencepieces,
    "words": words,
}


def tokenizer(rng: random.Random, kind: str) -> bytemill.Tokenizer:
    """One that loads: some random files are refused for their own reasons."""
    while True:
        try:
            return KINDS[kind](rng)
        except BytemillError:
            continue


def new_tokens(rng: random.Random, tok: bytemill.Tokenizer) -> list[str]:
    definition = json.loads(tok.definition())
    symbols = definition.get("symbols", {})
    prefix = (definition.get("subwords") or {}).get("prefix", symbols.get("prefix", ""))
    marks = [""] if "sentencepiece" not in definition else ["", "▁"]
    found = [
        rng.choice([*marks, prefix]) + word(rng, 6) + rng.choice(["", symbols.get("suffix", "")]) for _ in range(4)
    ]
    return [token for token in dict.fromkeys(found) if tok.token_to_id(token) is None]


def add(rng: random.Random, tok: bytemill.Tokenizer) -> surgery.Edit:
    return surgery.add_tokens(tok, new_tokens(rng, tok)[: rng.randint(1, 3)], stepping_stones=rng.random() < 0.8)


def add_special(rng: random.Random, tok: bytemill.Tokenizer) -> surgery.Edit:
    return surgery.add_tokens(tok, ["<x>", "<y>"], kind=rng.choice(["special", "added"]))


def some(rng: random.Random, tok: bytemill.Tokenizer) -> list[int]:
    ids = [id for id in tok.vocab_bytes().values() if len(tok.id_to_bytes(id) or b"") > 1]
    return rng.sample(ids, min(len(ids), rng.randint(1, 3)))


def ids_after(rng: random.Random, tok: bytemill.Tokenizer) -> str:
    """A list of pieces has no gaps, except that those of SentencePiece can be marked as unused."""
    lists = tok.family == "unigram" and "sentencepiece" not in json.loads(tok.definition())
    return "compact" if lists else rng.choice(["compact", "keep"])


def remove(rng: random.Random, tok: bytemill.Tokenizer) -> surgery.Edit:
    needed, ids = rng.choice(["remove", "keep"]), ids_after(rng, tok)
    return surgery.remove_tokens(tok, some(rng, tok), needed=needed, ids=ids)  # type: ignore[arg-type]


def prune(rng: random.Random, tok: bytemill.Tokenizer) -> surgery.Edit:
    texts = [" ".join(word(rng, 6) for _ in range(9))]
    limit: dict[str, Any] = rng.choice([{"min_count": 1}, {"vocab_size": len(tok.vocab()) - rng.randint(1, 3)}])
    return surgery.prune(tok, texts, ids=ids_after(rng, tok), **limit)  # type: ignore[arg-type]


def reorder(rng: random.Random, tok: bytemill.Tokenizer) -> surgery.Edit:
    ids = sorted(tok.vocab_bytes().values())
    return surgery.reorder(tok, dict(zip(ids, rng.sample(ids, len(ids)), strict=True)))


def compact(rng: random.Random, tok: bytemill.Tokenizer) -> surgery.Edit:
    return surgery.compact(tok)


def rename(rng: random.Random, tok: bytemill.Tokenizer) -> surgery.Edit:
    return surgery.rename_specials(tok, dict.fromkeys([*tok.special_tokens][:1], "<renamed>"))


def extend(rng: random.Random, tok: bytemill.Tokenizer) -> surgery.Edit:
    letters = rng.choice([LETTERS, LETTERS + "d"])
    texts = [" ".join("".join(rng.choices(letters, k=rng.randint(2, 6))) for _ in range(30))]
    return surgery.extend(tok, texts, vocab_size=tok.vocab_size + rng.randint(1, 5), min_frequency=rng.randint(1, 2))


def merge(rng: random.Random, tok: bytemill.Tokenizer) -> surgery.Edit:
    """With one of any kind whose tokens mean the same."""
    for kind in rng.sample([*KINDS], len(KINDS)):
        other, stones = tokenizer(rng, kind), rng.random() < 0.8
        try:
            return surgery.merge(tok, other, stepping_stones=stones)
        except SpecError as error:
            refusal = error
    raise refusal


OPERATIONS = (add, add_special, remove, prune, reorder, compact, rename, extend, merge)
