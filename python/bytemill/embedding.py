"""A vocabulary as source code: tables for Rust or C, with a perfect hash that finds the id of a token in one probe.

For programs that cannot load files or must start at once, and whose vocabulary is small and does not change. The hash
is built here, by trying displacements; the generated code only computes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from ._arguments import checks
from .errors import SpecError

if TYPE_CHECKING:
    from .tokenizer import Tokenizer

SourceLanguage = Literal["rust", "c"]

#: More tokens make source files of many megabytes, which compilers are slow to read: load a `.mill` file instead.
MOST_TOKENS = 1 << 16
#: Tokens in a bucket on average, and slots for each four tokens: larger tables are found sooner.
_BUCKET, _SLOTS = 4, 5
_EMPTY = 0xFFFF_FFFF
_BASIS, _PRIME, _SPREAD = 0xCBF2_9CE4_8422_2325, 0x100_0000_01B3, 0x9E37_79B1


@dataclass(frozen=True)
class PerfectHash:
    """Finds the number of a key without a collision: `slots[slot(key)]`."""

    seed: int
    displacements: list[int]
    slots: list[int]

    def find(self, key: bytes) -> int:
        """The number in the slot of a key, whether or not it is that key's; `_EMPTY` if there is none."""
        bucket, rest = _hashed(key, self.seed, len(self.displacements))
        return self.slots[_slot(rest, self.displacements[bucket], len(self.slots))]


def perfect_hash(keys: Sequence[bytes], numbers: Sequence[int]) -> PerfectHash:
    """Builds the hash of keys that are all different, each with its number.

    >>> found = perfect_hash([b"low", b"est"], [7, 8])
    >>> found.find(b"low"), found.find(b"est")
    (7, 8)
    """
    buckets = -(-len(keys) // _BUCKET) or 1
    slots = len(keys) * _SLOTS // _BUCKET + 1
    for seed in range(1 << 16):
        displacements = _displaced(keys, numbers, seed, [0] * buckets, [_EMPTY] * slots)
        if displacements is not None:
            return displacements
    raise SpecError("no perfect hash was found for these tokens; load a .mill file instead")


def _displaced(
    keys: Sequence[bytes], numbers: Sequence[int], seed: int, displacements: list[int], slots: list[int]
) -> PerfectHash | None:
    """Gives each bucket, the largest first, the first displacement that puts its keys into free slots."""
    members: dict[int, list[tuple[int, int]]] = {}
    for key, number in zip(keys, numbers, strict=True):
        bucket, rest = _hashed(key, seed, len(displacements))
        members.setdefault(bucket, []).append((rest, number))
    for bucket, inside in sorted(members.items(), key=lambda item: (-len(item[1]), item[0])):
        if len({rest for rest, _ in inside}) < len(inside):
            return None  # No displacement parts these two.
        for displacement in range(1 << 20):
            places = {_slot(rest, displacement, len(slots)) for rest, _ in inside}
            if len(places) == len(inside) and all(slots[place] == _EMPTY for place in places):
                break
        else:
            return None
        displacements[bucket] = displacement
        for rest, number in inside:
            slots[_slot(rest, displacement, len(slots))] = number
    return PerfectHash(seed, displacements, slots)


def _hashed(key: bytes, seed: int, buckets: int) -> tuple[int, int]:
    """The bucket of a key, and what its slot follows from: FNV-1a, folded."""
    hashed = _BASIS ^ seed
    for byte in key:
        hashed = (hashed ^ byte) * _PRIME & 0xFFFF_FFFF_FFFF_FFFF
    hashed ^= hashed >> 32
    return (hashed & 0xFFFF_FFFF) % buckets, hashed >> 32


def _slot(rest: int, displacement: int, slots: int) -> int:
    return ((rest ^ displacement) * _SPREAD & 0xFFFF_FFFF) % slots


def embed(tokenizer: Tokenizer, language: SourceLanguage = "rust", *, name: str = "vocabulary") -> str:
    """Returns the vocabulary of a tokenizer as source code, with functions from tokens to ids and back.

    The Rust module needs neither the standard library nor another crate; the C header needs C99. How a text is split
    into tokens is not part of it: this is for words and characters, and for tables of tokens that a program needs.

    Args:
        tokenizer: A tokenizer of at most 65,536 tokens.
        language: `"rust"` or `"c"`.
        name: What names in C begin with.

    Examples:
        >>> import bytemill
        >>> tok = bytemill.train(["the cat sat"], bytemill.Word(), progress=False)
        >>> print(*bytemill.embed(tok).splitlines()[:2], sep=chr(10))
        //! The vocabulary of a word tokenizer with 7 tokens, written by `bytemill embed`.
        //! `token_to_id` and `id_to_token` need no initialization: the hash is perfect, and everything is constant.
    """
    language_asked = checks.one_of("language", language, get_args(SourceLanguage))
    if not isinstance(name, str) or not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name):
        raise SpecError(f"name is a name in C, of letters, digits and underscores, not {name!r}")
    if tokenizer.vocab_size > MOST_TOKENS:
        raise SpecError(
            f"this vocabulary has {tokenizer.vocab_size:,} tokens, and at most {MOST_TOKENS:,} can be embedded; "
            "a .mill file is mapped into memory, and loads in milliseconds"
        )
    tokens = [tokenizer.id_to_bytes(id) or b"" for id in range(tokenizer.vocab_size)]
    # If two ids have the same token, text becomes the one that `token_to_id` gives.
    ids = [id for id, token in enumerate(tokens) if token and tokenizer.token_to_id(token) == id]
    table = _Table(tokenizer, tokens, perfect_hash([tokens[id] for id in ids], ids))
    return table.rust() if language_asked == "rust" else table.c(name)


@dataclass(frozen=True)
class _Table:
    tokenizer: Tokenizer
    tokens: list[bytes]
    hash: PerfectHash

    def constants(self) -> dict[str, str]:
        """What both languages write, by the names of the templates."""
        ends, end = [], 0
        for token in self.tokens:
            end += len(token)
            ends.append(end)
        return {
            "family": self.tokenizer.family,
            "tokens": str(len(self.tokens)),
            "total": str(max(end, 1)),
            "bytes": _rows(b"".join(self.tokens) or b"\0"),
            "ends": _rows(ends),
            "buckets": str(len(self.hash.displacements)),
            "displacements": _rows(self.hash.displacements),
            "slot_count": str(len(self.hash.slots)),
            "slots": _rows(self.hash.slots),
            "basis": f"0x{_BASIS ^ self.hash.seed:016x}",
            "prime": f"0x{_PRIME:x}",
            "spread": f"0x{_SPREAD:x}",
        }

    def rust(self) -> str:
        unk = self.tokenizer.unk_id
        return _filled(_RUST, self.constants() | {"unk": "None" if unk is None else f"Some({unk})"})

    def c(self, name: str) -> str:
        unk = self.tokenizer.unk_id
        own = {"name": name, "NAME": name.upper(), "unk": "-1" if unk is None else str(unk)}
        return _filled(_C, self.constants() | own)


def _rows(numbers: Iterable[int]) -> str:
    """Numbers in lines that fit a screen."""
    lines, line = [], "   "
    for number in numbers:
        if len(line) + len(str(number)) > 110:
            lines.append(line)
            line = "   "
        line += f" {number},"
    return "\n".join([*lines, line])


def _filled(template: str, values: dict[str, str]) -> str:
    return re.sub(r"@(\w+)@", lambda found: values[found[1]], template)


_RUST = """\
//! The vocabulary of a @family@ tokenizer with @tokens@ tokens, written by `bytemill embed`.
//! `token_to_id` and `id_to_token` need no initialization: the hash is perfect, and everything is constant.

/// The number of ids.
pub const TOKENS: usize = @tokens@;
/// The token for what the vocabulary does not have.
pub const UNK_ID: Option<u32> = @unk@;

/// The id of a token, or None.
pub fn token_to_id(token: &[u8]) -> Option<u32> {
    let mut hash: u64 = @basis@;
    for &byte in token {
        hash = (hash ^ byte as u64).wrapping_mul(@prime@);
    }
    hash ^= hash >> 32;
    let displacement = DISPLACEMENTS[(hash as u32 % @buckets@) as usize];
    let spread = ((hash >> 32) as u32 ^ displacement).wrapping_mul(@spread@);
    let id = SLOTS[(spread % @slot_count@) as usize];
    match id_to_token(id) {
        Some(found) if found == token => Some(id),
        _ => None,
    }
}

/// The token of an id, or None.
pub fn id_to_token(id: u32) -> Option<&'static [u8]> {
    let end = *ENDS.get(id as usize)? as usize;
    let start = if id == 0 { 0 } else { ENDS[id as usize - 1] as usize };
    if start < end { Some(&BYTES[start..end]) } else { None }
}

static BYTES: [u8; @total@] = [
@bytes@
];
static ENDS: [u32; TOKENS] = [
@ends@
];
static DISPLACEMENTS: [u32; @buckets@] = [
@displacements@
];
static SLOTS: [u32; @slot_count@] = [
@slots@
];
"""

_C = """\
/* The vocabulary of a @family@ tokenizer with @tokens@ tokens, written by `bytemill embed`.
   Both functions need no initialization: the hash is perfect, and everything is constant. */
#ifndef @NAME@_H
#define @NAME@_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The number of ids, and the token for what the vocabulary does not have (-1 if there is none). */
#define @NAME@_TOKENS @tokens@
#define @NAME@_UNK_ID (@unk@)

static const uint8_t @name@_bytes[@total@] = {
@bytes@
};
static const uint32_t @name@_ends[@tokens@] = {
@ends@
};
static const uint32_t @name@_displacements[@buckets@] = {
@displacements@
};
static const uint32_t @name@_slots[@slot_count@] = {
@slots@
};

/* The token of an id and its length, or NULL. */
static inline const uint8_t *@name@_id_to_token(uint32_t id, size_t *length) {
    if (id >= @NAME@_TOKENS) return NULL;
    uint32_t start = id == 0 ? 0 : @name@_ends[id - 1];
    *length = @name@_ends[id] - start;
    return *length == 0 ? NULL : @name@_bytes + start;
}

/* The id of a token, or -1. */
static inline int64_t @name@_token_to_id(const uint8_t *token, size_t length) {
    uint64_t hash = UINT64_C(@basis@);
    for (size_t i = 0; i < length; i++) hash = (hash ^ token[i]) * UINT64_C(@prime@);
    hash ^= hash >> 32;
    uint32_t displacement = @name@_displacements[(uint32_t)hash % @buckets@u];
    uint32_t spread = ((uint32_t)(hash >> 32) ^ displacement) * UINT32_C(@spread@);
    uint32_t id = @name@_slots[spread % @slot_count@u];
    size_t found_length = 0;
    const uint8_t *found = @name@_id_to_token(id, &found_length);
    return found && found_length == length && memcmp(found, token, length) == 0 ? (int64_t)id : -1;
}

#endif
"""
