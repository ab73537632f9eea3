"""Fuzzing: attacks that make cases at random and check each against other libraries, against itself, or both.

An attack is a module with two functions: `make(rng)` gives a case as plain data, and `check(case)` raises what is wrong
with it or says what became of it. Cases that were found are in `found`, and are run with the tests.
"""

from pathlib import Path

FOUND = Path(__file__).parent / "found"

from . import calls, files, folders, huggingface, sentencepieces, tiktokens  # noqa: E402

ATTACKS = {
    "tokenizer-json": huggingface,
    "sentencepiece": sentencepieces,
    "tiktoken": tiktokens,
    "files": files,
    "folders": folders,
    "calls": calls,
}
