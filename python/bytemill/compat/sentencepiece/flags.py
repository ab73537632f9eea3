"""The flags of a training: their names, types and defaults, and how they are written."""

from __future__ import annotations

import csv
import io
import re
import shlex
from typing import Any

from .normalizer import flag

#: Flags by type, with their defaults.
TEXTS = {
    "input_format": "",
    "model_prefix": "",
    "model_type": "unigram",
    "required_chars": "",
    "unk_piece": "<unk>",
    "bos_piece": "<s>",
    "eos_piece": "</s>",
    "pad_piece": "<pad>",
    "unk_surface": " \u2047 ",
    "pretokenization_delimiter": "",
    "seed_sentencepieces_file": "",
    "normalization_rule_name": "nmt_nfkc",
    "normalization_rule_tsv": "",
    "denormalization_rule_tsv": "",
}
LISTS = ("input", "accept_language", "control_symbols", "user_defined_symbols")
WHOLE = {
    "vocab_size": 8000,
    "self_test_sample_size": 0,
    "input_sentence_size": 0,
    "seed_sentencepiece_size": 1_000_000,
    "num_threads": 16,
    "num_sub_iterations": 2,
    "max_sentencepiece_length": 16,
    "max_sentence_length": 4192,
    "mining_sentence_size": 0,
    "training_sentence_size": 0,
    "differential_privacy_clipping_threshold": 0,
    "unk_id": 0,
    "bos_id": 1,
    "eos_id": 2,
    "pad_id": -1,
    "random_seed": 0,
    "minloglevel": 0,
}
NUMBERS = {"character_coverage": 0.9995, "shrinking_factor": 0.75, "differential_privacy_noise_level": 0.0}
FLAGS = {
    "shuffle_input_sentence": True,
    "split_by_unicode_script": True,
    "split_by_number": True,
    "split_by_whitespace": True,
    "split_digits": False,
    "treat_whitespace_as_suffix": False,
    "allow_whitespace_only_pieces": False,
    "byte_fallback": False,
    "vocabulary_output_piece_score": True,
    "hard_vocab_limit": True,
    "use_all_vocab": False,
    "add_dummy_prefix": True,
    "remove_extra_whitespaces": True,
    "escape_whitespaces": True,
    "train_extremely_large_corpus": False,
    "enable_differential_privacy": False,
}
#: Flags that name a file with what another flag takes.
FILES = {
    "control_symbols_file": "control_symbols",
    "user_defined_symbols_file": "user_defined_symbols",
    "required_chars_file": "required_chars",
}
#: What bytemill does not have, with the value that asks for nothing.
REFUSED = {
    "input_format": ("", "text"),
    "self_test_sample_size": (0,),
    "enable_differential_privacy": (False,),
    "pretokenization_delimiter": ("",),
    "seed_sentencepieces_file": ("",),
    "denormalization_rule_tsv": ("",),
    "escape_whitespaces": (True,),
}


def written(value: Any) -> str:
    """A value as a flag has it; a list as a line of CSV."""
    if not isinstance(value, list):
        return str(value)
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([str(each) for each in value])
    return line.getvalue()


def of_line(line: str) -> dict[str, str]:
    """The flags of a command line."""
    found: dict[str, str] = {}
    for word in shlex.split(line):
        name, _, value = word.lstrip("-").partition("=")
        found[name] = value if "=" in word else "true"
    return found


def parsed(given: dict[str, str]) -> dict[str, Any]:
    """All flags, each by its type."""
    flags: dict[str, Any] = {**TEXTS, **WHOLE, **NUMBERS, **FLAGS, **{name: [] for name in LISTS}}
    for name, value in given.items():
        if name in FILES:
            lines = _file(value).splitlines()
            flags[FILES[name]] = "".join(lines) if FILES[name] == "required_chars" else [*filter(None, lines)]
        else:
            flags[name] = _value(name, value)
    for name, harmless in REFUSED.items():
        if flags[name] not in harmless:
            raise NotImplementedError(f"bytemill does not have {name}={flags[name]!r}; leave it out")
    return flags


def _value(name: str, value: str) -> Any:
    if name in LISTS:
        return _members(value)
    if name in TEXTS:
        return value
    if name in FLAGS:
        return bool(flag(name, value)) if value else True
    if name not in WHOLE and name not in NUMBERS:
        raise RuntimeError(f'NOT_FOUND: unknown field name "{name}" in TrainerSpec.')
    try:
        return int(value) if name in WHOLE else float(value)
    except ValueError:
        kind = "int" if name in WHOLE else "float"
        raise ValueError(f'INVALID_ARGUMENT: cannot parse "{value}" as {kind}, for {name}.') from None


#: A member of a list: in quotes, or up to the next comma. It may be an end of a line, which ends a row for `csv`.
_MEMBER = re.compile(r'(?:\A|,)(?:"((?:[^"]|"")*)"(?=,|\Z)|([^,]*))')


def _members(line: str) -> list[str]:
    """The members of a list that is written with commas."""
    found = [member.groups() for member in _MEMBER.finditer(line)] if line else []
    return [plain if quoted is None else quoted.replace('""', '"') for quoted, plain in found]


def _file(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            return file.read()
    except OSError as error:
        raise RuntimeError(f'NOT_FOUND: "{path}": {error.strerror} Error #{error.errno}') from error
