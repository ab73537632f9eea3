"""Abuse: every public method of a tokenizer with arguments that nobody should pass.

Each call returns, or raises what a user can read.

Arguments are written as expressions, so that a case is plain data. Methods that write files are left out.
"""

from __future__ import annotations

import asyncio
import inspect
import random
from collections import Counter
from functools import cache
from typing import Any

import numpy as np

import bytemill
from bytemill.errors import BytemillError

from .files import trained
from .tally import done

Json = dict[str, Any]

TOKENIZERS = 5
#: How many calls a round makes.
CALLS = 40
#: They take paths, or start a server.
LEFT_OUT = {"save", "save_pretrained", "encode_files", "count_files", "write_files", "push_to_hub", "playground"}


class Raising:
    """An argument whose every use fails."""

    def __iter__(self) -> Any:
        raise ZeroDivisionError

    def __index__(self) -> int:
        raise ZeroDivisionError

    def __len__(self) -> int:
        raise ZeroDivisionError

    def __str__(self) -> str:
        raise ZeroDivisionError

    __repr__ = __fspath__ = __bool__ = __float__ = __getitem__ = __eq__ = __str__  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


class Reentrant:
    """An iterable that uses the tokenizer while it is read."""

    def __init__(self, tok: bytemill.Tokenizer) -> None:
        self.tok = tok

    def __iter__(self) -> Any:
        for text in ("the cat", "a bab"):
            yield "".join(self.tok.tokenize(text))
            yield from self.tok.encode_iterable([text])


TEXTS = ["'the cat'", "''", "'a\\0b'", "'a\\ud800'", "b'caf\\xe9'", "b'the'", "'x' * 5000", "bytearray(b'the')"]
NUMBERS = ["0", "1", "-1", "7", "2**31", "2**32", "2**63", "2**64", "-2**70", "True", "0.5", "-0.0", "1e308"]
NUMBERS += ["float('nan')", "float('inf')", "np.int8(-3)", "np.float32(2)", "np.uint64(2**63)"]
ARRAYS = ["np.arange(6)[::2]", "np.arange(6)[::-1]", "np.zeros((2, 2), int)", "np.array([1.5])", "np.array(['a'])"]
ARRAYS += [
    "np.array([2**40])",
    "np.array(7)",
    "np.array([], np.uint16)",
    "np.arange(4, dtype='>u4')",
    "memoryview(b'ab')",
]
LISTS = ["[]", "[1, 2, 3]", "[5, -1]", "[2**33]", "[None]", "[[1], [2]]", "['the', 'cat']", "[b'the', 'a']", "('a',)"]
LISTS += ["{'a': 1}", "{1, 2}", "iter('ab')", "iter([1, 2])", "range(3)", "[['a', 'b'], ['c']]", "[True, 2.0]"]
OTHERS = ["None", "object()", "Raising()", "Reentrant(tok)", "tok", "len", "...", "int", "'all'", "'none'", "'refuse'"]
VALUES = [*TEXTS, *TEXTS, *NUMBERS, *ARRAYS, *LISTS, *OTHERS]

#: What may be raised. `ZeroDivisionError` is that of the arguments above, a text may be taken for a path, and there may
#: be no room for what is asked for.
ALLOWED = (TypeError, ValueError, OverflowError, LookupError, AttributeError, ZeroDivisionError, OSError, MemoryError)


@cache
def methods() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Public methods with the names of their parameters."""
    found = []
    for name in dir(bytemill.Tokenizer):
        method = getattr(bytemill.Tokenizer, name)
        if name in LEFT_OUT or not callable(method) or (name.startswith("_") and name != "__call__"):
            continue
        try:
            parameters = inspect.signature(method).parameters
        except ValueError:
            continue
        kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        found.append((name, tuple(p.name for p in parameters.values() if p.kind in kinds and p.name != "self")))
    return tuple(found)


def make(rng: random.Random) -> Json:
    return {"calls": [random_call(rng) for _ in range(CALLS)]}


def random_call(rng: random.Random) -> Json:
    name, parameters = rng.choice(methods())
    count = rng.choice([0, 1, 1, 1, 2, 3])
    named = rng.sample(parameters, k=min(len(parameters), rng.choice([0, 0, 1, 1, 2])))
    return {
        "tokenizer": rng.randrange(TOKENIZERS),
        "method": name,
        "arguments": [rng.choice(VALUES) for _ in range(count)],
        "named": {parameter: rng.choice(VALUES) for parameter in named},
    }


def check(case: Json) -> str:
    outcomes = Counter(outcome(call) for call in case["calls"])
    return f"mostly {outcomes.most_common(1)[0][0]}" if outcomes else "no call"


def outcome(case: Json) -> str:
    done["calls"] += 1
    tok = trained(case["tokenizer"])
    names = {"np": np, "tok": tok, "Raising": Raising, "Reentrant": Reentrant}
    arguments = [eval(value, names) for value in case["arguments"]]
    named = {name: eval(value, names) for name, value in case["named"].items()}
    try:
        result = getattr(tok, case["method"])(*arguments, **named)
        # What is lazy does its work here.
        if inspect.iscoroutine(result):
            result = asyncio.run(result)
        if hasattr(result, "__next__"):
            list(zip(range(1000), result, strict=False))
    except BytemillError as error:
        if "please report it" in str(error):
            raise
        return type(error).__name__
    except ALLOWED as error:
        return type(error).__name__
    return "returned"
