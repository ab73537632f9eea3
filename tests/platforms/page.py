"""`python -m tests.platforms.page > docs/platforms.md`: the page of what ran where, from the record."""

from __future__ import annotations

import json

from . import RECORD

START = """# Platforms

This page is generated from the record of the runs below, by the targets that run them.

## Interpreters

One build for the stable ABI of CPython 3.10 serves every later version. It reads lists, integers and strings where
CPython keeps them. Before the first use it compares what it reads with what the public API says, on objects made for
that; where anything differs, it uses the public API alone. `make test-interpreters PYTHONS="python3.10 python3.14"`
runs the tests of what touches the interpreter's objects on the interpreters that are named. Versions 3.10 to 3.13 were
built from source; 3.14 and 3.15 are Debian's packages.

| interpreter | platform | tests |
|---|---|---|
"""

WITHOUT_A_LOCK = """
### Interpreters without a lock

Free-threaded CPython has no stable ABI before 3.15 and does not load the wheel above. The package is built for each of
its versions alone, from the same sources with the same options, and declares that it needs no lock: importing it leaves
the lock off. PyO3 supports 3.14 and later.

`make test-freethreaded` runs the tests of what touches the interpreter's objects, and those in which many threads use
the same objects (`tests/unit/test_threads.py`). `FREETHREADED=python3.14t` names the interpreter; without it, the
target compiles the newest source that Debian's archive gives into `.cache/`.

"""

#: As long as it is so.
NOT_SUPPORTED = """No run was on a version that PyO3 supports yet, since the archive did not give the source of one. The
release workflow makes a wheel for 3.14 only if the tests with many threads pass on it.

"""

WITHOUT_A_LOCK_TABLE = """| interpreter | platform | how | tests |
|---|---|---|---|
"""

WITHOUT_A_LOCK_END = """
What several threads can use at the same time:

- A tokenizer does not change after it is made. It remembers pieces in tables of atomic slots, and locks guard its pools
  of scratch memory. A session has a lock of its own. Encodings and counts do not change.
- Streams of decoding, `encode_iterable` and readers of documents change when they are used. If two threads use one at
  the same time, one of them gets a `RuntimeError`, as PyO3 keeps count of borrowers.
- A list may be changed by one thread while another decodes it. The list is locked while plain integers are read from
  it, so that these are the ids that it had at one time. After an item of another class, reading goes on with the list
  as it then is.
- An array of numpy is copied before it is used. If another thread writes to it meanwhile, some ids may be from before
  and some from after. Its shape and size must not be changed at such a time, as anywhere in numpy.
- A dictionary of ranks is copied, too. A set of special tokens that another thread changes may raise what Python raises
  for a set that changes while it is iterated over.

Two things are done in another way than with a lock. Lists, integers and texts are not read where they lie, because they
lie elsewhere and other threads may change them. The integers of ids are made for each list, because all threads would
count the references to shared ones in the same few places.
"""

MACHINES = """
## Machines

`make test-aarch64` compiles the core for 64-bit ARM and runs its tests in an emulator. `make test-musl` compiles it,
and Rust's own library, for Linux with the C library musl. Both take their compilers from packages of Debian, which
they unpack into a private folder. Pages of 4, 16 and 64 kB are allowed for; all machines below have pages of 4 kB.

| machine | how | tests |
|---|---|---|
"""

MEMORY = """
## Memory

`make test-valgrind` runs what fuzzing found, and some rounds of every attack, under valgrind's memcheck. Errors count
that happen in the package, not in Python or in the libraries that it is compared with.

| what | how | errors |
|---|---|---|
"""

END = """
## What differs between platforms

Encoding and decoding use integers, and for Unigram the addition and comparison of floating-point numbers, which
IEEE 754 defines to the last bit: ids are the same everywhere. Training of BPE, WordPiece, words and characters uses
integers. Training of Unigram uses `exp` and `ln` of the platform's C library, which may differ in the last bit between
C libraries (glibc, musl, Apple's, Microsoft's). Two trainings on the same platform are equal for any number of threads;
on different platforms, pieces with nearly the same score may be kept or dropped differently.
"""


def rows(kind: str, columns: tuple[str, ...]) -> str:
    record = json.loads(RECORD.read_text(encoding="utf-8")).get(kind, {})
    return "".join(f"| {name} | {' | '.join(row[column] for column in columns)} |\n" for name, row in record.items())


def main() -> None:
    interpreters = rows("interpreters", ("platform", "outcome"))
    free = rows("freethreaded", ("platform", "how", "outcome"))
    machines = rows("machines", ("how", "outcome"))
    memory = rows("memory", ("how", "outcome"))
    # What was not run yet is not on the page.
    parts = [
        START + interpreters + WITHOUT_A_LOCK,
        "" if "PyO3 as it is" in free else NOT_SUPPORTED,
        free and WITHOUT_A_LOCK_TABLE + free,
        WITHOUT_A_LOCK_END,
        machines and MACHINES + machines,
        memory and MEMORY + memory,
        END,
    ]
    print("".join(parts), end="")


if __name__ == "__main__":
    main()
