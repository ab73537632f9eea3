"""The API reference is made of docstrings: each public name has one and is listed, and the examples in them run."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import bytemill
from bytemill import _core

from ..conftest import ROOT

#: Run elsewhere (reference), or made for one call in a terminal (cli).
NOT_HERE = ("bytemill.reference", "bytemill.cli", "bytemill.__main__", "bytemill._core")


def modules() -> list[str]:
    found = pkgutil.walk_packages(bytemill.__path__, "bytemill.")
    return ["bytemill", *(module.name for module in found if not module.name.startswith(NOT_HERE))]


@pytest.mark.parametrize("name", modules())
def test_examples_in_docstrings_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # Some examples write files.
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_some_examples_were_found() -> None:
    finder = doctest.DocTestFinder()
    assert sum(len(test.examples) for test in finder.find(bytemill.BPE)) > 2


def test_every_public_name_is_in_the_reference() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    listed = {line.removeprefix("::: bytemill.") for line in page.splitlines() if line.startswith("::: ")}
    # What modules hold is listed with them or by itself; `Code` is listed with the other pretokenizers.
    assert {name.partition(".")[0] for name in listed} == set(bytemill.__all__) - {"__version__", "Code"}


def without_docstring(kind: ast.ClassDef, name: str) -> Iterator[str]:
    """Public methods and properties of a class that say nothing."""
    for member in kind.body:
        if isinstance(member, ast.FunctionDef) and not member.name.startswith("_") and not ast.get_docstring(member):
            overloaded = any(isinstance(mark, ast.Name) and mark.id == "overload" for mark in member.decorator_list)
            if not overloaded:
                yield f"{name}.{member.name}"


def test_compiled_classes_have_their_docstrings_in_the_stub() -> None:
    tree = ast.parse((ROOT / "python" / "bytemill" / "_core.pyi").read_text(encoding="utf-8"))
    compiled = {kind.name: kind for kind in tree.body if isinstance(kind, ast.ClassDef)}
    # Others share the name of a public class in Python, which has what they have.
    public = [
        kind
        for name, kind in compiled.items()
        if name in bytemill.__all__ and issubclass(getattr(bytemill, name), getattr(_core, name))
    ]
    assert {kind.name for kind in public} >= {"Tokenizer", "Encoding", "DecodeStream"}
    overridden = set(vars(bytemill.Tokenizer))
    silent = [name for kind in public for name in without_docstring(kind, kind.name)]
    assert [name for name in silent if name.removeprefix("Tokenizer.") not in overridden] == []


def test_everything_in_python_has_a_docstring() -> None:
    silent = []
    for name in set(bytemill.__all__) - {"__version__"}:
        public = getattr(bytemill, name)
        if not inspect.getdoc(public):
            silent.append(name)
        if inspect.isclass(public) and public.__module__.startswith("bytemill.") and "_core" not in public.__module__:
            own = {key: member for key, member in vars(public).items() if not key.startswith("_")}
            callables = {
                key: member for key, member in own.items() if inspect.isroutine(member) or isinstance(member, property)
            }
            silent += [f"{name}.{key}" for key, member in callables.items() if not inspect.getdoc(member)]
    assert silent == []
