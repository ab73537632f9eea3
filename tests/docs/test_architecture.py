"""docs/architecture.md names every folder of sources, and every path that pages about the code name is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..conftest import ROOT

PAGE = ROOT / "docs" / "architecture.md"
CORE = ROOT / "crates" / "bytemill" / "src"
#: Where paths may start: those of the core are written without its folder.
BASES = [ROOT, CORE, ROOT / "crates" / "bytemill-python" / "src", ROOT / "python" / "bytemill"]
#: Made by its reader or by the build, or written as a pattern.
NOT_THERE = {".ci/run", "../shared", "format/NAME.rs"}
SOURCES = {".rs", ".py", ".c"}
#: Pages that keep reasons and proofs.
REASONS = [ROOT / "docs" / "design.md", *sorted((ROOT / "docs" / "algorithms").glob("*.md"))]


def paths(page: Path) -> Iterator[str]:
    """What stands in backticks and looks like a path: it has a slash, or ends as a source file does."""
    text = re.sub(r"(?ms)^```.*?^```$", "", page.read_text(encoding="utf-8"))
    for name in re.findall(r"`([\w./*-]+)`", text):
        if re.search(r"\w/|\.(rs|py|toml)$", name):
            yield name


def source_folders() -> Iterator[str]:
    for base in (*ROOT.glob("crates/*/src"), ROOT / "python" / "bytemill"):
        for folder in (base, *filter(Path.is_dir, base.rglob("*"))):
            if any(file.suffix in SOURCES and file.stem != "tests" for file in folder.iterdir()):
                yield f"{folder.relative_to(CORE if CORE in folder.parents else ROOT)}/"


def test_every_folder_of_sources_is_named() -> None:
    missing = set(source_folders()) - set(paths(PAGE))
    assert not missing, f"docs/architecture.md does not name {sorted(missing)}"


@pytest.mark.parametrize("page", [PAGE, ROOT / "CONTRIBUTING.md", *REASONS], ids=lambda page: page.name)
def test_every_path_that_is_named_is_there(page: Path) -> None:
    gone = {name for name in paths(page) if name not in NOT_THERE and not any((base / name).exists() for base in BASES)}
    assert not gone, f"{page.name} names {sorted(gone)}, which are not there"


@pytest.mark.parametrize("page", REASONS, ids=lambda page: page.name)
def test_measurements_are_on_dated_pages(page: Path) -> None:
    found = re.findall(r".*\b\d+ (?:%|ms|ns|µs)\W.*", page.read_text(encoding="utf-8"))
    assert not found, f"{page.name}: a share or a time belongs into docs/experiments: {found}"
