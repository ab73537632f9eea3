"""Licences are read as their expressions say."""

from __future__ import annotations

import pytest

from tests.audit import from_elsewhere, is_allowed, several, unlicensed


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
