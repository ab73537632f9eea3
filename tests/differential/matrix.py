"""Models and pipelines × texts; `python -m tests.differential.matrix` prints the tables, all that differs aside."""

from __future__ import annotations

import itertools
import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import tiktoken
import tokenizers
from tokenizers import models, normalizers, pre_tokenizers, trainers

import bytemill

from . import sentencepiece_models
from .lengths import compare_input
from .shared_models import OTHER_FILES, TIKTOKEN, TOKENIZER_JSON, Case, tiktoken_file, tokenizer_json
from .texts import ATOMS, files, generated

PRE_TOKENIZERS: dict[str, Any] = {
    "Whitespace": pre_tokenizers.Whitespace(),
    "WhitespaceSplit": pre_tokenizers.WhitespaceSplit(),
    "BertPreTokenizer": pre_tokenizers.BertPreTokenizer(),
    "Punctuation": pre_tokenizers.Punctuation(),
    "Punctuation, merged with previous": pre_tokenizers.Punctuation("merged_with_previous"),
    "Punctuation, merged with next": pre_tokenizers.Punctuation("merged_with_next"),
    "Punctuation, contiguous": pre_tokenizers.Punctuation("contiguous"),
    "Whitespace, then Digits": pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.Digits(True)]),
}

NORMALIZERS: dict[str, Any] = {
    "none": None,
    "BertNormalizer": normalizers.BertNormalizer(),
    "Lowercase": normalizers.Lowercase(),
    "NFKD, StripAccents, Strip": normalizers.Sequence(
        [normalizers.NFKD(), normalizers.StripAccents(), normalizers.Strip()]
    ),
}

#: Every pre-tokenizer by itself, and every normalizer with one.
PIPELINES = [(pre, "none") for pre in PRE_TOKENIZERS] + [("BertPreTokenizer", n) for n in NORMALIZERS if n != "none"]


def word_level(pre_tokenizer: str, normalizer: str, corpus: Iterable[str]) -> tokenizers.Tokenizer:
    """A WordLevel tokenizer trained by the library itself."""
    tok = tokenizers.Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tok.pre_tokenizer = PRE_TOKENIZERS[pre_tokenizer]
    if NORMALIZERS[normalizer] is not None:
        tok.normalizer = NORMALIZERS[normalizer]
    trainer = trainers.WordLevelTrainer(vocab_size=20_000, special_tokens=["[UNK]", "[PAD]"], show_progress=False)
    tok.train_from_iterator(corpus, trainer)
    return tok


def differences(theirs: tokenizers.Tokenizer, ours: bytemill.Tokenizer, text: str) -> list[str]:
    """What of the two encodings is not equal: ids, tokens, offsets, words, the decoded text."""
    expected, found = theirs.encode(text), ours(text, offsets=True)
    ids = expected.ids
    checks = {
        "ids": ids == ours.encode(text) == found.ids,
        "tokens": expected.tokens == found.tokens,
        "offsets": expected.offsets == found.offsets,
        "word ids": expected.word_ids == found.word_ids,
        "decoded": theirs.decode(ids, skip_special_tokens=False) == ours.decode(ids),
    }
    return [name for name, equal in checks.items() if not equal]


def load_theirs(tok: tokenizers.Tokenizer, folder: Path) -> bytemill.Tokenizer:
    path = folder / "tokenizer.json"
    tok.save(str(path))
    return bytemill.load(path)


#: In a longer text everything is compared for half of this many characters from its start and half from its middle,
#: but the ids and the decoded text for all of it: there are many models, and the libraries take their time.
LONGEST = 300_000
STRINGS = 100_000
INPUTS = 10_000

Texts = list[tuple[str, str]]


class Matrix:
    """Prints tables as their rows become known; what differs goes to the other stream."""

    def __init__(self, shared: Path) -> None:
        self.models = shared / "models"
        self.whole: Texts = list(files(shared))
        self.texts: Texts = list(files(shared, sample=LONGEST // 2))
        self.long: Texts = [(name, text) for name, text in self.whole if len(text) > LONGEST]
        self.wrong = 0

    def report(self, name: str, what: str) -> None:
        self.wrong += 1
        print(f"different: {name}, {what}", file=sys.stderr, flush=True)

    def print_word_level(self) -> None:
        print("| pre-tokenizer | normalizer | files equal | ids compared |\n|---|---|---|---|")
        for pre, normalizer in PIPELINES:
            theirs = word_level(pre, normalizer, (text for _, text in self.whole[:30]))
            with tempfile.TemporaryDirectory() as folder:
                ours = load_theirs(theirs, Path(folder))
            bad = [name for name, text in self.whole if differences(theirs, ours, text)]
            for name in bad:
                self.report(f"{pre}, {normalizer}", name)
            ids = sum(ours.count(text) for _, text in self.whole)
            equal = of(len(self.whole) - len(bad), len(self.whole))
            print(f"| {pre} | {normalizer} | {equal} | {ids:,} |", flush=True)

    def print_models(self, cases: Iterable[tuple[str, Callable[[], Case]]]) -> None:
        """A row for each: every text, then generated strings with some of its special tokens, then pairs of these."""
        print("| model | files equal | strings equal | pairs equal | ids compared |\n|---|---|---|---|---|")
        for name, load in cases:
            case = load()
            strings = [*generated(STRINGS, specials=list(case.ours.special_tokens)[:8])]
            pairs = [*itertools.pairwise(strings[::10])]
            bad_files = [text for text in self.texts if self.differs(name, text[0], case.differences(text[1]))]
            for text in self.long:
                if self.differs(name, text[0], case.id_differences(text[1])) and text[0] not in dict(bad_files):
                    bad_files.append(text)
            bad_strings = [text for text in strings if self.differs(name, repr(text), case.differences(text))]
            bad_pairs = [pair for pair in pairs if self.differs(name, repr(pair), case.pair_differences(*pair))]
            columns = [(bad_files, self.texts), (bad_strings, strings), (bad_pairs, pairs)]
            equal = " | ".join(of(len(every) - len(bad), len(every)) for bad, every in columns)
            print(f"| {name} | {equal} | {case.compared:,} |", flush=True)

    def print_inputs(self) -> None:
        """A row for each tokenizer.json: inputs of random texts and options."""
        print("| model | inputs equal |\n|---|---|")
        for name in TOKENIZER_JSON:
            case = tokenizer_json(self.models / name)
            texts = [*generated(STRINGS // 10, specials=list(case.ours.special_tokens)[:8])]
            texts += [text[at : at + 200] for _, text in self.texts for at in range(0, len(text), LONGEST // 3)]
            rng, bad = random.Random(name), 0
            for _ in range(INPUTS):
                try:
                    compare_input(case.theirs, case.ours, rng, texts)
                except AssertionError as difference:
                    bad += self.differs(name, "an input", [str(difference)])
            print(f"| {name} | {of(INPUTS - bad, INPUTS)} |", flush=True)

    def differs(self, name: str, text: str, found: list[str]) -> bool:
        if found:
            self.report(name, f"{text}: {', '.join(found)}")
        return bool(found)

    def print_all(self) -> None:
        size = sum(len(text.encode()) for _, text in self.whole)
        print("# Exactness\n")
        print(
            f"Generated by `make matrix`, which compares with `tokenizers` {tokenizers.__version__} and `tiktoken` "
            f"{tiktoken.__version__} on every file of the shared corpora and torture texts ({len(self.whole)} files, "
            f"{size / 1e6:.1f} MB). Of the {len(self.long)} files of more than {LONGEST:,} characters, ids and decoded "
            "text are compared whole, the rest for so many, half from the start and half from the middle. The strings "
            f"are generated: {len(ATOMS)} bits of "
            "scripts, white space, line breaks, contractions, emoji, marks and control characters, and up to eight of "
            "the model's special tokens, up to 14 in a row.\n"
        )
        print("## tokenizer.json, against `tokenizers`\n")
        print(
            "Compared: ids with and without the template, offsets, word ids, type ids, sequence ids, masks, the text "
            "decoded with and without special tokens; for pairs all but the decoded text. The ids are also those of "
            "the tokenizer saved as `.mill` and read again.\n"
        )
        self.print_models((name, partial(tokenizer_json, self.models / name)) for name in TOKENIZER_JSON)
        print("\n## Inputs, against `tokenizers`\n")
        print(
            "The whole Encoding of random texts, some cut from the files above: one text or a pair, split into "
            "words already or not, with and without the template, truncated by every strategy from both sides with "
            "and without a stride, padded on both sides to a length, the longest or a multiple; with what was cut "
            "off, and the same where encoding stops early.\n"
        )
        self.print_inputs()
        print("\n## `.tiktoken`, against `tiktoken`\n")
        print(
            "Compared: ids, with special tokens as text and as tokens, starts of tokens, decoded text and bytes; for "
            "pairs the ids of a batch of two.\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            named = {name: self.models / path for name, path in TIKTOKEN.items()}
            self.print_models((name, partial(tiktoken_file, name, path, Path(folder))) for name, path in named.items())
        print("\n## `vocab.json` with `merges.txt`, against `tokenizers`, and `tekken.json`, against `tiktoken`\n")
        print("Compared as above; CLIP's files say nothing of a decoder, so that its decoded text is not compared.\n")
        self.print_models((name, partial(load, self.models / name)) for name, load in OTHER_FILES.items())
        print("\n## `.model`, against `sentencepiece`\n")
        print("Compared: ids, offsets, decoded text, at once and streamed; for pairs the ids of a batch of two.\n")
        named_so = sentencepiece_models.MODELS
        self.print_models((name, partial(sentencepiece_models.load, self.models / name)) for name in named_so)
        print("\n## WordLevel pipelines, against `tokenizers`\n")
        print("Each trained by `tokenizers`. Compared: ids, tokens, offsets, word ids, decoded text, of whole files.\n")
        self.print_word_level()


def of(some: int, every: int) -> str:
    return f"{some:,} of {every:,}"


def main() -> None:
    matrix = Matrix(Path(os.environ.get("BYTEMILL_SHARED", "../shared")))
    matrix.print_all()
    sys.exit(1 if matrix.wrong else 0)


if __name__ == "__main__":
    main()
