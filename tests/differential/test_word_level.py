"""WordLevel tokenizer.json: everything equal to `tokenizers`, on every shared text and on generated ones."""

import random
from pathlib import Path

import pytest

from ..conftest import need
from ..effort import MATRIX

tokenizers = need("tokenizers")
from tokenizers import AddedToken, models, normalizers, pre_tokenizers, processors  # noqa: E402

from .matrix import PIPELINES, differences, load_theirs, word_level  # noqa: E402
from .texts import ATOMS, files, generated  # noqa: E402

pytestmark = pytest.mark.peer


@pytest.mark.shared
@pytest.mark.parametrize(("pre", "normalizer"), PIPELINES)
def test_every_shared_text(pre: str, normalizer: str, shared: Path, tmp_path: Path) -> None:
    texts = list(files(shared, sample=None if MATRIX else 6_000))
    theirs = word_level(pre, normalizer, (text for _, text in texts[:30]))
    ours = load_theirs(theirs, tmp_path)
    assert {name: d for name, text in texts if (d := differences(theirs, ours, text))} == {}


@pytest.mark.parametrize(("pre", "normalizer"), PIPELINES)
def test_generated_strings(pre: str, normalizer: str, tmp_path: Path) -> None:
    theirs = word_level(pre, normalizer, generated(300, seed=1))
    ours = load_theirs(theirs, tmp_path)
    assert {text: d for text in generated(1_500, seed=2) if (d := differences(theirs, ours, text))} == {}


@pytest.mark.parametrize("seed", range(150))
def test_random_pipelines(seed: int, tmp_path: Path) -> None:
    """Random stages, random added tokens, random templates: the whole encoding, single and pair."""
    rng = random.Random(seed)
    theirs = random_tokenizer(rng)
    ours = load_theirs(theirs, tmp_path)
    for text in generated(60, seed=seed):
        assert theirs.decode(theirs.encode(text).ids, skip_special_tokens=True) == ours.decode(
            ours(text).ids, skip_special_tokens=True
        )
        for pair in (None, "a b"):
            expected = theirs.encode(text, pair)
            found = ours(text, pair, offsets=True)
            assert (found.ids, found.type_ids) == (expected.ids, expected.type_ids), text
            assert (found.offsets, found.tokens) == (expected.offsets, expected.tokens), text
            assert (found.word_ids, found.sequence_ids) == (expected.word_ids, expected.sequence_ids), text
            assert found.special_tokens_mask == expected.special_tokens_mask, text


def random_tokenizer(rng: random.Random) -> tokenizers.Tokenizer:
    words = sorted({*ATOMS, "hello", "a", "b", "ab", "x"})
    vocab = {word: i for i, word in enumerate(["[UNK]", "[CLS]", "[SEP]", *words])}
    tok = tokenizers.Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
    if rng.random() < 0.7:
        tok.normalizer = random_normalizer(rng)
    if rng.random() < 0.9:
        tok.pre_tokenizer = random_pre_tokenizer(rng)
    for content in rng.sample(["<x>", "<x><y>", "é", " b", "Hello", "[CLS]", "中国", "a b", "LL"], k=rng.randint(0, 4)):
        token = AddedToken(
            content,
            single_word=rng.random() < 0.3,
            lstrip=rng.random() < 0.3 and not content.startswith(" "),
            rstrip=rng.random() < 0.2 and not content.startswith(" "),
            normalized=rng.random() < 0.5,
        )
        (tok.add_special_tokens if rng.random() < 0.5 else tok.add_tokens)([token])
    if rng.random() < 0.6:
        tok.post_processor = random_processor(rng)
    return tok


def random_normalizer(rng: random.Random) -> normalizers.Normalizer:
    simple = [
        normalizers.Lowercase,
        normalizers.NFC,
        normalizers.NFD,
        normalizers.NFKC,
        normalizers.NFKD,
        normalizers.StripAccents,
        lambda: normalizers.Strip(left=rng.random() < 0.5, right=rng.random() < 0.5),
        lambda: normalizers.BertNormalizer(
            clean_text=rng.random() < 0.5,
            handle_chinese_chars=rng.random() < 0.5,
            strip_accents=rng.choice([None, True, False]),
            lowercase=rng.random() < 0.5,
        ),
    ]
    steps = [rng.choice(simple)() for _ in range(rng.randint(1, 3))]
    return steps[0] if len(steps) == 1 else normalizers.Sequence(steps)


def random_pre_tokenizer(rng: random.Random) -> pre_tokenizers.PreTokenizer:
    behaviors = ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]
    simple = [
        pre_tokenizers.Whitespace,
        pre_tokenizers.WhitespaceSplit,
        pre_tokenizers.BertPreTokenizer,
        lambda: pre_tokenizers.Punctuation(rng.choice(behaviors)),
        lambda: pre_tokenizers.Digits(individual_digits=rng.random() < 0.5),
        lambda: pre_tokenizers.CharDelimiterSplit(rng.choice([" ", "a", "中"])),
        lambda: pre_tokenizers.FixedLength(length=rng.randint(1, 3)),
    ]
    steps = [rng.choice(simple)() for _ in range(rng.randint(1, 3))]
    return steps[0] if len(steps) == 1 else pre_tokenizers.Sequence(steps)


def random_processor(rng: random.Random) -> processors.PostProcessor:
    if rng.random() < 0.3:
        return processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    return processors.TemplateProcessing(
        single=rng.choice(["[CLS] $A [SEP]", "$A", "$A:3 [SEP]:4", "[CLS] [CLS] $0"]),
        pair=rng.choice(["[CLS] $A [SEP] $B:1 [SEP]:1", "$A $B:1", "$B:5 [SEP] $A"]),
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
