"""Abuse: everything that is public, called with arguments that nobody should pass.

Each call returns, or raises what a user can read.

Arguments are written as expressions, so that a case is plain data. Paths are names in a folder of its own.
"""

from __future__ import annotations

import asyncio
import inspect
import random
import warnings
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import bytemill
from bytemill.compat.tokenizers._encoding import PanicException
from bytemill.errors import BytemillError

from .files import trained
from .folders import folder
from .subjects import SUBJECTS, names_of, parameters_of, subject_of
from .tally import done

Json = dict[str, Any]

TOKENIZERS = 5
#: How many calls a round makes.
CALLS = 40
#: They start a server, or ask the network.
LEFT_OUT = {"push_to_hub", "playground"}


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


class Word(str):
    """A text that is not what it seems."""

    def encode(self, *_: Any) -> bytes:
        raise ZeroDivisionError

    __len__ = __iter__ = __getitem__ = encode  # type: ignore[assignment]


class Whole(int):
    """A number that is not what it seems."""

    def __index__(self) -> int:
        raise ZeroDivisionError

    __add__ = __eq__ = __lt__ = __index__  # type: ignore[assignment]
    __hash__ = int.__hash__


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
ARRAYS += ["np.broadcast_to(np.uint32(5), (4,))", "np.arange(9, dtype=np.uint32)[::-2]", "np.array([1, 2], object)"]
ARRAYS += ["np.frombuffer(bytes(13), np.uint32, 3, 1)", "np.array([1, 2], complex)", "np.array([True, False])"]
ARRAYS += ["np.array([1, 2], 'M8[s]')", "np.zeros(2, 'u4,u2')", "np.array([1, None])", "np.array([2.0], np.float16)"]
ARRAYS += [
    "np.ma.array([1, 2], mask=[1, 0])",
    "np.asfortranarray(np.arange(6).reshape(2, 3))",
    "np.array([-1], np.int8)",
]
ARRAYS += [
    "np.array([-1], np.int64)",
    "np.array([2**64 - 1], np.uint64)",
    "np.zeros((0, 3), np.uint32)",
    "memoryview(np.arange(4))[::2]",
]
LISTS = ["[]", "[1, 2, 3]", "[5, -1]", "[2**33]", "[None]", "[[1], [2]]", "['the', 'cat']", "[b'the', 'a']", "('a',)"]
LISTS += ["{'a': 1}", "{1, 2}", "iter('ab')", "iter([1, 2])", "range(3)", "[['a', 'b'], ['c']]", "[True, 2.0]"]
OTHERS = [
    "Word('the cat')",
    "Whole(3)",
    "calls_back",
    "raises",
    "other",
    "slice(0, 9)",
    "(0, 2)",
    "(3, -1)",
    "{'a': 0}",
]
OTHERS += ["[('a', 'b')]", "'a.mill'", "'tokenizer.json'", "'texts.txt'", "[float('nan')]", "bytemill.BPE(262)"]
OTHERS += ["None", "object()", "Raising()", "Reentrant(tok)", "tok", "len", "...", "int", "'all'", "'none'", "'refuse'"]
VALUES = [*TEXTS, *TEXTS, *NUMBERS, *ARRAYS, *LISTS, *OTHERS]

#: What may be raised. `ZeroDivisionError` is that of the arguments above, a text may be taken for a path, and there may
#: be no room for what is asked for.
ALLOWED = (TypeError, ValueError, OverflowError, LookupError, AttributeError, ZeroDivisionError, OSError, MemoryError)
#: A stream of ids ends so where `__next__` is called.
ALLOWED += (StopIteration,)
ALLOWED_OF_SHIMS = (RuntimeError, NotImplementedError, AssertionError)
SHIMS = ("tokenizers", "sentencepiece", "tiktoken", "cs336")


#: What a parameter of a name is meant to get, so that a call gets far enough for the others to matter.
MEANT = {
    "source": ["['the cat', 'a bab']"],
    "sources": ["'texts.txt'", "['texts.txt']"],
    "spec": [
        "bytemill.BPE(262)",
        "bytemill.Char()",
        "bytemill.Unigram(20)",
        "bytemill.WordPiece(30)",
        "bytemill.Word()",
    ],
    "tokenizer": ["tok"],
    "tokenizers": ["[tok, other]"],
    "other": ["other"],
    "text": ["'the cat'"],
    "texts": ["['the cat', '']"],
    "documents": ["['the cat', '']"],
    "on": ["['the cat']"],
    "ids": ["[1, 2, 3]", "np.array([3, 4])"],
    "tokens": ["['ca', 'at']", "[3, 4]"],
    "names": ["{'<x>': '<y>'}"],
    "vocab_size": ["264"],
    "pattern": ["'gpt2'", "'a+'"],
    "path": ["'a.mill'", "'texts.txt'", "'tokens.bin'"],
    "output": ["'o.bin'", "'o.npy'"],
    "format": ["'mill'", "'tokenizer.json'"],
    "data": ["tok.to_bytes('mill')", "tok.to_bytes('tokenizer.json')"],
    "matrix": ["np.ones((300, 2))"],
    "span": ["(0, 2)"],
    "language": ["'python'"],
    "progress": ["False", "calls_back", "raises"],
    "__vocab": ["{'a': 0, 'b': 1}"],
    "vocab": ["{'a': 0, 'b': 1}"],
    "merges": ["[('a', 'b')]"],
}
#: How often an argument is what it is meant to be.
RIGHT = 0.6


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
    call = random_method(rng) if rng.random() < 0.4 else random_use(rng)
    return {"tokenizer": rng.randrange(TOKENIZERS), **call}


def random_method(rng: random.Random) -> Json:
    """Of a tokenizer, with anything at all."""
    name, parameters = rng.choice(methods())
    count = rng.choice([0, 1, 1, 1, 2, 3])
    named = rng.sample(parameters, k=min(len(parameters), rng.choice([0, 0, 1, 1, 2])))
    arguments = [rng.choice(VALUES) for _ in range(count)]
    return {"method": name, "arguments": arguments, "named": {name: rng.choice(VALUES) for name in named}}


def random_use(rng: random.Random) -> Json:
    """Of anything else that is public: most of what must be given is right, and something is not."""
    subject = rng.choice(list(SUBJECTS))
    method = rng.choice(names_of(subject))
    parameters = parameters_of(getattr(subject_of(subject), method))
    arguments, named = [], {}
    for parameter in parameters:
        kind, needed = parameter.kind, parameter.default is parameter.empty
        if kind is parameter.VAR_KEYWORD or not (needed or rng.random() < 0.2):
            continue
        value = random_argument(rng, parameter.name)
        if kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL) or (needed and not named):
            arguments.append(value)
        elif kind is not parameter.POSITIONAL_ONLY:
            named[parameter.name] = value
    if not parameters or rng.random() < 0.1:
        arguments += [rng.choice(VALUES) for _ in range(rng.choice([0, 1, 1, 2]))]
    return {"on": subject, "method": method, "arguments": arguments, "named": named}


def random_argument(rng: random.Random, name: str) -> str:
    meant = MEANT.get(name.strip("_"))
    return rng.choice(meant) if meant and rng.random() < RIGHT else rng.choice(VALUES)


def check(case: Json) -> str:
    with warnings.catch_warnings(), folder() as where:
        warnings.simplefilter("ignore")
        outcomes = Counter(outcome(call, where) for call in case["calls"])
    return f"mostly {outcomes.most_common(1)[0][0]}" if outcomes else "no call"


def calls_back(*_: Any) -> None:
    """An argument that is called."""
    trained(1).encode("the cat")


def raises(*_: Any) -> None:
    raise ZeroDivisionError


def outcome(case: Json, where: Path) -> str:
    done["calls"] += 1
    tok, other = trained(case["tokenizer"]), trained((case["tokenizer"] + 1) % TOKENIZERS)
    (where / "texts.txt").write_text("the cat\n")
    names = {"np": np, "tok": tok, "other": other, "bytemill": bytemill, "calls_back": calls_back, "raises": raises}
    names |= {"Raising": Raising, "Reentrant": Reentrant, "Word": Word, "Whole": Whole}
    on = SUBJECTS[case["on"]]() if "on" in case else tok
    arguments = [eval(value, names) for value in case["arguments"]]
    named = {name: eval(value, names) for name, value in case["named"].items()}
    try:
        result = getattr(on, case["method"])(*arguments, **named)
        # What is lazy does its work here.
        if inspect.iscoroutine(result):
            result = asyncio.run(result)
        if hasattr(result, "__next__"):
            list(zip(range(1000), result, strict=False))
    except PanicException as error:  # That of the stand-in, whose library panics.
        return type(error).__name__
    except Exception as error:
        refuse_unreadable(error, shim=case.get("on", "").startswith(SHIMS))
        return type(error).__name__
    return "returned"


def refuse_unreadable(error: Exception, shim: bool) -> None:
    """Errors of the stand-ins are those of the libraries, which raise Exception and RuntimeError."""
    if "please report it" in str(error):
        raise error
    allowed = (*ALLOWED, *ALLOWED_OF_SHIMS) if shim else ALLOWED
    if not isinstance(error, (BytemillError, *allowed)) and not (shim and type(error) is Exception):
        raise error
