"""Help and the manual: every command has an example, and docs/cli.md leaves nothing out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer.main

from bytemill.cli import exits
from bytemill.cli.app import app

COMMANDS = ["train", "count-pieces", "merge-counts", "encode", "decode", "count", "inspect", "convert", "demo"]
MANUAL = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")


def options(command: str) -> set[str]:
    parameters = typer.main.get_command(app).commands[command].params  # type: ignore[attr-defined]
    return {name for parameter in parameters for name in parameter.opts if name.startswith("--")}


def test_the_commands_are_these():
    assert list(typer.main.get_command(app).commands) == COMMANDS  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_help_has_an_example(invoke, command):
    code, out, _ = invoke(*([command] if command else []), "--help")
    assert code == 0
    assert re.search(r"Examples?:\n +bytemill ", out)


def test_help_names_the_exit_codes(invoke):
    out = invoke("--help")[1]
    for code, meaning in exits.MEANING.items():
        assert re.search(rf"^ +{code} +{re.escape(meaning)}$", out, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_manual_has_every_option_and_an_example(command):
    section = re.search(rf"^## {command}\n(.*?)(?=^## |\Z)", MANUAL, re.MULTILINE | re.DOTALL)
    assert section is not None
    assert f"$ bytemill {command}" in section[1] or f"| bytemill {command}" in section[1]
    missing = {name for name in options(command) if f"`{name}" not in section[1]}
    assert not missing


def test_the_manual_has_every_exit_code():
    for code in exits.MEANING:
        assert re.search(rf"^\| {code} \|", MANUAL, re.MULTILINE)


def test_version(invoke):
    import bytemill

    assert invoke("--version") == (0, f"bytemill {bytemill.__version__}\n", "")
