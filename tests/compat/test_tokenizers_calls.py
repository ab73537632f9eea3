"""Single calls, a line each, on `tokenizers` and on its stand-in."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

from .both import LETTERS, VOCAB, letters, pair, same

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore")]

CALLS = (Path(__file__).parent / "tokenizers_calls.txt").read_text("utf-8").splitlines()
NAMES = {"tok": letters, "encs": pair, "V": LETTERS, "V2": VOCAB, "pickle": pickle, "copy": copy, "np": np}


@pytest.mark.parametrize("call", CALLS)
def test_a_call(call: str) -> None:
    same(eval(f"lambda m: {call.encode().decode('unicode_escape') if chr(92) in call else call}", dict(NAMES)))
