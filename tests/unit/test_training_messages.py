"""What a user does wrong in a training → the exception → its whole message."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

import bytemill
from bytemill import errors, pretokenizers
from tests.samples import Mistakes, raises_exactly

NORMALIZERS = "(known: bert, bert_cased, lowercase, nfc, nfd, nfkc, nfkd, strip, strip_accents)"
PRETOKENIZERS = (
    "(known: bert, cl100k, code, deepseek, digits, gpt2, o200k, punctuation, qwen2, tekken, whitespace, "
    "whitespace_split)"
)


def train(source: object = ("the",), spec: object = bytemill.Word(), **options: object) -> bytemill.Tokenizer:
    return bytemill.train(source, spec, progress=False, **options)


def word(**options: object) -> Callable[[Path], bytemill.Tokenizer]:
    return lambda folder: train(spec=bytemill.Word(**options))


TABLE: Mistakes = {
    "no spec": (
        lambda folder: train(spec="word"),
        TypeError,
        "spec is bytemill.Char(…), bytemill.Word(…), bytemill.BPE(…), bytemill.WordPiece(…), bytemill.Unigram(…) "
        "or bytemill.SentencePiece(…), not str; did you mean bytemill.Word(…)?",
    ),
    "one special token": (
        lambda folder: train(special_tokens="<X>"),
        TypeError,
        "special_tokens takes a list of strings; for one write ['<X>']",
    ),
    "no source": (
        lambda folder: train(5),
        TypeError,
        "source is a path, a list of Path or an iterable of str, not int",
    ),
    "documents of another type": (lambda folder: train([b"the"]), TypeError, "documents are str, not bytes"),
    "text as a path": (
        lambda folder: train("the\ncat"),
        FileNotFoundError,
        "source is a str, which names a file or folder, and there is none of that name; "
        "to train on the text itself, pass it in a list: train([text], …)",
    ),
    "a folder without text": (
        lambda folder: train(folder / "binary"),
        errors.SpecError,
        "the folder {folder}/binary has no text file in it (hidden files do not count; {folder}/binary/a is skipped); "
        "name a file to read it whatever it is",
    ),
    "too small": (
        word(vocab_size=3),
        errors.SpecError,
        "vocab_size=3 does not hold the 4 special tokens; it must be at least 4",
    ),
    "no frequency": (word(min_frequency=0), errors.SpecError, "min_frequency must be at least 1, not 0"),
    "an empty special token": (word(pad_token=""), errors.SpecError, "a special token cannot be empty"),
    "bos without bos": (
        word(add_bos=True, bos_token=None),
        errors.SpecError,
        "add_bos=True needs a bos_token, which is None",
    ),
    "eos without eos": (
        word(add_eos=True, eos_token=None),
        errors.SpecError,
        "add_eos=True needs a eos_token, which is None",
    ),
    "normalized twice": (
        lambda folder: train(spec=bytemill.Word(split_cjk=True), normalizer="nfc"),
        errors.SpecError,
        "split_cjk=True and normalizer=… both say how to normalize; leave one of them out",
    ),
    "a misspelt normalizer": (
        lambda folder: train(normalizer="lowrcase"),
        errors.SpecError,
        f"there is no normalizer named 'lowrcase'; did you mean 'lowercase'? {NORMALIZERS}",
    ),
    "an unknown pretokenizer": (
        lambda folder: train(pretokenizer="xyz"),
        errors.SpecError,
        f"there is no pretokenizer named 'xyz' {PRETOKENIZERS}",
    ),
    "a pattern for a name": (
        lambda folder: train(pretokenizer=r"\w+|\s+"),
        errors.SpecError,
        rf"there is no pretokenizer named '\\w+|\\s+' {PRETOKENIZERS}; "
        "a pattern of your own is pretokenizers.Split(pattern)",
    ),
    "no pretokenizer": (
        lambda folder: train(pretokenizer=5),
        TypeError,
        "expected a PreTokenizer or the name of one, not int",
    ),
    "pieces of nothing": (
        lambda folder: train(pretokenizer=pretokenizers.FixedLength(0)),
        errors.SpecError,
        "length must be at least 1, not 0",
    ),
    "progress that is none": (
        lambda folder: bytemill.train(["a"], bytemill.Word(), progress=5),
        TypeError,
        "progress is True, False, None or a callable, not int",
    ),
    "unknown errors": (
        lambda folder: train(errors="ignore"),
        errors.SpecError,
        'errors is "strict", "replace" or "skip", not \'ignore\'',
    ),
    "train on nothing": (
        lambda folder: train(folder / "none"),
        FileNotFoundError,
        "[Errno 2] No such file or directory: '{folder}/none'",
    ),
    "a file that is no text": (
        lambda folder: train(folder / "latin.txt"),
        errors.TextError,
        "byte 3 of {folder}/latin.txt is 0xe9, which is not valid UTF-8 there; "
        'decode it with errors="replace", or from the encoding that it is in',
    ),
    "half a gzip": (
        lambda folder: train(folder / "half.gz"),
        errors.FormatError,
        "{folder}/half.gz: truncated gzip stream",
    ),
}


@pytest.mark.parametrize("mistake", TABLE)
def test_messages(mistake: str, tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes("café".encode("latin-1"))
    (tmp_path / "binary").mkdir()
    (tmp_path / "binary" / "a").write_bytes(b"\0")
    (tmp_path / "half.gz").write_bytes(gzip.compress(b"the cat")[:-4])
    raises_exactly(TABLE[mistake], tmp_path)


WRONG_VALUES: dict[str, Callable[[], object]] = {
    "vocab_size=-1": lambda: train(spec=bytemill.Word(vocab_size=-1)),
    "vocab_size='nine'": lambda: train(spec=bytemill.Word(vocab_size="nine")),
    "vocab_size=1.5": lambda: train(spec=bytemill.Word(vocab_size=1.5)),
    "min_frequency=-1": lambda: train(spec=bytemill.Word(min_frequency=-1)),
    "lowercase=1": lambda: train(spec=bytemill.Word(lowercase=1)),
    "unk_token=5": lambda: train(spec=bytemill.Word(unk_token=5)),
    "threads=-1": lambda: train(threads=-1),
    "special_tokens=[5]": lambda: train(special_tokens=[5]),
    "behavior='weird'": lambda: train(pretokenizer=pretokenizers.Punctuation("weird")),
    "character='ab'": lambda: train(pretokenizer=pretokenizers.Delimiter("ab")),
    "length=-1": lambda: train(pretokenizer=pretokenizers.FixedLength(-1)),
}


@pytest.mark.parametrize("option", WRONG_VALUES)
def test_a_wrong_value_is_told_by_the_name_of_its_option(option: str) -> None:
    with pytest.raises((errors.SpecError, TypeError)) as caught:
        WRONG_VALUES[option]()
    message = str(caught.value)
    assert option.split("=")[0] in message
    for inner in ("column", "usize", "u64", "serde", "variant"):
        assert inner not in message
