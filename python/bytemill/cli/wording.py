"""The library's messages in the words of the command line: `errors="replace"` becomes `--errors replace`."""

from __future__ import annotations

import re

#: Arguments of the library that are options here under the same name.
ARGUMENTS = (
    "append|checkpoint|continue_from|dtype|errors|field|format|held_out|input_format|lowercase|memory|min_frequency|normalizer|order|"
    "pattern|pretokenizer|specials|split_cjk|strip_accents|threads|vocab_size"
)

#: Those that no English sentence has, which messages also name by themselves.
NAMES = {
    "byte_fallback": "--byte-fallback",
    "character_coverage": "--character-coverage",
    "keep_columns": "--keep",
    "max_token_length": "--max-token-length",
    "min_frequency": "--min-frequency",
    "nbest_size": "--nbest",
    "user_defined_symbols": "--symbol",
    "vocab_size": "--vocab-size",
}

_NAME = re.compile(rf"\b({'|'.join(NAMES)})\b(?!=)")
_ARGUMENT = re.compile(rf'\b({ARGUMENTS})=(?:True|…|"(\w+)"|(\w+))?')
_SET_OF_SPECIALS = re.compile(r"specials=\{[^}]*\} or ")  # no option: --specials takes all of them or none
_KEPT = re.compile(r'\bkeep_columns=(?:\{"([^"]*)": "(\w+)"\})?')


def in_options(message: str) -> str:
    """
    >>> in_options('pass specials={"<EOS>"} or specials="all"')
    'pass --specials all'
    >>> in_options("vocab_size=3 does not hold the 4 special tokens")
    '--vocab-size 3 does not hold the 4 special tokens'
    >>> in_options("a vocabulary like this does not say how text is split; pass pattern=")
    'a vocabulary like this does not say how text is split; pass --pattern'
    >>> in_options("character_coverage is above 0 and at most 1, not 2")
    '--character-coverage is above 0 and at most 1, not 2'
    >>> in_options('name another type, as in keep_columns={"id": "json"}')
    'name another type, as in --keep id=json'
    >>> in_options("x.tiktoken holds the ranks alone; this loads it: bytemill.load('x.tiktoken', pattern='gpt2')")
    "x.tiktoken holds the ranks alone; this loads it: bytemill.load('x.tiktoken', pattern='gpt2')"
    """
    # A call of the library stays one.
    message, call, arguments = message.partition("bytemill.load(")
    message = _KEPT.sub(lambda match: f"--keep {match[1]}={match[2]}" if match[1] else "--keep", message)
    message = _NAME.sub(lambda match: NAMES[match[1]], _SET_OF_SPECIALS.sub("", message))
    return _ARGUMENT.sub(_option, message) + call + arguments


def _option(match: re.Match[str]) -> str:
    name, quoted, bare = match.groups()
    value = quoted or bare
    return f"--{name.replace('_', '-')}" + (f" {value}" if value else "")
