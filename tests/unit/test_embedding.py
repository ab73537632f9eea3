"""Vocabularies as source code: compiled, they find the ids that the tokenizer finds."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import bytemill
from bytemill import BPE, Char, Word, errors
from bytemill.embedding import perfect_hash
from tests.conftest import ROOT, absent

EXAMPLE = ROOT / "examples/embedded-words"
WORDS = [f"word{number}" for number in range(3000)]


@pytest.fixture(scope="module")
def words() -> bytemill.Tokenizer:
    return bytemill.train([" ".join([*WORDS, "é", "漢字", "a"])], Word(), progress=False)


def test_every_key_has_a_slot_of_its_own() -> None:
    for count in (0, 1, 2, 7, 100, 3000):
        keys = [word.encode() for word in WORDS[:count]]
        found = perfect_hash(keys, range(count))
        assert [found.find(key) for key in keys] == list(range(count))
        assert len(found.slots) <= 1.25 * count + 1


def compiled(words: bytemill.Tokenizer, folder: Path, language: str) -> Path:
    """The example of a language, built with this vocabulary."""
    suffix, compiler, *options = {
        "c": ("h", "cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-o", "main", "main.c"),
        "rust": ("rs", "rustc", "--edition", "2021", "-D", "warnings", "-A", "dead_code", "-o", "main", "main.rs"),
    }[language]
    if shutil.which(compiler) is None:
        absent(f"there is no {compiler}")
    source = EXAMPLE / ("main.c" if language == "c" else "main.rs")
    shutil.copy(source, folder)
    (folder / f"vocabulary.{suffix}").write_text(bytemill.embed(words, language))  # type: ignore[arg-type]
    subprocess.run([compiler, *options], cwd=folder, check=True)
    return folder / "main"


@pytest.mark.parametrize("language", ["c", "rust"])
def test_a_compiled_vocabulary_finds_the_same_ids(language: str, words: bytemill.Tokenizer, tmp_path: Path) -> None:
    asked = [*WORDS, "é", "漢字", "a", "word", "word3000", "", "b", "<UNK>"]
    program = compiled(words, tmp_path, language)
    done = subprocess.run([program], input="".join(f"{word}\n" for word in asked).encode(), capture_output=True)
    expected = [words.token_to_id(word) for word in asked]
    assert [int(line) for line in done.stdout.split()] == [1 if id is None else id for id in expected]


def test_any_small_vocabulary_can_be_embedded() -> None:
    for spec in (Char(), BPE(262)):
        source = bytemill.embed(bytemill.train(["the cat sat on the mat " * 9], spec, progress=False), "c", name="own")
        assert "own_token_to_id" in source and "#define OWN_TOKENS" in source
    assert bytemill.embed(bytemill.train(["a"], BPE(256), progress=False)).count("UNK_ID: Option<u32> = None") == 1


def test_what_cannot_be_embedded_is_refused(words: bytemill.Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(errors.SpecError, match="did you mean 'rust'"):
        bytemill.embed(words, "rst")  # type: ignore[arg-type]
    with pytest.raises(errors.SpecError, match="name is a name in C"):
        bytemill.embed(words, name="a-b")
    monkeypatch.setattr("bytemill.embedding.MOST_TOKENS", 1000)
    with pytest.raises(errors.SpecError, match=r"3,007 tokens, and at most 1,000 can be embedded; a \.mill file"):
        bytemill.embed(words)
