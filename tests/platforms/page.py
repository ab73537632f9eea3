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
runs the tests of what touches the interpreter's objects on the interpreters that are named. No interpreter without a
lock was at hand: none was tried.

| interpreter | platform | tests |
|---|---|---|
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
    parts = [START + interpreters, machines and MACHINES + machines, memory and MEMORY + memory, END]
    print("".join(parts), end="")


if __name__ == "__main__":
    main()
