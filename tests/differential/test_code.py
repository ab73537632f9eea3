"""Source code: nothing is lost of real and of broken files, and others see the same tokens."""

from __future__ import annotations

import gzip
import random
import sysconfig
import warnings
from pathlib import Path

import pytest

import bytemill
from bytemill import _core, code
from tests.conftest import need
from tests.differential.second_opinions import Agreement, with_pygments, with_tokenize
from tests.effort import MATRIX

pytestmark = [pytest.mark.shared, pytest.mark.peer]

LANGUAGE_OF = {
    "c": "c",
    "cpp": "cpp",
    "csharp": "csharp",
    "go": "go",
    "html": "html",
    "java": "java",
    "javascript": "javascript",
    "markdown": None,
    "python": "python",
    "rust": "rust",
    "shell": "bash",
    "twitter": "json",
    "typescript": "typescript",
}


@pytest.fixture(scope="module")
def corpora(shared: Path) -> dict[str, bytes]:
    files = sorted((shared / "corpora/code").glob("*.gz"))
    assert len(files) == len(LANGUAGE_OF)
    return {path.name.split(".")[0]: gzip.decompress(path.read_bytes()) for path in files}


@pytest.fixture(scope="module")
def tokenizers(corpora: dict[str, bytes]) -> list[bytemill.Tokenizer]:
    """Without markers, and with all."""
    texts = [source[:50_000].decode("utf-8", "ignore") for source in corpora.values()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        how = [bytemill.Code(markers=markers) for markers in (False, True)]
        return [bytemill.train(texts, bytemill.BPE(vocab_size=4000), pretokenizer=h, progress=False) for h in how]


def test_every_file_is_given_back_and_its_language_told(
    corpora: dict[str, bytes], tokenizers: list[bytemill.Tokenizer]
) -> None:
    for name, source in corpora.items():
        language = LANGUAGE_OF[name]
        if language is not None:
            assert code.detect_language(source) == language
        pieces = code.code_pieces(source, language)
        assert pieces.ends[-1] == len(source) and (pieces.ends[1:] > pieces.ends[:-1]).all()
        for tok in tokenizers:
            assert tok.decode_bytes(tok.encode_code(source, language=language).ids) == source
            assert tok.decode_bytes(tok.encode(source)) == source


def test_parses_have_the_nodes_of_stock_tree_sitter(corpora: dict[str, bytes]) -> None:
    choice = random.Random(8)
    for name, language in LANGUAGE_OF.items():
        if language is None:
            continue
        source = corpora[name]
        broken = [mutated(source, choice) for _ in range(100 if MATRIX else 10)]
        for text in (source if MATRIX else source[:100_000], *broken):
            ours, stock = (_core.syntax_nodes(text, language, by) for by in (False, True))
            # Its own steps ask for more memory, and come to that bound sooner.
            assert stock is None or (ours is not None and ours.shape == stock.shape and (ours == stock).all())


def mutated(source: bytes, choice: random.Random) -> bytes:
    """A stretch of a source with bytes deleted, inserted and swapped."""
    start = choice.randrange(len(source) - 2000)
    part = bytearray(source[start : start + choice.randrange(1, 2000)])
    for _ in range(choice.randrange(1, 12)):
        at, other = (choice.randrange(len(part) + 1) for _ in range(2))
        match choice.randrange(3):
            case 0:
                del part[at : at + choice.randrange(1, 8)]
            case 1:
                part[at:at] = choice.randbytes(choice.randrange(1, 4))
            case _ if max(at, other) < len(part):
                part[at], part[other] = part[other], part[at]
            case _:
                pass
    return bytes(part)


def test_broken_files_are_given_back(corpora: dict[str, bytes], tokenizers: list[bytemill.Tokenizer]) -> None:
    choice = random.Random(7)
    for i in range(5000 if MATRIX else 500):
        name = choice.choice(list(corpora))
        source = mutated(corpora[name], choice)
        assert b"".join(piece.text for piece in code.code_pieces(source, LANGUAGE_OF[name])) == source
        tok = tokenizers[i % 2]
        assert tok.decode_bytes(tok.encode_code(source, language=LANGUAGE_OF[name]).ids) == source


def test_python_agrees_with_tokenize() -> None:
    files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    if MATRIX:
        files = [path for path in Path(sysconfig.get_path("stdlib")).rglob("*.py") if "site-packages" not in path.parts]
    agreement = Agreement()
    for path in files if MATRIX else files[::5]:
        try:
            with_tokenize(path.read_bytes(), agreement)
        except (SyntaxError, UnicodeDecodeError):
            continue  # no Python, on purpose: data of its tests
    assert agreement.tokens > 50_000
    assert agreement.share >= 0.9999, agreement.differences.most_common(20)


@pytest.mark.parametrize("language", ["c", "python"])
def test_a_walk_over_the_tree_of_the_python_package_gives_the_same(language: str, corpora: dict[str, bytes]) -> None:
    need("tree_sitter")
    from bench.engines.tree_sitter_engine import pieces

    source = corpora[language] if MATRIX else corpora[language][:60_000]
    ours = [(p.kind, p.start, p.end, p.line, p.column, p.node, p.depth) for p in code.code_pieces(source, language)]
    assert ours == [tuple(piece) for piece in pieces(source, language)]


@pytest.mark.parametrize("language", ["c", "java", "javascript"])
def test_others_agree_with_pygments(language: str, corpora: dict[str, bytes]) -> None:
    need("pygments")
    agreement = Agreement()
    with_pygments(corpora[language].decode(), language, agreement)
    assert agreement.tokens > 20_000
    assert agreement.share >= 0.99, agreement.differences.most_common(20)
