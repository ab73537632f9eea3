"""What the fuzzer found once stays right."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from ..conftest import need

need("tokenizers")
need("sentencepiece")
need("google.protobuf")
need("tiktoken")
need("xxhash")

from . import ATTACKS, FOUND  # noqa: E402

pytestmark = pytest.mark.peer


@pytest.mark.parametrize("path", sorted(FOUND.glob("*.json")), ids=lambda path: path.stem)
def test_found(path: Path) -> None:
    case = json.loads(path.read_text())
    outcome = ATTACKS[case.pop("attack")].check(case)
    assert "refused" not in outcome, outcome


@pytest.mark.parametrize("name", ATTACKS)
def test_some_rounds(name: str) -> None:
    for number in range(20):
        ATTACKS[name].check(ATTACKS[name].make(random.Random(f"{name} {number}")))
