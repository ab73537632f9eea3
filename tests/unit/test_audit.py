"""Licences are read as their expressions say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.audit import from_elsewhere, is_allowed, needed_packages, several, unlicensed, withdrawn


@pytest.mark.parametrize("expression", ["MIT", "MIT/Apache-2.0", "GPL-3.0 OR MIT", "(MIT OR GPL-3.0) AND Unicode-3.0"])
def test_allowed(expression: str) -> None:
    assert is_allowed(expression)


@pytest.mark.parametrize("expression", ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Apache-2.0) AND LGPL-2.1"])
def test_refused(expression: str) -> None:
    assert not is_allowed(expression)


def test_findings_name_the_crate() -> None:
    packages = [
        {"name": "a", "version": "1.0", "license": "GPL-3.0", "source": None},
        {"name": "b", "version": "1.0", "license": "MIT", "source": "git+https://example.com/b"},
        {"name": "b", "version": "2.0", "license": "MIT", "source": None},
    ]
    assert unlicensed(packages) == ["a 1.0: the licence is GPL-3.0"]
    assert from_elsewhere(packages) == ["b comes from git+https://example.com/b"]
    assert several(packages) == ["b is there in the versions 1.0, 2.0"]


def test_what_was_withdrawn_is_found_in_what_cargo_knows(tmp_path: Path) -> None:
    kept = tmp_path / "index.crates.io-1" / ".cache" / "se" / "rd"
    kept.mkdir(parents=True)
    said = [{"name": "serde", "vers": f"1.0.{n}", "cksum": "", "yanked": n == 1} for n in range(3)]
    (kept / "serde").write_bytes(b"\0".join(f"1.0.{n}\0{json.dumps(line)}".encode() for n, line in enumerate(said)))
    packages = [{"name": "serde", "version": f"1.0.{n}"} for n in range(3)] + [{"name": "pyo3", "version": "1.0.1"}]
    assert withdrawn(packages, tmp_path) == ["serde 1.0.1 was withdrawn from crates.io"]


def test_what_the_package_needs_has_a_licence_that_is_allowed() -> None:
    needed = needed_packages("bytemill")
    assert {"numpy", "click", "rich", "pygments"} <= {package["name"] for package in needed}
    assert unlicensed(needed) == []
