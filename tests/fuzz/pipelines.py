"""Random tokenizer.json files: every stage with every option, in sequences, and models of what the stages give."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import tokenizers

from tests.differential.patterns import KNOWN, random_pattern

from .charsmaps import compiled, random_rules
from .models import random_model
from .texts import random_text

Json = dict[str, Any]

BEHAVIORS = ["Removed", "Isolated", "Contiguous", "MergedWithPrevious", "MergedWithNext"]
SPECIALS = ["[UNK]", "[CLS]", "[SEP]"]
ADDED = ["<x>", "<x><y>", "é", "ab", "a b", " b", "\n\n", "中", "AB", "▁a", "x\u0301"]


def flag(rng: random.Random) -> bool:
    return rng.random() < 0.5


def sequence(rng: random.Random, kind: str, one: Any, most: int = 3) -> Json:
    """One stage, or a sequence of some; one step in ten is a sequence again."""
    count = rng.choice([1, 1, 1, 2, 2, most])
    if count == 1:
        return one(rng)
    steps = [sequence(rng, kind, one, 2) if rng.random() < 0.1 else one(rng) for _ in range(count)]
    return {"type": "Sequence", kind: steps}


def pattern(rng: random.Random) -> Json:
    roll = rng.random()
    if roll < 0.4:
        return {"String": rng.choice([" ", "a", "ab", "é", "''", "\n", "▁", "--"])}
    if roll < 0.8:
        return {"Regex": rng.choice([*KNOWN, "[ab]", r"\p{L}+?", " {2,}", r"\n", r"[^a]"])}
    return {"Regex": random_pattern(rng)}


NORMALIZERS = ["Lowercase", "NFC", "NFD", "NFKC", "NFKD", "StripAccents", "Nmt", "ByteLevel", "Strip", "Prepend"]
NORMALIZERS += ["Precompiled", "Replace", "BertNormalizer", "BertNormalizer"]


def normalizer(rng: random.Random) -> Json:
    kind = rng.choice(NORMALIZERS)
    match kind:
        case "Strip":
            return {"type": kind, "strip_left": flag(rng), "strip_right": flag(rng)}
        case "Precompiled":
            return {"type": kind, "precompiled_charsmap": compiled(random_rules(rng))}
        case "Prepend":
            return {"type": kind, "prepend": rng.choice(["▁", " ", "ab", "\u0301"])}
        case "Replace":
            return {"type": kind, "pattern": pattern(rng), "content": rng.choice(["", "▁", "xy", " ", "é~", "\n"])}
        case "BertNormalizer":
            options = {name: flag(rng) for name in ("clean_text", "handle_chinese_chars", "lowercase")}
            return {"type": kind, **options, "strip_accents": rng.choice([None, True, False])}
    return {"type": kind}


def metaspace(rng: random.Random) -> Json:
    scheme = rng.choice(["first", "always", "never"])
    return {"replacement": rng.choice("▁▁▁_"), "prepend_scheme": scheme, "split": flag(rng)}


def byte_level(rng: random.Random) -> Json:
    return {"add_prefix_space": flag(rng), "trim_offsets": flag(rng), "use_regex": flag(rng)}


PRE_TOKENIZERS = ["Whitespace", "WhitespaceSplit", "BertPreTokenizer", "UnicodeScripts", "Punctuation", "Digits"]
PRE_TOKENIZERS += ["FixedLength", "CharDelimiterSplit", "Metaspace", "Metaspace", "ByteLevel", "ByteLevel"]
PRE_TOKENIZERS += ["Split", "Split"]


def pre_tokenizer(rng: random.Random) -> Json:
    kind = rng.choice(PRE_TOKENIZERS)
    options: dict[str, Any] = {
        "Punctuation": lambda: {"behavior": rng.choice(BEHAVIORS)},
        "Digits": lambda: {"individual_digits": flag(rng)},
        "FixedLength": lambda: {"length": rng.choice([1, 2, 5])},
        "CharDelimiterSplit": lambda: {"delimiter": rng.choice(" a▁\n")},
        "Metaspace": lambda: metaspace(rng),
        "ByteLevel": lambda: byte_level(rng),
        "Split": lambda: {"pattern": pattern(rng), "behavior": rng.choice(BEHAVIORS), "invert": flag(rng)},
    }
    return {"type": kind, **options.get(kind, dict)()}


def template(rng: random.Random) -> Json:
    def piece(name: str) -> Json:
        type_id = rng.choice([0, 0, 1, 3])
        if name in "AB":
            return {"Sequence": {"id": name, "type_id": type_id}}
        return {"SpecialToken": {"id": name, "type_id": type_id}}

    single = rng.choice(["[CLS] A [SEP]", "A", "[CLS] [CLS] A", "A [SEP]", "A [SEP] A"]).split()
    pair = rng.choice(["[CLS] A [SEP] B [SEP]", "A B", "B [SEP] A"]).split()
    known = {name: {"id": name, "ids": [i], "tokens": [name]} for i, name in enumerate(SPECIALS)}
    return {
        "type": "TemplateProcessing",
        "single": [piece(name) for name in single],
        "pair": [piece(name) for name in pair],
        "special_tokens": known,
    }


def processor(rng: random.Random) -> Json | None:
    ends = {"sep": ["[SEP]", 2], "cls": ["[CLS]", 1]}
    kinds: list[Json | None] = [
        None,
        {"type": "BertProcessing", **ends},
        {"type": "RobertaProcessing", **ends, "trim_offsets": flag(rng), "add_prefix_space": flag(rng)},
        {"type": "ByteLevel", **byte_level(rng)},
        template(rng),
        {"type": "Sequence", "processors": [{"type": "ByteLevel", **byte_level(rng)}, template(rng)]},
    ]
    return rng.choice(kinds)


def decoder(rng: random.Random) -> Json:
    strip = {"type": "Strip", "content": rng.choice(" a"), "start": rng.choice([0, 1]), "stop": rng.choice([0, 1])}
    kinds: list[Json] = [
        {"type": "WordPiece", "prefix": "##", "cleanup": flag(rng)},
        {"type": "Fuse"},
        {"type": "ByteFallback"},
        {"type": "BPEDecoder", "suffix": "</w>"},
        {"type": "ByteLevel", **byte_level(rng)},
        {"type": "Metaspace", **metaspace(rng)},
        {"type": "Replace", "pattern": {"String": rng.choice(["a", "▁", "b"])}, "content": rng.choice(["b", " ", ""])},
        strip,
        {"type": "CTC", "pad_token": "a", "word_delimiter_token": "b", "cleanup": flag(rng)},
    ]
    return rng.choice(kinds)


def added_token(rng: random.Random, id: int, content: str) -> Json:
    names = ("single_word", "lstrip", "rstrip", "normalized")
    return {"id": id, "content": content, **{name: rng.random() < 0.3 for name in names}, "special": flag(rng)}


def optional(rng: random.Random, chance: float, make: Any) -> Any:
    return make() if rng.random() < chance else None


def random_tokenizer(rng: random.Random) -> Json:
    """A file whose model knows most of what its stages make of some texts."""
    file: Json = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": []}
    file["normalizer"] = optional(rng, 0.7, lambda: sequence(rng, "normalizers", normalizer))
    file["pre_tokenizer"] = optional(rng, 0.9, lambda: sequence(rng, "pretokenizers", pre_tokenizer))
    file["post_processor"] = processor(rng)
    file["decoder"] = optional(rng, 0.8, lambda: sequence(rng, "decoders", decoder))
    file["model"] = random_model(rng, pieces(rng, file), SPECIALS)
    vocab = file["model"]["vocab"]
    known = {row[0]: i for i, row in enumerate(vocab)} if isinstance(vocab, list) else vocab
    for content in rng.sample(ADDED, k=rng.choice([0, 0, 1, 2, 4])):
        next_id = max([*known.values(), *(token["id"] for token in file["added_tokens"])]) + 1
        file["added_tokens"].append(added_token(rng, known.get(content, next_id), content))
    file["added_tokens"].sort(key=lambda token: token["id"])
    return file


def pieces(rng: random.Random, file: Json) -> list[str]:
    """What the stages of a file make of some texts, by the library itself; it fails with some patterns."""
    words = {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}
    bare = {**file, "post_processor": None, "decoder": None, "model": words}
    theirs = answer(lambda: tokenizers.Tokenizer.from_str(json.dumps(bare)))
    found = []
    for _ in range(30):
        text = random_text(rng, [])
        found += (answer(lambda text=text: split(theirs, text)) if theirs else None) or []
    return found or ["a", "b"]


def split(theirs: Any, text: str) -> list[str]:
    normalized = theirs.normalizer.normalize_str(text) if theirs.normalizer else text
    split = theirs.pre_tokenizer.pre_tokenize_str(normalized) if theirs.pre_tokenizer else [(normalized, None)]
    return [piece for piece, _ in split if piece]


def answer(call: Callable[[], Any]) -> Any:
    """The result of the library, or None where it fails; a panic is a BaseException there."""
    try:
        return call()
    except Exception:
        return None
    except BaseException as error:
        if "PanicException" not in type(error).__name__:
            raise
        return None
