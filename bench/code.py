"""Source code, reported: a vocabulary that knows the syntax against one that does not, what others say of the pieces,
and the speed. Prints docs/code-report.md.
"""

from __future__ import annotations

import functools
import gzip
import os
import sysconfig
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from tests.differential.second_opinions import Agreement, with_pygments, with_tokenize

import bytemill
from bytemill import _core, code

from .engines.tree_sitter_engine import parser
from .engines.tree_sitter_engine import pieces as walked

SHARED = Path(os.environ.get("BYTEMILL_SHARED", "../shared"))
LANGUAGES = {"c": "c", "cpp": "cpp", "csharp": "csharp", "go": "go", "java": "java", "javascript": "javascript"}
LANGUAGES |= {"python": "python", "rust": "rust", "shell": "bash", "typescript": "typescript"}
HELD_OUT = 0.2
SIZE = 32_000
ROUNDS = 15
KIND = {name: number for number, name in enumerate(code.KINDS)}


def corpora() -> dict[str, str]:
    folder = SHARED / "corpora/code"
    return {name: gzip.decompress((folder / f"{name}.txt.gz").read_bytes()).decode() for name in LANGUAGES}


def halves(text: str) -> tuple[str, str]:
    """What is trained on, and what is held out: the last fifth, from a line on."""
    at = text.index("\n", int(len(text) * (1 - HELD_OUT))) + 1
    return text[:at], text[at:]


def measures(tok: bytemill.Tokenizer, texts: dict[str, str]) -> tuple[float, float, float]:
    """Bytes a token; share of tokens that cross a border of the syntax; share of names whose words are tokens."""
    size = tokens = crossing = names = whole = 0
    for name, text in texts.items():
        source = text.encode()
        found = tok.encode_code(source, language=LANGUAGES[name])
        pieces = code.code_pieces(source, LANGUAGES[name])
        size += len(source)
        tokens += len(found)
        # A space before a token is not held against it.
        spaces = np.frombuffer(source, np.uint8)[np.minimum(found.starts, len(source) - 1)] == ord(" ")
        starts = found.starts + (spaces & (found.ends > found.starts + 1))
        first = np.searchsorted(pieces.ends, starts, "right")
        last = np.searchsorted(pieces.ends, np.maximum(found.ends, found.starts + 1) - 1, "right")
        blank = np.cumsum([0, *(byte not in b" \t\r\n" for byte in source)])
        crossing += int(((first < last) & (blank[found.ends] > blank[found.starts])).sum())
        spans = set(zip(starts.tolist(), found.ends.tolist(), strict=True))
        for index in np.flatnonzero(pieces.kinds == KIND["identifier"]):
            piece = pieces[int(index)]
            at, parts = piece.start, []
            for part in bytemill.split_identifier(piece.text.decode()):
                length = len(part.encode())
                if part[0].isalnum():
                    parts.append((at, at + length))
                at += length
            names += 1
            whole += all(part in spans for part in parts)
    return size / tokens, crossing / tokens, whole / names


def vocabularies() -> list[str]:
    split = {name: halves(text) for name, text in corpora().items()}
    trained_on = [first for first, _ in split.values()]
    held_out = {name: second for name, (_, second) in split.items()}
    rows = ["| pretokenizer | tokens | bytes/token | tokens that cross a border | names whose words are tokens |"]
    rows.append("|---|---|---|---|---|")
    variants: dict[str, object] = {
        "o200k (plain)": "o200k",
        "cl100k (plain)": "cl100k",
        "`Code()`": bytemill.Code(),
        "`Code(identifiers=False)`": bytemill.Code(identifiers=False),
    }
    for name, pretokenizer in variants.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            spec = bytemill.BPE(vocab_size=SIZE, min_frequency=1)
            tok = bytemill.train(trained_on, spec, pretokenizer=pretokenizer, progress=False)  # type: ignore[arg-type]
        density, crossing, whole = measures(tok, held_out)
        rows.append(f"| {name} | {tok.vocab_size:,} | {density:.3f} | {crossing:.2%} | {whole:.2%} |")
    return rows


def opinions() -> list[str]:
    rows = ["| source | judge | tokens | agree | the commonest differences |", "|---|---|---|---|---|"]
    agreement = Agreement()
    for path in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        if not {"site-packages", "lib2to3"} & set(path.parts):
            try:
                with_tokenize(path.read_bytes(), agreement)
            except (SyntaxError, UnicodeDecodeError):
                continue
    rows.append(opinion("the standard library of Python", "tokenize", agreement))
    texts = corpora()
    for language in ("c", "java", "javascript"):
        agreement = Agreement()
        with_pygments(texts[language], language, agreement)
        rows.append(opinion(language, "pygments", agreement))
    return rows


def opinion(source: str, judge: str, agreement: Agreement) -> str:
    kinds: dict[tuple[str, str], int] = {}
    examples: dict[tuple[str, str], str] = {}
    for (theirs, ours, text), count in agreement.differences.most_common():
        kinds[theirs, ours] = kinds.get((theirs, ours), 0) + count
        examples.setdefault((theirs, ours), text.split("\n")[0][:20].replace("|", "\\|"))
    common = sorted(kinds.items(), key=lambda item: -item[1])[:6]
    shown = "; ".join(f"{count:,} {t} are {o} here (`{examples[t, o]}`)" for (t, o), count in common) or "none"
    return f"| {source} | {judge} | {agreement.tokens:,} | {agreement.share:.4%} | {shown} |"


def speeds() -> tuple[list[str], list[str]]:
    rows = ["| source | its package | its own steps here | our steps | pieces | ids | the walk | pieces are faster |"]
    rows.append("|---|---|---|---|---|---|---|---|")
    shares = ["| source | the parser | what is done with its nodes |", "|---|---|---|"]
    texts = corpora()
    for name in ("python", "c"):
        source = texts[name].encode()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            how = bytemill.Code(name)
            tok = bytemill.train([texts[name]], bytemill.BPE(vocab_size=8000), pretokenizer=how, progress=False)
        takes: dict[str, Callable[[], object]] = {
            "package": functools.partial(parser(name).parse, source),
            "stock": functools.partial(_core.syntax_nodes, source, name, True),
            "nodes": functools.partial(_core.syntax_nodes, source, name, False),
            "pieces": functools.partial(code.code_pieces, source, name),
            "ids": functools.partial(tok.encode_array, source, threads=1),
            "walk": functools.partial(walked, source, name),
        }
        best = dict.fromkeys(takes, float("inf"))
        for _ in range(ROUNDS):
            for what, work in takes.items():
                started = time.process_time()
                work()
                best[what] = min(best[what], time.process_time() - started)
        rates = " | ".join(f"{len(source) / best[what] / 1e6:.1f}" for what in takes)
        rows.append(f"| {name} | {rates} | {best['walk'] / best['pieces']:.1f} × |")
        shares.append(f"| {name} | {best['nodes'] / best['pieces']:.0%} | {1 - best['nodes'] / best['pieces']:.0%} |")
    return rows, shares


PAGE = """# Source code, measured

Generated by `make code-report` from the shared corpora and Python's standard library; do not edit.

## Vocabularies of {size:,}

BPE, trained on four fifths of the sources of ten languages and measured on the last fifth. A token crosses a border if
it has bytes of two pieces of the syntax, but for a space that it begins with; white space alone crosses none.

{vocabularies}

## Other opinions

Of Python keywords, names, numbers, strings and comments must have the same spans; soft keywords may be either. pygments
calls all that follows a point in Java an attribute; `class` and `this` there are left out.

{opinions}

## Speed

In MB/s, by the time of one core, the best of {rounds}, turn by turn. The first columns are tree-sitter alone: as its
Python package parses; by its own steps as it is compiled here; and as it runs here, both with a list of all nodes.
Pieces and ids include that. The walk gives the same pieces, in Python, over the tree of the package.

{speeds}

Where the time of pieces goes:

{shares}
"""


def main() -> None:
    rates, shares = speeds()
    tables = {"vocabularies": vocabularies(), "opinions": opinions(), "speeds": rates, "shares": shares}
    page = PAGE.format(size=SIZE, rounds=ROUNDS, **{name: "\n".join(rows) for name, rows in tables.items()})
    print(page, end="")


if __name__ == "__main__":
    main()
