"""Published tokenizers, edited and measured on text that no edit has seen.

Prints docs/surgery-report.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import sentencepiece
import tiktoken
import tokenizers

import bytemill
from bench.corpora import SHARED, text_of
from bytemill import surgery

#: One line of so many is held out.
HELD_OUT = 20
ENGLISH = ["corpora/norvig_big.txt.gz"]
CODE = ["corpora/code/*.gz"]
CHINESE = ["corpora/multilingual/mdn_zh-cn.md.gz", "corpora/multilingual/ud_zh_pud.txt.gz"]
RUSSIAN = ["corpora/multilingual/mdn_ru.md.gz", "corpora/multilingual/ud_ru_pud.txt.gz"]
FIELD = ["corpora/code/rust.txt.gz"]


def lines_of(patterns: list[str]) -> tuple[list[str], list[str]]:
    """The lines that an edit sees, and those that it is measured on."""
    lines = [line for line in text_of(patterns, None).decode().splitlines(keepends=True) if line.strip()]
    seen = [line for number, line in enumerate(lines) if number % HELD_OUT]
    return seen, lines[::HELD_OUT]


def words_of(tok: bytemill.Tokenizer, lines: list[str], most: int) -> list[str]:
    """The pieces of several tokens that would save the most tokens if they were one."""
    counts: Counter[str] = Counter()
    pieces = bytemill.count_pieces(lines, pretokenizer="gpt2", progress=False)
    for piece, count in pieces.most_common(20_000):
        tokens = tok.count(piece, specials="none")
        if tokens > 1 and piece.strip().isalpha():
            counts[piece] = count * (tokens - 1)
    return [piece for piece, _ in counts.most_common(most)]


@dataclass
class Case:
    """An edit, the texts to measure it on, and the library of the file's format."""

    name: str
    edit: surgery.Edit
    texts: dict[str, list[str]]
    library: Callable[[bytemill.Tokenizer], Callable[[str], list[int]]]


def in_tokenizers(tok: bytemill.Tokenizer) -> Callable[[str], list[int]]:
    library = tokenizers.Tokenizer.from_str(tok.to_bytes("tokenizer.json").decode())
    return lambda text: list(library.encode(text, add_special_tokens=False).ids)


def in_tiktoken(tok: bytemill.Tokenizer) -> Callable[[str], list[int]]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "edited.tiktoken"
        path.write_bytes(tok.to_bytes("tiktoken"))
        ranks = tiktoken.load.load_tiktoken_bpe(str(path))
    encoding = tiktoken.Encoding("edited", pat_str=CL100K, mergeable_ranks=ranks, special_tokens=tok.special_tokens)
    return encoding.encode_ordinary


CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|"
    r"\s+(?!\S)|\s"
)


def in_sentencepiece(tok: bytemill.Tokenizer) -> Callable[[str], list[int]]:
    model = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes("model"))
    return lambda text: list(model.encode(text))


def cases() -> list[Case]:
    models = SHARED / "models"
    english, held_english = lines_of(ENGLISH)
    code, held_code = lines_of(CODE)
    field, held_field = lines_of(FIELD)
    chinese, held_chinese = lines_of(CHINESE)
    russian, held_russian = lines_of(RUSSIAN)
    gpt2 = bytemill.load(models / "openai-gpt2" / "tokenizer.json")
    cl100k = bytemill.load(models / "openai-cl100k" / "cl100k_base.tiktoken")
    mistral = bytemill.load(models / "mistral-spm" / "tokenizer.model.v1")
    t5 = bytemill.load(models / "t5-base" / "spiece.model")
    rust = {"Rust": held_field, "English": held_english}
    return [
        Case("GPT-2, 1,000 words of Rust added", surgery.add_tokens(gpt2, words_of(gpt2, field, 1000)), rust, in_tokenizers),
        Case(
            "GPT-2, 1,000 tokens learned from Rust",
            surgery.extend(gpt2, field, vocab_size=gpt2.vocab_size + 1000),
            rust,
            in_tokenizers,
        ),
        Case(
            "cl100k, pruned to what English and code use",
            surgery.prune(cl100k, [*english, *code], min_count=1),
            {"English": held_english, "code": held_code, "Russian": held_russian},
            in_tiktoken,
        ),
        Case(
            "cl100k, pruned to 32,000 on English and code",
            surgery.prune(cl100k, [*english, *code], vocab_size=32_000),
            {"English": held_english, "code": held_code, "Russian": held_russian},
            in_tiktoken,
        ),
        Case(
            "Mistral, 4,000 tokens learned from Chinese",
            surgery.extend(mistral, chinese, vocab_size=36_000),
            {"Chinese": held_chinese, "English": held_english},
            in_sentencepiece,
        ),
        Case(
            "T5, 4,000 pieces learned from Russian",
            surgery.extend(t5, russian, vocab_size=36_000),
            {"Russian": held_russian, "English": held_english},
            in_sentencepiece,
        ),
    ]


def rows_of(case: Case) -> list[str]:
    before, after = case.edit.report.before, case.edit.tokenizer
    library = case.library(after)
    rows = []
    for name, texts in case.texts.items():
        equal = all(library(text) == after.encode(text, specials="none") for text in texts)
        if not equal:
            raise SystemExit(f"{case.name}: the library gives other ids for {name}")
        size = sum(len(text.encode()) for text in texts)
        tokens = [int(tok.count_batch(texts, specials="none").sum()) for tok in (before, after)]
        moved = case.edit.embedding_map
        olds, news = (tok.encode_batch(texts, specials="none").to_list() for tok in (before, after))
        changed = sum(moved.move(old).tolist() != new for old, new in zip(olds, news, strict=True))
        rates = [size / count for count in tokens]
        cells = [case.name, name, f"{rates[0]:.3f}", f"{rates[1]:.3f}", f"{rates[1] / rates[0] - 1:+.1%}"]
        rows.append("| " + " | ".join([*cells, f"{changed / len(texts):.1%}"]) + " |")
    return rows


def vocabulary_row(case: Case) -> str:
    report = case.edit.report
    reach = report.reach
    cells = [case.name, report.before.vocab_size, report.after.vocab_size, len(report.stepping_stones)]
    cells += [len(reach.reached), len(reach.unreachable), len(reach.undecided), len(report.lost)]
    return "| " + " | ".join(cell if isinstance(cell, str) else f"{cell:,}" for cell in cells) + " |"


def main() -> None:
    found = cases()
    print("# Edited vocabularies, measured\n")
    print("Generated by `make surgery-report` from the shared models and corpora; do not edit.\n")
    print(f"Every {HELD_OUT}th line is held out: no edit has seen it, and all figures are about these lines. After saving,")
    print("the library of each format (`tokenizers`, `tiktoken`, `sentencepiece`) gives the same ids for all of them.\n")
    print("| edit | text | bytes/token before | after | difference | lines that change |\n|---|---|---|---|---|---|")
    for case in found:
        print("\n".join(rows_of(case)))
    print("\n| edit | ids before | after | stepping stones | reached | unreachable | undecided | lost |")
    print("|---|---|---|---|---|---|---|---|")
    for case in found:
        print(vocabulary_row(case))


if __name__ == "__main__":
    main()
