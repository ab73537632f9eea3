"""The encodings of OpenAI."""

from __future__ import annotations

from typing import Any

from ..._caches.tiktoken import ADDRESS, FILES, GPT2_MERGES
from ..tiktoken.load import data_gym_to_mergeable_bpe_ranks, load_tiktoken_bpe

ENDOFTEXT = "<|endoftext|>"
FIM_PREFIX = "<|fim_prefix|>"
FIM_MIDDLE = "<|fim_middle|>"
FIM_SUFFIX = "<|fim_suffix|>"
ENDOFPROMPT = "<|endofprompt|>"

r50k_pat_str = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"

_CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]"
    r"|\s+(?!\S)|\s"
)
_O200K = "|".join(
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)
_ENCODER_JSON_HASH = "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783"
_HARMONY = {
    "<|startoftext|>": 199998,
    ENDOFTEXT: 199999,
    "<|return|>": 200002,
    "<|constrain|>": 200003,
    "<|channel|>": 200005,
    "<|start|>": 200006,
    "<|end|>": 200007,
    "<|message|>": 200008,
    "<|call|>": 200012,
}


def _encoding(name: str, pat_str: str, special_tokens: dict[str, int], n_vocab: int | None = None) -> dict[str, Any]:
    file = FILES[name]
    arguments: dict[str, Any] = {
        "name": name,
        "pat_str": pat_str,
        "mergeable_ranks": load_tiktoken_bpe(file.address, expected_hash=file.sha256),
        "special_tokens": special_tokens,
    }
    return arguments if n_vocab is None else {**arguments, "explicit_n_vocab": n_vocab}


def gpt2() -> dict[str, Any]:
    ranks = data_gym_to_mergeable_bpe_ranks(
        vocab_bpe_file=GPT2_MERGES.address,
        encoder_json_file=f"{ADDRESS}gpt-2/encodings/main/encoder.json",
        vocab_bpe_hash=GPT2_MERGES.sha256,
        encoder_json_hash=_ENCODER_JSON_HASH,
    )
    return {
        "name": "gpt2",
        "explicit_n_vocab": 50257,
        "pat_str": r50k_pat_str,
        "mergeable_ranks": ranks,
        "special_tokens": {ENDOFTEXT: 50256},
    }


def r50k_base() -> dict[str, Any]:
    return _encoding("r50k_base", r50k_pat_str, {ENDOFTEXT: 50256}, 50257)


def p50k_base() -> dict[str, Any]:
    return _encoding("p50k_base", r50k_pat_str, {ENDOFTEXT: 50256}, 50281)


def p50k_edit() -> dict[str, Any]:
    fill_in = {FIM_PREFIX: 50281, FIM_MIDDLE: 50282, FIM_SUFFIX: 50283}
    return _encoding("p50k_edit", r50k_pat_str, {ENDOFTEXT: 50256, **fill_in})


def cl100k_base() -> dict[str, Any]:
    fill_in = {FIM_PREFIX: 100258, FIM_MIDDLE: 100259, FIM_SUFFIX: 100260}
    return _encoding("cl100k_base", _CL100K, {ENDOFTEXT: 100257, **fill_in, ENDOFPROMPT: 100276})


def o200k_base() -> dict[str, Any]:
    return _encoding("o200k_base", _O200K, {ENDOFTEXT: 199999, ENDOFPROMPT: 200018})


def o200k_harmony() -> dict[str, Any]:
    named = set(_HARMONY.values())
    reserved = {f"<|reserved_{id}|>": id for id in range(200000, 201088) if id not in named}
    return _encoding("o200k_harmony", _O200K, {ENDOFPROMPT: 200018, **_HARMONY, **reserved})


ENCODING_CONSTRUCTORS = {
    "gpt2": gpt2,
    "r50k_base": r50k_base,
    "p50k_base": p50k_base,
    "p50k_edit": p50k_edit,
    "cl100k_base": cl100k_base,
    "o200k_base": o200k_base,
    "o200k_harmony": o200k_harmony,
}
