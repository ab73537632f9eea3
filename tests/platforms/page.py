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

The wheel is not for free-threaded interpreters: they do not load a library that was built for the stable ABI of 3.10,
and pip does not install it there. None was at hand, so none was tried. This is what reading the code for one showed:

- A tokenizer does not change after it is made. It remembers pieces in tables of atomic slots, and locks guard its pools
  of scratch memory. Each session has a lock of its own. Several threads use all of these at the same time even today,
  because most calls release the interpreter's lock.
- Iterators and streams change when they are used. Two threads that use one at the same time get an exception, as PyO3
  keeps count of borrowers.
- The shared integers of ids are put into their table by an atomic exchange: the thread that comes second drops its own.
- Two places need the lock. Lists are read where they lie (`layout.rs`); objects of a free-threaded interpreter have
  other sizes, so that the self-check fails and the public API is used. That reads the items of a list without counting
  references (`ids.rs`), which is safe only as long as no other thread can change the list. A build for a free-threaded
  interpreter has to count them.
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
    machines = rows("machines", ("how", "outcome"))
    memory = rows("memory", ("how", "outcome"))
    # What was not run yet is not on the page.
    parts = [START + interpreters + WITHOUT_A_LOCK, machines and MACHINES + machines, memory and MEMORY + memory, END]
    print("".join(parts), end="")


if __name__ == "__main__":
    main()
