"""Random pipelines of normalizers and pre-tokenizers: ids, tokens, offsets and words as `tokenizers` gives them."""

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest

import bytemill

from ..conftest import need
from ..effort import MATRIX

tokenizers = need("tokenizers")

from tokenizers import Regex, models, trainers  # noqa: E402
from tokenizers import normalizers as n  # noqa: E402
from tokenizers import pre_tokenizers as p  # noqa: E402

from .matrix import differences, load_theirs  # noqa: E402
from .patterns import KNOWN  # noqa: E402
from .patterns import texts as short_texts  # noqa: E402
from .shared_models import read_bytes  # noqa: E402
from .texts import disturbed, files, generated  # noqa: E402

pytestmark = pytest.mark.peer

BEHAVIORS = ["removed", "isolated", "contiguous", "merged_with_previous", "merged_with_next"]


def random_normalizer(rng: random.Random) -> Any:
    kinds = [
        n.Lowercase,
        n.NFC,
        n.NFD,
        n.NFKC,
        n.NFKD,
        n.StripAccents,
        n.Nmt,
        n.ByteLevel,
        n.BertNormalizer,
        lambda: n.Strip(rng.random() < 0.7, rng.random() < 0.7),
        lambda: n.Replace(rng.choice([" ", "a", "ab", "é", "''"]), rng.choice(["", "▁", "xy", " "])),
        lambda: n.Replace(Regex(rng.choice([r"\s+", "[ab]", r"\p{L}+?", " {2,}"])), rng.choice(["", " ", "é~"])),
        lambda: n.Prepend(rng.choice(["▁", " ", "ab"])),
    ]
    steps = [rng.choice(kinds)() for _ in range(rng.choice([1, 1, 2, 3]))]
    return steps[0] if len(steps) == 1 else n.Sequence(steps)


def random_pre_tokenizer(rng: random.Random) -> Any:
    flag = lambda: rng.random() < 0.5  # noqa: E731
    kinds = [
        p.Whitespace,
        p.WhitespaceSplit,
        p.BertPreTokenizer,
        p.UnicodeScripts,
        lambda: p.Punctuation(rng.choice(BEHAVIORS)),
        lambda: p.Digits(flag()),
        lambda: p.CharDelimiterSplit(rng.choice(" a▁")),
        lambda: p.FixedLength(rng.choice([1, 2, 5])),
        lambda: p.Metaspace(rng.choice("▁_"), rng.choice(["first", "always", "never"]), flag()),
        lambda: p.ByteLevel(flag(), use_regex=flag()),
        lambda: p.Split(rng.choice([" ", "a", "--"]), rng.choice(BEHAVIORS), flag()),
        lambda: p.Split(Regex(rng.choice(KNOWN)), rng.choice(BEHAVIORS), flag()),
    ]
    steps = [rng.choice(kinds)() for _ in range(rng.choice([1, 1, 2, 3]))]
    return steps[0] if len(steps) == 1 else p.Sequence(steps)


@pytest.mark.parametrize("seed", range(1500 if MATRIX else 60))
def test_random_pipelines(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    theirs = tokenizers.Tokenizer(models.WordLevel(unk_token="[UNK]"))
    if rng.random() < 0.7:
        theirs.normalizer = random_normalizer(rng)
    if rng.random() < 0.9:
        theirs.pre_tokenizer = random_pre_tokenizer(rng)
    corpus = [*generated(60, seed), *short_texts(rng, 60)]
    trainer = trainers.WordLevelTrainer(vocab_size=300, special_tokens=["[UNK]"], show_progress=False)
    theirs.train_from_iterator(corpus, trainer)
    has_added = rng.random() < 0.4
    if has_added:
        theirs.add_tokens([tokenizers.AddedToken("ab", normalized=rng.random() < 0.5), "<x>"])
    path = tmp_path / "tokenizer.json"
    theirs.save(str(path))
    try:
        ours = bytemill.load(path)
    except bytemill.errors.FormatError as refusal:
        assert "normalization leaves nothing of it" in str(refusal)
        return
    if not has_added:
        # With added tokens, what we write may say that other text becomes one.
        ours.save(path)
        assert bytemill.load(path).fingerprint == ours.fingerprint
    written = tokenizers.Tokenizer.from_file(str(path))
    stages = json.loads(theirs.to_str())
    for text in [*corpus, *short_texts(rng, 60, 30), "<x>ab  cd<x> é", ""]:
        found = differences(theirs, ours, text)
        assert found == [], (text, stages["normalizer"], stages["pre_tokenizer"], stages["added_tokens"])
        assert written.encode(text).ids == ours.encode(text)


#: Models whose stages are read; their own models may not be.
STAGES_OF = ["clip/tokenizer.json.gz", "mistral-spm/tokenizer_v1.json.gz", "deepseek-v4/tokenizer.json.gz"]


@pytest.mark.shared
@pytest.mark.parametrize("model", STAGES_OF)
def test_stages_of_shared_models(model: str, shared: Path, tmp_path: Path) -> None:
    file = json.loads(gzip.decompress((shared / "models" / model).read_bytes()))
    words = {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}
    path = tmp_path / "tokenizer.json"
    decoder = None if file["decoder"]["type"] == "ByteLevel" else file["decoder"]
    changes = {"model": words, "added_tokens": [], "post_processor": None, "decoder": decoder}
    path.write_text(json.dumps({**file, **changes}))
    theirs = tokenizers.Tokenizer.from_file(str(path))
    theirs.train_from_iterator(
        [text for _, text in files(shared, sample=2_000)],
        trainers.WordLevelTrainer(vocab_size=5_000, special_tokens=["[UNK]"], show_progress=False),
    )
    ours = load_theirs(theirs, tmp_path)
    for name, text in [*files(shared, sample=None if MATRIX else 1_500), *enumerate(generated(300))]:
        assert differences(theirs, ours, text) == [], name


#: Models that take a text word by word where no places are asked for.
BY_WORDS = [
    "barthez/tokenizer.json.gz",
    "mistral-spm/tokenizer_v1.json.gz",
    "t5-base/tokenizer.json",
    "xlnet-base-cased/tokenizer.json.gz",
]


@pytest.mark.shared
@pytest.mark.parametrize("model", BY_WORDS)
def test_lines_of_words(model: str, shared: Path) -> None:
    file = read_bytes(shared / "models" / model)
    theirs, ours = tokenizers.Tokenizer.from_str(file.decode()), bytemill.load(shared / "models" / model)
    lines = (shared / "corpora" / "tinyshakespeare.txt").read_text().splitlines()[:1000]
    lines += disturbed([*lines, "他们说：「今天天气很好」。", "吾輩は猫である。名前はまだ無い。"], 1500)
    expected = [encoding.ids for encoding in theirs.encode_batch_fast(lines, add_special_tokens=False)]
    assert ours.encode_batch(lines, threads=1).to_list() == expected
