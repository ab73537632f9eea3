"""The experiments of courses and textbooks, on the shared texts: prints docs/textbook-report.md.

Tiny Shakespeare with other libraries and plain Python; the ladder from naive to fast on Chinese; tokenizers of stories
and of web text on each other's text; files of 16 bits. Every id is compared before a time counts.
"""

from __future__ import annotations

import os
import platform
import statistics
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

import sentencepiece
import tiktoken
import tokenizers

import bytemill
from bench import ladder
from bench.corpora import ROOT, SHARED, text_of
from bytemill import BPE, Char, Word, pretokenizers
from bytemill.training import CorpusTooSmall

SHAKESPEARE = ["corpora/tinyshakespeare.txt"]
CHINESE = ["corpora/multilingual/mdn_zh-cn.md.gz", "corpora/multilingual/wikipedia_mars_chinese.txt.gz"]
STORIES = ["corpora/tinystories_944k.txt.gz"]
WEB = [
    "corpora/multilingual/ud_en_ewt_web.txt.gz",
    "corpora/multilingual/wikipedia_mars_english.txt.gz",
    "corpora/wikitext2_valid.txt.gz",
    "corpora/wikitext2_test.txt.gz",
]
PILE = 825e9
#: The share of a text that is held out, at its end.
HELD_OUT = 0.1
#: Repetitions of what is fast; the median counts.
ROUNDS = 9
#: Merges that the naive trainer learns, and characters that the naive encoder takes: all would take minutes.
NAIVE_MERGES = 64
NAIVE_CHARACTERS = 100_000

Result = TypeVar("Result")


def timed(work: Callable[[], Result], rounds: int = 1) -> tuple[float, float, Result]:
    """Seconds by the clock and of the processor, the medians; and the result."""
    walls, cpus = [], []
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        result = work()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return statistics.median(walls), statistics.median(cpus), result


def seconds(value: float) -> str:
    """
    >>> seconds(0.00234), seconds(3.14159), seconds(123.4)
    ('2.3 ms', '3.14 s', '123 s')
    """
    return f"{value * 1000:.1f} ms" if value < 1 else f"{value:.3g} s"


def table(head: str, rows: list[list[str]]) -> list[str]:
    columns = head.count("|") + 1
    return [f"| {head} |", "|" + "---|" * columns, *(f"| {' | '.join(row)} |" for row in rows), ""]


def trained(text: str, size: int, **options: Any) -> bytemill.Tokenizer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CorpusTooSmall)
        return bytemill.train([text], BPE(size, **options), pretokenizer="gpt2", progress=False)


def of_tokenizers(text: str, size: int) -> tokenizers.Tokenizer:
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    options = {"vocab_size": size, "min_frequency": 2, "initial_alphabet": alphabet, "show_progress": False}
    made.train_from_iterator([text], tokenizers.trainers.BpeTrainer(**options))
    return made


def of_sentencepiece(text: str, size: int) -> sentencepiece.SentencePieceProcessor:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        path.write_text(text)
        prefix = str(path.with_suffix(""))
        options = {"model_type": "bpe", "max_sentence_length": 1 << 24, "minloglevel": 2, "num_threads": 2}
        sentencepiece.SentencePieceTrainer.train(input=str(path), model_prefix=prefix, vocab_size=size, **options)
        return sentencepiece.SentencePieceProcessor(model_file=f"{prefix}.model")


def listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def shakespeare() -> list[str]:
    size = 1000
    text = text_of(SHAKESPEARE, None).decode()
    pieces = [piece.encode() for piece, _ in pretokenizers.GPT2().split(text)]
    counts = Counter(pieces)
    rows: list[list[str]] = []

    def row(name: str, training: tuple[float, float, Any] | None, encoding: tuple[float, float, int]) -> None:
        wall, cpu, tokens = encoding
        learned = [seconds(training[1]), seconds(training[0])] if training else ["", ""]
        rows.append([name, *learned, seconds(cpu), seconds(wall), f"{tokens / cpu / 1e6:.2f}"])

    def counted(work: Callable[[], Any], rounds: int = ROUNDS) -> tuple[float, float, int]:
        wall, cpu, ids = timed(work, rounds)
        return wall, cpu, len(ids)

    by_recounting = timed(lambda: ladder.train_by_recounting(counts, NAIVE_MERGES))
    by_index = timed(lambda: ladder.train_by_index(counts, size - 256))
    ours = timed(lambda: trained(text, size), ROUNDS)
    tok = ours[2]
    assert tok.merges() == by_index[2] and tok.merges()[:NAIVE_MERGES] == by_recounting[2]
    ranks = {pair: rank for rank, pair in enumerate(tok.merges())}
    expected = tok.encode(text)

    def in_python(encode: ladder.Encode, pieces: list[bytes]) -> list[bytes]:
        return [symbol for piece in pieces for symbol in encode(piece, ranks)]

    sample = [piece.encode() for piece, _ in pretokenizers.GPT2().split(text[:NAIVE_CHARACTERS])]
    naive = timed(lambda: in_python(ladder.encode_by_lowest, sample))
    remembering = timed(lambda: in_python(ladder.Remembering(), pieces))
    assert [tok.token_to_id(symbol) for symbol in remembering[2]] == expected
    assert [tok.token_to_id(symbol) for symbol in naive[2]] == tok.encode(text[:NAIVE_CHARACTERS])
    name = (
        f"Python, every pair counted again ({NAIVE_MERGES} merges); lowest rank first ({NAIVE_CHARACTERS:,} characters)"
    )
    row(name, by_recounting, (*naive[:2], len(naive[2])))
    row("Python, index of pairs, heap, pieces remembered", by_index, (*remembering[:2], len(remembering[2])))
    theirs = timed(lambda: of_tokenizers(text, size), 3)
    like = trained(text, size, ties="huggingface")
    assert theirs[2].encode(text).ids == like.encode(text)
    row("tokenizers", theirs, counted(lambda: theirs[2].encode(text).ids, 3))
    ranked = trained(text, size, ties="tiktoken")
    encoding = tiktoken.Encoding("own", pat_str=GPT2, mergeable_ranks=ranked.vocab_bytes(), special_tokens={})
    assert encoding.encode(text) == ranked.encode(text)
    row("tiktoken (does not train)", None, counted(lambda: encoding.encode(text)))
    pieces_of = timed(lambda: of_sentencepiece(text, size))
    row("sentencepiece", pieces_of, counted(lambda: pieces_of[2].encode(text), 3))
    row("**bytemill**", ours, counted(lambda: tok.encode(text)))
    head = "engine | training | by the clock | encoding | by the clock | million tokens/s"
    return [
        "## Tiny Shakespeare\n",
        f"`{SHAKESPEARE[0]}`, {len(text.encode()):,} bytes, a vocabulary of {size:,}. Both Python engines learn the",
        "merges of bytemill and give its ids; `tokenizers` and `tiktoken` give those of bytemill with `ties=` of their",
        "names. `sentencepiece` splits otherwise and has a vocabulary of its own.\n",
        *table(head, rows),
    ]


#: GPT-2's pattern, as tiktoken writes it.
GPT2 = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""


def words_and_characters() -> list[str]:
    text = text_of(SHAKESPEARE, None).decode()
    megabytes = len(text.encode()) / 1e6
    rows = []
    for name, spec in (("characters", Char()), ("words", Word())):
        wall, cpu, tok = timed(lambda spec=spec: bytemill.train([text], spec, threads=1, progress=False), 25)
        _, encoding, _ = timed(lambda tok=tok: tok.encode_array(text), 25)
        size = f"{tok.vocab_size:,}"
        rows.append([name, size, *(f"{value / megabytes * 1000:.1f} ms" for value in (cpu, wall, encoding))])
    words = bytemill.train([text_of(["corpora/norvig_big.txt.gz"], None).decode()], Word(32_000), progress=False)
    with tempfile.TemporaryDirectory() as folder:
        wall, cpu, _ = timed(lambda: words.save(Path(folder) / "words.mill"), 25)
    return [
        "## Characters and words\n",
        "The same text, for each megabyte, on one thread.\n",
        *table("family | tokens | training | by the clock | encoding", rows),
        f"Saving {words.vocab_size:,} words as `.mill` takes {seconds(cpu)}, {seconds(wall)} by the clock.\n",
    ]


def chinese() -> list[str]:
    text = text_of(CHINESE, None).decode()
    tok = trained(text, 10_000)
    ranks = {pair: rank for rank, pair in enumerate(tok.merges())}
    rungs: list[tuple[str, int, ladder.Encode]] = [
        ("every merge over the whole piece", 300, ladder.encode_in_order),
        ("lowest rank first, again and again", 20_000, ladder.encode_by_lowest),
        ("heap and linked list", 20_000, ladder.encode_by_heap),
        ("the same, pieces remembered", 200_000, ladder.Remembering()),
    ]
    rows, first = [], 0.0
    for name, characters, encode in rungs:
        sample = text[:characters]
        pieces = [piece.encode() for piece, _ in pretokenizers.GPT2().split(sample)]
        work = lambda pieces=pieces, encode=encode: [s for piece in pieces for s in encode(piece, ranks)]  # noqa: E731
        _, cpu, symbols = timed(work)
        assert [tok.token_to_id(symbol) for symbol in symbols] == tok.encode(sample)
        rate = len(symbols) / cpu
        first = first or rate
        rows.append([f"Python: {name}", f"{characters:,}", f"{rate:,.0f}", f"{rate / first:,.0f}", hours(48e6, rate)])
    _, cpu, ids = timed(lambda: tok.encode_array(text), ROUNDS)
    rate = len(ids) / cpu
    rows.append(
        ["**bytemill**, one thread", f"{len(text):,}", f"{rate:,.0f}", f"{rate / first:,.0f}", hours(48e6, rate)]
    )
    head = "rung | characters | tokens/s | × the first | 48 million tokens"
    return [
        "## From naive to fast, on Chinese\n",
        f"{listed(CHINESE)}, a vocabulary of {tok.vocab_size:,} trained on them. Slow rungs take the beginning of the",
        "text only; all give the same ids.\n",
        *table(head, rows),
    ]


def hours(amount: float, rate: float) -> str:
    """
    >>> hours(48e6, 1500), hours(48e6, 2e6)
    ('8.9 hours', '24 s')
    """
    took = amount / rate
    return f"{took / 3600:,.1f} hours" if took > 3600 else seconds(took) if took < 120 else f"{took / 60:.1f} minutes"


def stories_and_web() -> list[str]:
    texts = {"stories": text_of(STORIES, None).decode(), "web": text_of(WEB, None).decode()}
    sizes = {"stories": 10_000, "web": 32_000}
    cut = {name: int(len(text) * (1 - HELD_OUT)) for name, text in texts.items()}
    held_out = {name: text[cut[name] :] for name, text in texts.items()}
    training = {n: timed(lambda n=n: trained(texts[n][: cut[n]], sizes[n])) for n in texts}
    toks = {name: made[2] for name, made in training.items()}
    gpt2 = bytemill.load(SHARED / "models/openai-gpt2/tokenizer.json")
    named = {**{f"{name}, {toks[name].vocab_size:,}": toks[name] for name in texts}, "GPT-2, 50,257": gpt2}
    ratios = [
        [name, *(f"{len(text.encode()) / tok.count(text):.3f}" for text in held_out.values())]
        for name, tok in named.items()
    ]
    rates = []
    for name, tok in named.items():
        for kind, text in texts.items():
            wall, cpu, _ = timed(lambda tok=tok, text=text: tok.encode_array(text), ROUNDS)
            rate = len(text.encode()) / cpu
            rates.append([name, kind, f"{rate / 1e6:,.0f} MB/s", seconds(wall), hours(PILE, rate)])
    longest = []
    for name, tok in toks.items():
        tokens = sorted((tok.id_to_bytes(id) or b"" for id in range(tok.vocab_size)), key=len, reverse=True)
        shown = ", ".join(f"`{token.decode(errors='replace').strip()}`" for token in tokens[:10])
        longest.append([name, seconds(training[name][1]), str(len(tokens[0])), shown])
    return [
        "## Stories and web text, each with the other's tokenizer\n",
        f"Stories are {listed(STORIES)}; web text is {listed(WEB)}. The last tenth of each is held out. Bytes per",
        "token on what was held out:\n",
        *table("tokenizer | stories | web", ratios),
        "The longest tokens:\n",
        *table("tokenizer | training | bytes of the longest | the ten longest", longest),
        "How fast, and how long the 825 GB of the Pile would take on one core of this machine:\n",
        *table("tokenizer | text | rate | by the clock | the Pile", rates),
        *files(toks["stories"], texts["stories"]),
    ]


def files(tok: bytemill.Tokenizer, text: str) -> list[str]:
    """Ids of a small vocabulary fit into 16 bits, and token files use that."""
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder) / "stories.txt", Path(folder) / "stories.bin"
        source.write_text(text)
        report = tok.encode_files(source, output, progress=False)
        size = output.stat().st_size
    assert size == 2 * report.tokens
    return [
        f"With {tok.vocab_size:,} tokens every id fits into 16 bits: the {report.tokens:,} ids of the stories are a",
        f"file of {size:,} bytes (`uint16`), half of what 32 bits would take, and {size / len(text.encode()):.0%} of",
        "the text.\n",
    ]


def build() -> str:
    """The build that is measured: make leaves a mark where it is that of a release."""
    return "release" if (ROOT / ".venv/.release").exists() else "quick"


def page() -> str:
    processor = platform.processor() or platform.machine()
    lines = [
        "# Experiments of courses and textbooks\n",
        "Generated by `make textbook-report`. What courses about tokenizers ask for, measured here. Times are those of",
        "the processor, all threads together, and rates follow from them; times by the clock stand beside, and depend",
        "on who else uses the machine. Of repeated measurements the median counts.\n",
        f"{date.today()}, {platform.system()} {processor}, {os.cpu_count()} cores, {build()} build, instructions",
        f"{bytemill.features().simd}, Python {platform.python_version()}, tokenizers {tokenizers.__version__},",
        f"tiktoken {tiktoken.__version__}, sentencepiece {sentencepiece.__version__}.\n",
    ]
    for part in (shakespeare, words_and_characters, chinese, stories_and_web):
        lines += part()
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    print(page(), end="")
