"""Help and the manual: every command has an example, and docs/cli.md leaves nothing out."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import get_args

import click
import pytest

from bytemill import BPE, Char, SentencePiece, Unigram, Word, WordPiece, embedding, normalizers, pretokenizers, training
from bytemill._arguments.outputs import KEPT_TYPES
from bytemill._arguments.types import InputFormat
from bytemill.cli import exits, names
from bytemill.cli.app import COMMANDS, bytemill
from bytemill.cli.train_options import OPTIONS

MANUAL = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
FAMILIES = {
    "bpe": BPE,
    "wordpiece": WordPiece,
    "unigram": Unigram,
    "sentencepiece": SentencePiece,
    "word": Word,
    "char": Char,
}


def command(name: str) -> click.Command:
    found = bytemill.get_command(click.Context(bytemill), name)
    assert found is not None
    return found


def options(name: str) -> set[str]:
    parameters = command(name).params
    return {flag for option in parameters for flag in (*option.opts, *option.secondary_opts) if flag.startswith("--")}


@pytest.mark.parametrize("name", [None, *COMMANDS])
def test_help_has_an_example(invoke, name):
    code, out, _ = invoke(*([name] if name else []), "--help")
    assert code == 0
    assert re.search(r"Examples?:\n +(cat .* \| |zstd .* \| )?bytemill ", out)
    assert invoke("help", *([name] if name else []))[:2] == (0, out)


def test_summaries_are_whole_and_those_of_the_commands(invoke):
    shown = " ".join(invoke("--help")[1].split())
    for name, summary in COMMANDS.items():
        assert f"{name} {summary}" in shown
        assert (command(name).help or "").replace("\n", " ").startswith(summary)


def test_help_names_the_exit_codes(invoke):
    out = invoke("--help")[1]
    for code, meaning in exits.MEANING.items():
        assert re.search(rf"^ +{code} +{re.escape(meaning)}$", out, re.MULTILINE)


@pytest.mark.parametrize("name", list(COMMANDS))
def test_the_manual_has_every_option_and_an_example(name):
    section = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", MANUAL, re.MULTILINE | re.DOTALL)
    assert section is not None
    assert f"$ bytemill {name}" in section[1] or f"| bytemill {name}" in section[1]
    missing = {option for option in options(name) if f"`{option}" not in section[1]}
    assert not missing


def test_the_manual_has_every_exit_code():
    for code in exits.MEANING:
        assert re.search(rf"^\| {code} \|", MANUAL, re.MULTILINE)


def test_every_option_of_a_family_can_be_typed():
    for name, spec in FAMILIES.items():
        reachable = {option.keyword for option in OPTIONS if not option.families or name in option.families}
        missing = {field.name for field in dataclasses.fields(spec) if field.init} - reachable
        told = {option for option in missing if f"`{option}`" in MANUAL.split("Python only", 1)[1]}
        assert missing == told, name


def test_names_are_those_of_the_library():
    assert set(names.FAMILIES) == set(FAMILIES)
    assert set(names.NORMALIZERS) == set(normalizers.NAMED)
    assert set(names.PRETOKENIZERS) == set(pretokenizers.NAMED)
    assert get_args(training.Ties) == names.TIES
    assert get_args(training.Score) == names.SCORES
    assert get_args(embedding.SourceLanguage) == names.SOURCE_LANGUAGES
    assert get_args(training.EndOfWord) == names.ENDS_OF_WORDS
    assert get_args(training.SentencePieceModel) == names.MODELS
    assert get_args(training.Normalization) == names.NORMALIZATIONS
    assert get_args(pretokenizers.Marker) == names.MARKERS
    assert set(names.INPUT_FORMATS) == set(re.findall(r"\w+", InputFormat.split("[")[1]))
    assert names.KEPT_TYPES == KEPT_TYPES
    for format in names.FORMATS:
        with pytest.raises(Exception, match=r"^(?!.*unknown format)"):
            training.train(["a"], Word(), progress=False).to_bytes(f"{format}?")


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_version(invoke, flag):
    import bytemill

    assert invoke(flag) == (0, f"bytemill {bytemill.__version__}\n", "")


def test_version_with_what_it_runs_on(invoke):
    import bytemill

    found = bytemill.features()
    assert invoke("version")[1] == f"bytemill {bytemill.__version__}\n"
    _, out, _ = invoke("version", "-v")
    assert f"simd      {found.simd}\n" in out and f"threads   {found.threads}\n" in out
    assert found.simd in ("avx512", "avx2", "neon", "swar") and found.threads >= 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(invoke, shell):
    code, out, _ = invoke("completion", shell)
    assert code == 0 and "_BYTEMILL_COMPLETE" in out
    assert "known: bash, fish, zsh" in invoke("completion", "tcsh")[2]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("bytemill tr", "train"), ("bytemill encode --app", "--append-id"), ("bytemill train --family un", "unigram")],
)
def test_what_is_typed_is_completed(process, typed, offered):
    words = typed.split()
    done = process(_BYTEMILL_COMPLETE="bash_complete", COMP_WORDS=typed, COMP_CWORD=str(len(words) - 1))
    assert f"plain,{offered}" in done.stdout.decode().splitlines()
