"""BPE training against each trainer whose rule it follows, on a sample; `BYTEMILL_MATRIX=full` takes whole corpora.

`tokenizers`, rustbpe and tiktoken's educational code are run; the course CS336 has its own file.
"""

from __future__ import annotations

import gzip
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill.training import CorpusTooSmall

from ..conftest import need
from ..effort import MATRIX

tokenizers = need("tokenizers")
tiktoken = need("tiktoken")
educational = need("tiktoken._educational")
rustbpe = need("rustbpe")

pytestmark = [pytest.mark.peer, pytest.mark.shared]

SAMPLE = None if MATRIX else 300_000
SIZES = [300, 1000, 8000, 32_000] if MATRIX else [300, 4000]

#: tiktoken's `r50k_base`.
PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"


def corpus(*names: str) -> Callable[[Path], str]:
    def text(shared: Path) -> str:
        parts = []
        for path in (path for name in names for path in sorted((shared / "corpora").glob(name))):
            with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
                parts.append(file.read(SAMPLE and SAMPLE // len(names)).decode(errors="replace"))
        return "".join(parts)[:SAMPLE]

    return text


def ties(_: Path) -> str:
    return " ".join(a + b + c for a in "abcdefgh" for b in "ijklmnop" for c in "qrstuvwx") * 3


#: Runs of one character, which make the same token in several ways.
def runs(_: Path) -> str:
    return "\n".join(f"{'-' * (i % 37 + 1)}{' ' * (i % 23)}{'=' * (i % 11)}x{'ab' * (i % 5)}" for i in range(3000))


CORPORA: dict[str, Callable[[Path], str]] = {
    "english": corpus("norvig_big.txt.gz"),
    "code": corpus("code/python.txt.gz", "code/html.txt.gz", "code/c.txt.gz"),
    "chinese": corpus("multilingual/mdn_zh-cn.md.gz", "multilingual/wikipedia_mars_chinese.txt.gz"),
    "mixed": corpus("multilingual/ud_ru_pud.txt.gz", "multilingual/mdn_ko.md.gz", "multilingual/ud_hi_pud.txt.gz"),
    "shakespeare": corpus("tinyshakespeare.txt"),
    "ties": ties,
    "runs": runs,
}


def learn(text: str, size: int, **options: Any) -> bytemill.Tokenizer:
    setup = {name: options.pop(name) for name in ("special_tokens", "threads") if name in options}
    options.setdefault("min_frequency", 1)
    pretokenizer = options.pop("pretokenizer", "gpt2")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CorpusTooSmall)
        spec = bytemill.BPE(vocab_size=size, **options)
        return bytemill.train([text], spec, pretokenizer=pretokenizer, progress=False, **setup)


def library(text: str, size: int, **options: Any) -> Any:
    tok = tokenizers.Tokenizer(tokenizers.models.BPE())
    tok.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tok.decoder = tokenizers.decoders.ByteLevel()
    options.setdefault("initial_alphabet", tokenizers.pre_tokenizers.ByteLevel.alphabet())
    tok.train_from_iterator([text], tokenizers.trainers.BpeTrainer(vocab_size=size, show_progress=False, **options))
    return tok


def model(tok: Any) -> tuple[dict[str, int], list[list[str]]]:
    written = json.loads(tok if isinstance(tok, (str, bytes)) else tok.to_str())["model"]
    return written["vocab"], written["merges"]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", CORPORA)
def test_tokenizers(name: str, size: int, shared: Path) -> None:
    text = CORPORA[name](shared)
    ours, theirs = learn(text, size, ties="huggingface"), library(text, size)
    assert model(ours.to_bytes("tokenizer.json")) == model(theirs)
    sample = text[:20_000]
    assert ours.encode(sample) == theirs.encode(sample).ids


OPTIONS: list[dict[str, Any]] = [
    {"min_frequency": 3},
    {"max_token_length": 5},
    {"initial_alphabet": []},
    {"initial_alphabet": ["!", "z"]},
]


@pytest.mark.parametrize("name", ["english", "code", "runs"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_options_of_tokenizers(options: dict[str, Any], name: str, shared: Path) -> None:
    text = CORPORA[name](shared)
    # The text has none of these: the library would take them for text, and we do not.
    specials = ["<|a|>", "<|b|>"]
    ours = learn(text, 1500, ties="huggingface", special_tokens=specials, **options)
    theirs = library(text, 1500, special_tokens=specials, **options)
    assert model(ours.to_bytes("tokenizer.json")) == model(theirs)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", CORPORA)
def test_rustbpe(name: str, size: int, shared: Path) -> None:
    text = CORPORA[name](shared)
    theirs = rustbpe.Tokenizer()
    theirs.train_from_iterator(iter([text]), size, pattern=PATTERN)
    ranks = sorted(theirs.get_mergeable_ranks(), key=lambda token: token[1])
    tokens = [bytes(token) for token, _ in ranks]
    ours = learn(text, size, ties="rustbpe")
    made = [left + right for left, right in ours.merges() or []]
    assert made == list(dict.fromkeys(tokens[256:]))
    if len(set(tokens)) == len(tokens):
        assert [ours.id_to_bytes(id) for id in range(ours.vocab_size)] == tokens
        # The default rule is the same one.
        assert learn(text, size).merges() == ours.merges()


@pytest.mark.parametrize("name", CORPORA)
def test_tiktoken(name: str, shared: Path) -> None:
    text = CORPORA[name](shared)[: 60_000 if MATRIX else 8_000]
    ours = learn(text, 256 + 150, ties="tiktoken")
    # It knows no end of pairs, so it is not asked for more than there are.
    theirs = educational.bpe_train(text, ours.vocab_size, PATTERN, visualise=None)
    # Ids are the order in which tokens came to be; there, one that is made in a second way takes the id of the next.
    assert [ours.id_to_bytes(id) for id in range(ours.vocab_size)] == list(theirs)


@pytest.mark.parametrize("name", ["english", "code", "chinese", "runs"])
def test_what_is_saved_encodes_the_same_in_the_other_libraries(name: str, shared: Path, tmp_path: Path) -> None:
    text = CORPORA[name](shared)
    sample = text[:30_000]
    for rule in ("bytemill", "huggingface", "rustbpe", "cs336", "sentencepiece"):
        tok = learn(text, 1200, ties=rule, special_tokens=["<|end|>"])
        tok.save(tmp_path / "tokenizer.json")
        theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
        assert tok.encode(sample + "<|end|>") == theirs.encode(sample + "<|end|>").ids
        with pytest.warns(bytemill.tokenizer.LeftOut):
            tok.save(tmp_path, "vocab.json")
        two = bytemill.load(tmp_path / "vocab.json", special_tokens=tok.special_tokens)
        assert tok.encode(sample + "<|end|>") == two.encode(sample + "<|end|>")
        for file in ("tok.mill", "tok.mill.json"):
            tok.save(tmp_path / file)
            assert bytemill.load(tmp_path / file) == tok
    tok = learn(text, 1200, ties="tiktoken", special_tokens=["<|end|>"])
    with pytest.warns(bytemill.tokenizer.LeftOut):
        tok.save(tmp_path / "tok.tiktoken")
    last = tok.vocab_size - 1
    assert tok.special_tokens == {"<|end|>": last}
    ranks = {tok.id_to_bytes(id): id for id in range(last)}
    encoding = tiktoken.Encoding("tok", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens=tok.special_tokens)
    assert tok.encode(sample) == encoding.encode(sample)
    loaded = bytemill.load(tmp_path / "tok.tiktoken", pattern="gpt2", special_tokens=tok.special_tokens)
    assert loaded.encode(sample) == tok.encode(sample)


RULES = ["bytemill", "huggingface", "tiktoken", "cs336", "sentencepiece", "rustbpe"]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", CORPORA if MATRIX else ["code", "mixed", "ties"])
def test_threads_blocks_and_files_change_nothing(name: str, rule: Any, shared: Path, tmp_path: Path) -> None:
    text = CORPORA[name](shared)
    one = learn(text, 3000, ties=rule, threads=1)
    assert [learn(text, 3000, ties=rule, threads=threads) == one for threads in (2, 7)] == [True, True]
    (tmp_path / "text.txt").write_text(text, encoding="utf-8", newline="")
    (tmp_path / "text.txt.gz").write_bytes(gzip.compress(text.encode(), 1))
    (tmp_path / "text.jsonl").write_text(json.dumps({"text": text}))
    files = [train(tmp_path / file, rule, threads=2) for file in ("text.txt", "text.txt.gz", "text.jsonl")]
    assert [tok == one for tok in files] == [True, True, True]
    # Many documents, as they come and in files of several kinds.
    lines = text.splitlines(keepends=True)[:500]
    documents = train(iter(lines), rule, threads=1)
    assert train(iter(lines), rule, threads=7, memory="1MB") == documents
    (tmp_path / "lines.jsonl").write_text("".join(json.dumps({"text": line}) + "\n" for line in lines))
    half = len(lines) // 2
    for i, part in enumerate((lines[:half], lines[half:])):
        (tmp_path / f"part{i}.ndjson").write_text("".join(json.dumps({"text": line}) + "\n" for line in part))
    (tmp_path / "many").mkdir()
    for i, line in enumerate(lines):
        (tmp_path / "many" / f"{i:05}.txt").write_text(line, encoding="utf-8", newline="")
    for paths in (["lines.jsonl"], ["part0.ndjson", "part1.ndjson"], ["many"]):
        assert train([tmp_path / path for path in paths], rule, threads=2) == documents


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", CORPORA if MATRIX else ["english", "chinese", "runs"])
def test_saved_counts_change_nothing(name: str, rule: Any, shared: Path, tmp_path: Path) -> None:
    text = CORPORA[name](shared)
    half = text.rfind(" ", 0, len(text) // 2)
    documents = [text[:half], text[half:]]
    for i, document in enumerate(documents):
        counts = bytemill.count_pieces([document], pretokenizer="gpt2", order=rule == "tiktoken", progress=False)
        counts.save(tmp_path / f"{i}.counts")
    loaded = [bytemill.PieceCounts.load(tmp_path / f"{i}.counts") for i in range(2)]
    for size in SIZES:
        expected = train(documents, rule, size)
        assert train(bytemill.PieceCounts.merge(loaded, progress=False), rule, size) == expected
        assert train([tmp_path / "0.counts", tmp_path / "1.counts"], rule, size) == expected


def train(source: Any, rule: Any, size: int = 3000, **options: Any) -> bytemill.Tokenizer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CorpusTooSmall)
        spec = bytemill.BPE(vocab_size=size, ties=rule, min_frequency=1)
        return bytemill.train(source, spec, pretokenizer="gpt2", progress=False, **options)
