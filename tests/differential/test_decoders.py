"""Chains of decoders: what `tokenizers` decodes for random ids, at once and token by token."""

import random
from pathlib import Path
from typing import Any

import pytest

import bytemill

from ..conftest import need
from ..effort import MATRIX

tokenizers = need("tokenizers")

from tokenizers import Regex, models  # noqa: E402
from tokenizers import decoders as d  # noqa: E402

pytestmark = pytest.mark.peer

TOKENS = [
    *[
        "a",
        "b",
        "##c",
        "##",
        "▁",
        "▁a",
        "▁▁b▁",
        " ",
        "  ",
        " x",
        "x ",
        ".",
        " .",
        ",",
        "'",
        "'s",
        "n't",
        " do not",
        "|",
    ],
    *["a</w>", "</w>", "b</w>c", "<pad>", "<pad>x", "é", "中", "Ġ", "Ã", "©", "Ġa", "ĊĠ", "🙂"],
    *["<0xC3>", "<0xA9>", "<0xFF>", "<0x41>", "<0xE4>", "<0xB8>", "<0xAD>", "<0x>", "<0x4>", "<0xZZ>", "<0x+1>"],
]


def random_decoder(rng: random.Random) -> Any:
    kinds = [
        d.ByteFallback,
        d.Fuse,
        d.ByteLevel,
        lambda: d.Strip(rng.choice(" a▁"), rng.choice([0, 1, 2]), 0),
        lambda: d.Replace(rng.choice(["▁", "a", "</w>"]), rng.choice([" ", "", "zz"])),
        lambda: d.Replace(Regex(rng.choice([r"\s", "[ab]+", r" (?=[.,])"])), rng.choice(["", "_"])),
        lambda: d.Metaspace("▁", rng.choice(["first", "always", "never"]), True),
        lambda: d.CTC("<pad>", "|", rng.random() < 0.5),
        lambda: d.WordPiece("##", rng.random() < 0.5),
        lambda: d.BPEDecoder("</w>"),
    ]
    steps = [rng.choice(kinds)() for _ in range(rng.choice([1, 1, 2, 3, 4]))]
    return steps[0] if len(steps) == 1 else d.Sequence(steps)


@pytest.mark.parametrize("seed", range(2000 if MATRIX else 80))
def test_random_chains(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    theirs = tokenizers.Tokenizer(models.WordLevel({token: i for i, token in enumerate(TOKENS)}, unk_token="a"))
    theirs.decoder = random_decoder(rng)
    path = tmp_path / "tokenizer.json"
    theirs.save(str(path))
    ours = bytemill.load(path)
    ours.save(path)
    assert bytemill.load(path).fingerprint == ours.fingerprint
    written = tokenizers.Tokenizer.from_file(str(path))
    for _ in range(60):
        ids = rng.choices(range(len(TOKENS)), k=rng.randint(1, 9))
        expected = theirs.decode(ids, skip_special_tokens=False)
        assert ours.decode(ids) == expected == written.decode(ids), ([TOKENS[i] for i in ids], theirs.decoder)
        stream = ours.stream()
        assert "".join([*(stream.push(i) for i in ids), stream.finish()]) == expected
