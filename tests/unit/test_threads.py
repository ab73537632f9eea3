"""Threads that use the same objects at the same time: what comes out is right, or it is an exception; never a crash.

With the interpreter's lock there is little that could go wrong. `make test-freethreaded` runs this without one.
"""

from __future__ import annotations

import contextlib
import gc
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bytemill
from bytemill import _core
from bytemill.compat import tokenizers
from bytemill.results.ragged import Ragged
from tests.effort import ALL
from tests.samples import TEXTS, chars

#: How long each test goes on.
SECONDS = 2.0 if ALL else 0.08
#: Threads for each kind of work.
EACH = 4
#: What PyO3 raises where a thread uses what another is changing.
IN_USE = "Already (mutably )?borrowed"


@pytest.fixture(autouse=True)
def threads_take_turns_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.fixture(scope="module")
def tok() -> bytemill.Tokenizer:
    return bytemill.train(TEXTS * 3, bytemill.BPE(360), progress=False, special_tokens=["<EOS>"])


def together(*works: Callable[[], object], seconds: float = SECONDS) -> None:
    """Does each again and again in several threads until the time is over. What one of them raises is raised."""
    ready, failed = threading.Barrier(EACH * len(works)), []

    def repeat(work: Callable[[], object]) -> None:
        ready.wait()
        end = time.monotonic() + seconds
        try:
            while not failed and time.monotonic() < end:
                work()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=repeat, args=(work,)) for work in works for _ in range(EACH)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def equal(make: Callable[[], Any]) -> Callable[[], None]:
    """Work whose result is always that of the first time."""
    expected = make()

    def check() -> None:
        assert make() == expected

    return check


def allowing(kind: type[Exception], words: str, work: Callable[[], object]) -> Callable[[], None]:
    """Work that may raise this."""

    def tolerant() -> None:
        try:
            work()
        except kind as error:
            assert re.search(words, str(error)), error

    return tolerant


def test_importing_leaves_the_lock_as_it_is() -> None:
    if not hasattr(sys, "_is_gil_enabled"):
        pytest.skip("this version of Python has no interpreter without a lock")
    code = "import sys; before = sys._is_gil_enabled(); import bytemill; assert sys._is_gil_enabled() == before"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_a_tokenizer(tok: bytemill.Tokenizer) -> None:
    long = " ".join(TEXTS) * 20
    ids = tok.encode(long)
    together(
        equal(lambda: [tok.encode(text) for text in TEXTS]),
        equal(lambda: tok.encode(long)),
        equal(lambda: tok.decode(ids)),
        equal(lambda: tok.encode_batch(TEXTS, threads=2).to_list()),
        equal(lambda: tok.encode_batch(TEXTS).pad(value=0).tolist()),
        equal(lambda: [encoding.ids for encoding in tok.inputs(TEXTS, threads=2)]),
        equal(lambda: [tok(text, offsets=True).offsets for text in TEXTS]),
        equal(lambda: list(tok.encode_iterable(TEXTS))),
        equal(lambda: tok.decode_batch(tok.encode_batch(TEXTS))),
        equal(lambda: (tok.fingerprint, tok.vocab(), tok.merges())),
        gc.collect,
    )


def changes(items: list[Any], new: Callable[[], Any]) -> Callable[[], None]:
    """Work that changes a list in every way."""
    ways: list[Callable[[], object]] = [
        lambda: items.append(new()),
        lambda: items.extend([new() for _ in range(50)]),
        lambda: items.insert(len(items) // 2, new()),
        lambda: items.__setitem__(slice(1, 5), [new()]),
        lambda: items.__setitem__(0, new()),
        lambda: items.pop(),
        lambda: items.__delitem__(slice(3, 40)),
        items.reverse,
        items.clear,
    ]

    def change() -> None:
        with contextlib.suppress(IndexError):  # It is empty.
            random.choice(ways)()

    return change


def test_a_list_of_ids_that_others_change(tok: bytemill.Tokenizer) -> None:
    # Integers that are not shared, so that one that was taken from the list is freed.
    ids: list[int] = []
    known = range(300, 360)
    parts = set(tok.decode_bytes(list(known)))

    def copy() -> None:
        assert set(_core._copied_ids(ids, False) or []) <= set(known)

    def decode() -> None:
        assert set(tok.decode_bytes(ids)) <= parts

    def push() -> None:
        tok.stream(prefix=ids)

    together(copy, decode, push, changes(ids, lambda: random.choice(known)))


def test_a_list_with_what_is_no_id(tok: bytemill.Tokenizer) -> None:
    class Index:
        def __index__(self) -> int:
            ids.append(301)
            return 300

    ids: list[Any] = []
    some: tuple[Callable[[], Any], ...] = (lambda: 300, Index, lambda: 2**40, lambda: np.uint32(5))
    decode = allowing(bytemill.errors.UnknownIdError, "ids are 0 to", lambda: tok.decode(ids))
    together(decode, changes(ids, lambda: random.choice(some)()))


def test_a_list_of_texts_that_others_change(tok: bytemill.Tokenizer) -> None:
    texts: list[str] = []
    rows = {tuple(tok.encode(text)) for text in TEXTS}

    def encode() -> None:
        assert {tuple(row) for row in tok.encode_batch(texts, threads=2).to_list()} <= rows

    def inputs() -> None:
        assert {tuple(encoding.ids) for encoding in tok.inputs(texts)} <= rows

    # Each is made anew, so that one that was taken from the list is freed.
    together(
        encode, inputs, lambda: tok.count_batch(texts), changes(texts, lambda: "".join(list(random.choice(TEXTS))))
    )


def test_arrays_that_others_write_to(tok: bytemill.Tokenizer) -> None:
    ids = np.full(40_000, 300, np.uint32)
    rows = Ragged(ids, np.array([0, 5, 20, 40_000]))
    letters = set(tok.decode([300, 300]) + tok.decode([301, 301]))

    def decode() -> None:
        assert set(tok.decode(ids)) | set(tok.decode(ids[::3])) | set(tok.decode(ids[:30])) <= letters

    def listed() -> None:
        assert {id for row in rows.to_list() for id in row} <= {300, 301}

    def padded() -> None:
        assert set(rows[:2].pad(value=300).ravel().tolist()) <= {300, 301}

    def write() -> None:
        ids[:] = random.choice((300, 301))

    together(decode, listed, padded, write)


def test_borders_of_rows_that_others_write_to() -> None:
    rows = Ragged(np.arange(100, dtype=np.uint32), np.array([0, 50, 100]))

    def write() -> None:
        rows.offsets[1] = random.choice((-1, 50, 2**60))

    together(allowing(bytemill.errors.SpecError, "is not one of 100 ids", rows.to_list), write)


def test_a_session(tok: bytemill.Tokenizer) -> None:
    session = tok.session("the cat")

    def edit() -> None:
        session.append(random.choice(TEXTS))
        if session.length > 500:
            session.truncate(7)

    def look() -> None:
        fork = session.fork()
        assert fork.ids == tok.encode(fork.text)
        fork.append(" sat")
        assert fork.ids == tok.encode(fork.text)
        assert fork.count() == len(fork.ids)

    together(edit, look, lambda: (session.text, session.stable))


def test_a_stream(tok: bytemill.Tokenizer) -> None:
    stream = tok.stream()
    pushed = "the cat"
    [*ids] = tok.encode(pushed)
    letters = set(tok.decode(ids))

    def push() -> None:
        for id in ids:
            assert set(stream.push(id)) <= letters

    together(allowing(RuntimeError, IN_USE, push))
    assert set(stream.finish()) <= letters


def test_ids_of_a_text_in_parts(tok: bytemill.Tokenizer) -> None:
    parts = [random.choice(TEXTS) for _ in range(20_000 if ALL else 1000)]
    ids, taken = tok.encode_iterable(parts), []
    ended = threading.Event()

    def take() -> None:
        if not ended.is_set():
            id = next(ids, None)
            ended.set() if id is None else taken.append(id)

    together(allowing(RuntimeError, IN_USE, take))
    # In what order they were put there nobody knows.
    assert sorted([*taken, *ids]) == sorted(tok.encode("".join(parts)))


def test_documents_of_files(tmp_path: Path) -> None:
    lines = [f"line {number}" for number in range(2000)]
    (tmp_path / "lines.txt").write_text("\n".join(lines))
    how = (None, "text", "strict", "\n")
    documents, taken = _core.Documents([tmp_path / "lines.txt"], how), []

    def take() -> None:
        document = next(documents, None)
        if document is not None:
            taken.append(document[0])

    together(allowing(RuntimeError, IN_USE, take))
    taken.extend(document for document, _ in documents)
    assert sorted(taken) == sorted(lines)


def test_one_iterator_for_many_calls(tok: bytemill.Tokenizer) -> None:
    texts = iter(TEXTS * (2000 if ALL else 200))
    rows = {tuple(tok.encode(text)) for text in TEXTS}

    def encode() -> None:
        some = [text for text, _ in zip(texts, range(20), strict=False)]
        assert {tuple(row) for row in tok.encode_batch(iter(some)).to_list()} <= rows

    together(encode, lambda: tok.count_batch(text for text in TEXTS))


def test_ranks_that_others_change() -> None:
    ranks: dict[bytes, int] = {bytes([byte]): byte for byte in range(256)}

    def build() -> None:
        built = bytemill.Tokenizer.from_ranks(ranks, pattern=".")
        assert built.encode("a") == [97]

    def change() -> None:
        ranks[b"ab"] = 256
        ranks.pop(b"ab", None)

    together(build, change)


def test_special_tokens_that_others_change(tok: bytemill.Tokenizer) -> None:
    specials: set[str] = set()

    def change() -> None:
        specials.add("<EOS>")
        specials.discard("<EOS>")

    found, plain = tok.encode("a<EOS>"), tok.encode("a<EOS>", specials="none")

    def encode() -> None:
        assert tok.encode("a<EOS>", specials=specials) in (found, plain)

    together(allowing(RuntimeError, "[Ss]et changed size during iteration", encode), change)


def test_a_tokenizer_of_the_stand_in_that_grows() -> None:
    shared = tokenizers.Tokenizer.from_str(chars().to_bytes("tokenizer.json").decode())
    plain = shared.encode("the cat").ids
    number = iter(range(10**9))

    def grow() -> None:
        if shared.get_vocab_size() < 500:
            shared.add_tokens([f"<{next(number)}>"])

    def encode() -> None:
        assert shared.encode("the cat").ids == plain
        assert shared.decode(plain) == "the cat"

    together(grow, encode)
