"""Normalizers change a text before it is split.

Pass one to `bytemill.train` as an object or by its name in `NAMED`, or try it alone with `normalize`.

Examples:
    >>> from bytemill import normalizers
    >>> normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()]).normalize("Café")
    'Cafe'
"""

from __future__ import annotations

import json
from collections.abc import Sequence as Items
from dataclasses import dataclass
from typing import Any

from . import _core
from ._arguments.names import with_suggestions
from ._arguments.stages import Stage, pattern_definition, require_stages


@dataclass(frozen=True)
class Normalizer(Stage):
    """The base of every normalizer."""

    def normalize(self, text: str) -> str:
        """Returns the normalized text."""
        return _core.normalize(json.dumps(self.definition()), text)


@dataclass(frozen=True)
class Lowercase(Normalizer):
    """Lower case, character by character: a final Σ becomes σ, as in `tokenizers`."""


@dataclass(frozen=True)
class NFC(Normalizer):
    """Unicode normalization form C (composed), with the Unicode 9.0 tables that `tokenizers` uses."""


@dataclass(frozen=True)
class NFD(Normalizer):
    """Unicode normalization form D (decomposed)."""


@dataclass(frozen=True)
class NFKC(Normalizer):
    """Unicode normalization form KC (composed, compatibility characters replaced)."""


@dataclass(frozen=True)
class NFKD(Normalizer):
    """Unicode normalization form KD (decomposed, compatibility characters replaced)."""


@dataclass(frozen=True)
class StripAccents(Normalizer):
    """Removes combining marks. Put `NFD()` before it to remove the accents of composed letters too."""


@with_suggestions
@dataclass(frozen=True)
class Strip(Normalizer):
    """Removes white space at the left and right ends of the text."""

    left: bool = True
    right: bool = True


@with_suggestions
@dataclass(frozen=True)
class Bert(Normalizer):
    """The cleaning of BERT.

    Removes control characters (`clean_text`), puts spaces around CJK ideographs (`split_cjk`), strips accents, and
    converts to lower case. With `strip_accents=None`, accents are stripped if `lowercase` is on.
    """

    clean_text: bool = True
    split_cjk: bool = True
    strip_accents: bool | None = None
    lowercase: bool = True


@with_suggestions
@dataclass(frozen=True)
class Replace(Normalizer):
    """Replaces every match of a pattern with `content`. The pattern is that of `bytemill.pretokenizers.Split`."""

    pattern: str
    content: str
    literal: bool = False

    def definition(self) -> dict[str, Any]:
        pattern = pattern_definition(self.pattern, self.literal)
        return {"type": "replace", "pattern": pattern, "content": self.content}


@with_suggestions
@dataclass(frozen=True)
class Prepend(Normalizer):
    """Puts `content` before every text that is not empty."""

    content: str


@dataclass(frozen=True)
class Nmt(Normalizer):
    """The cleaning of Google's translation models: controls are removed, invisible characters become spaces."""


@dataclass(frozen=True)
class ByteLevel(Normalizer):
    """Writes each byte as a character of the alphabet that byte-level tokens are written in."""


@with_suggestions
@dataclass(frozen=True)
class Sequence(Normalizer):
    """Applies several normalizers, one after the other."""

    steps: Items[Normalizer] = ()

    def __post_init__(self) -> None:
        require_stages(self.steps, Normalizer)


#: The names that `normalizer=` takes.
NAMED: dict[str, Normalizer] = {
    "lowercase": Lowercase(),
    "nfc": NFC(),
    "nfd": NFD(),
    "nfkc": NFKC(),
    "nfkd": NFKD(),
    "strip": Strip(),
    "strip_accents": Sequence((NFD(), StripAccents())),
    "bert": Bert(),
    "bert_cased": Bert(lowercase=False),
}
