"""Normalizers: what happens to a text before it is split.

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
from ._arguments.stages import Stage, pattern_definition, require_stages


@dataclass(frozen=True)
class Normalizer(Stage):
    """The base of every normalizer."""

    def normalize(self, text: str) -> str:
        return _core.normalize(json.dumps(self.definition()), text)


@dataclass(frozen=True)
class Lowercase(Normalizer):
    """Every character to lower case by itself (so a final Σ becomes σ, as in `tokenizers`)."""


@dataclass(frozen=True)
class NFC(Normalizer):
    """Unicode normalization form C, with the Unicode 9.0 tables that `tokenizers` uses."""


@dataclass(frozen=True)
class NFD(Normalizer):
    """Unicode normalization form D."""


@dataclass(frozen=True)
class NFKC(Normalizer):
    """Unicode normalization form KC."""


@dataclass(frozen=True)
class NFKD(Normalizer):
    """Unicode normalization form KD."""


@dataclass(frozen=True)
class StripAccents(Normalizer):
    """Removes combining marks; put `NFD()` before it to take accents off composed letters."""


@dataclass(frozen=True)
class Strip(Normalizer):
    """Removes white space at the ends."""

    left: bool = True
    right: bool = True


@dataclass(frozen=True)
class Bert(Normalizer):
    """BERT's cleaning: controls removed, CJK ideographs set apart by spaces, accents stripped, lower case.

    `strip_accents=None` strips them exactly when `lowercase` is on.
    """

    clean_text: bool = True
    split_cjk: bool = True
    strip_accents: bool | None = None
    lowercase: bool = True


@dataclass(frozen=True)
class Replace(Normalizer):
    """Every match of a pattern becomes `content`; the pattern is as that of `pretokenizers.Split`."""

    pattern: str
    content: str
    literal: bool = False

    def definition(self) -> dict[str, Any]:
        pattern = pattern_definition(self.pattern, self.literal)
        return {"type": "replace", "pattern": pattern, "content": self.content}


@dataclass(frozen=True)
class Prepend(Normalizer):
    """Puts a text before every text that is not empty."""

    content: str


@dataclass(frozen=True)
class Nmt(Normalizer):
    """The cleaning of Google's translation models: controls removed, what is not visible made a space."""


@dataclass(frozen=True)
class ByteLevel(Normalizer):
    """Bytes as characters of the alphabet of byte-level tokens."""


@dataclass(frozen=True)
class Sequence(Normalizer):
    """Several normalizers, one after the other."""

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
