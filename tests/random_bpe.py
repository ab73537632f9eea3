"""Random small BPE models, with every option of the `tokenizers` library in every combination, and texts for them."""

from __future__ import annotations

import random
from typing import Any

from bytemill.reference.bpe import ALPHABET, byte_level

#: One, two, three and four bytes wide.
CHARACTERS = "abcé中🙂"
STEPS: dict[str, dict[str, Any]] = {
    "whitespace_split": {"type": "WhitespaceSplit"},
    "bert": {"type": "BertPreTokenizer"},
    "digits": {"type": "Digits", "individual_digits": False},
}


def model(rng: random.Random, byte_level_model: bool) -> dict[str, Any]:
    """`model` of a tokenizer.json: some characters are no tokens, some merges come twice, some products too."""
    prefix = rng.choice(["", "", "##", "é"] if not byte_level_model else ["", "", "##"])
    suffix = rng.choice(["", "", "</w>", "中"] if not byte_level_model else ["", "", "</w>"])
    letters = list(byte_level(CHARACTERS + " 1.")) if byte_level_model else list(CHARACTERS)
    if byte_level_model and not prefix and not suffix and rng.random() < 0.3:
        letters = list(ALPHABET.values())
    else:
        letters = [letter for letter in dict.fromkeys(letters) if rng.random() < 0.85]
    marks = [(before, after) for before in {"", prefix} for after in {"", suffix}]
    singles = [before + letter + after for letter in letters for before, after in marks]
    singles = [single for single in singles if len(letters) == 256 or rng.random() < 0.9]
    if rng.random() < 0.5:
        singles += [f"<0x{byte:02X}>" for byte in (CHARACTERS + "#</w>").encode() if rng.random() < 0.9]
    unknown = rng.choice([None, "<unk>"])
    if rng.random() < 0.7 or unknown:
        singles.append("<unk>")
    tokens = list(dict.fromkeys(singles))
    merges = []
    for _ in range(rng.randint(0, 30) if tokens else 0):
        left = rng.choice(tokens[-20:] if rng.random() < 0.5 else tokens)
        right = rng.choice(tokens)
        if not right.startswith(prefix) or (prefix and right == prefix):
            continue
        merges.append((left, right))
        made = left + right[len(prefix) :]
        if made not in tokens:
            tokens.append(made)
    if merges and rng.random() < 0.3:
        merges.append(rng.choice(merges))
    # Tokens that no merge makes: for `ignore_merges`, and to be left alone without it.
    for _ in range(rng.randint(0, 4)):
        extra = "".join(rng.choices(letters or ["a"], k=rng.randint(2, 4))) + rng.choice(["", suffix])
        if extra not in tokens:
            tokens.append(extra)
    numbered = list(enumerate(tokens))
    rng.shuffle(numbered)
    return {
        "type": "BPE",
        "dropout": rng.choice([None, None, 0.0]),
        "unk_token": unknown,
        "continuing_subword_prefix": prefix or rng.choice([None, ""]),
        "end_of_word_suffix": suffix or rng.choice([None, ""]),
        "fuse_unk": rng.random() < 0.5,
        "byte_fallback": rng.random() < 0.5,
        "ignore_merges": rng.random() < 0.3,
        "vocab": {token: id for id, token in numbered},
        "merges": [list(pair) for pair in merges],
    }


def file(rng: random.Random) -> tuple[dict[str, Any], str | None]:
    """A tokenizer.json, and the name of the step that splits its texts."""
    in_bytes = rng.random() < 0.4
    name = rng.choice([None, *STEPS])
    steps = [STEPS[name]] if name else []
    byte_step = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    if in_bytes:
        steps = [*steps, byte_step]
    pretokenizer = {"type": "Sequence", "pretokenizers": steps} if len(steps) > 1 else (steps or [None])[0]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": rng.choice([None, None, {"type": "Lowercase"}]),
        "pre_tokenizer": pretokenizer,
        "post_processor": None,
        "decoder": byte_step
        if in_bytes
        else rng.choice([None, {"type": "Fuse"}, {"type": "BPEDecoder", "suffix": "</w>"}]),
        "model": model(rng, in_bytes),
    }, name


def text(rng: random.Random) -> str:
    """Short and long: pieces of more than 32 symbols are merged in another way."""
    most = rng.choice([4, 12, 60, 200])
    return "".join(rng.choices(CHARACTERS + "aabbX 1.#<", k=rng.randint(0, most)))
