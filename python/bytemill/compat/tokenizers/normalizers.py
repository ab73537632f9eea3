"""`tokenizers.normalizers`: what happens to a text before it is split."""

from __future__ import annotations

from typing import Any, ClassVar

from ... import _core
from ._errors import as_the_library, of_custom
from ._normalized import NormalizedString, Regex, aligned, pattern_of
from ._stage import Option, Stage, Stages, State, compact, of_kind


class Normalizer(Stage):
    """The base of all normalizers. `Normalizer.custom` makes one of a Python object, which is slow."""

    _kinds: ClassVar[dict[str, type[Stage]]] = {}
    _family = "Normalizer"

    def __new__(cls, *arguments: Any, **keywords: Any) -> Any:
        if cls is Normalizer:
            raise TypeError("cannot create 'tokenizers.normalizers.Normalizer' instances")
        return super().__new__(cls)

    @staticmethod
    def custom(normalizer: Any) -> Normalizer:
        made: Normalizer = Normalizer._of_custom(normalizer)
        return made

    def normalize(self, normalized: NormalizedString) -> None:
        """Changes a NormalizedString in place."""
        of_kind(normalized, NormalizedString)
        if self._custom is not None:
            with of_custom(), normalized._lent() as lent:
                self._custom.normalize(lent)
            return
        with as_the_library():
            normalized._align(aligned(_core._stage_normalize(compact(self._json()), normalized.normalized)))

    def normalize_str(self, sequence: str) -> str:
        """Returns the normalized text."""
        of_kind(sequence, str)
        normalized = NormalizedString(sequence)
        self.normalize(normalized)
        return normalized.normalized


class BertNormalizer(Normalizer):
    _type = "BertNormalizer"
    _options: ClassVar[State] = {
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": True,
    }

    def __init__(
        self,
        clean_text: bool = True,
        handle_chinese_chars: bool = True,
        strip_accents: bool | None = None,
        lowercase: bool = True,
    ) -> None:
        self._settle(
            clean_text=clean_text,
            handle_chinese_chars=handle_chinese_chars,
            strip_accents=strip_accents,
            lowercase=lowercase,
        )

    clean_text = Option[bool]("clean_text")
    handle_chinese_chars = Option[bool]("handle_chinese_chars")
    strip_accents = Option["bool | None"]("strip_accents")
    lowercase = Option[bool]("lowercase")


class NFD(Normalizer):
    _type = "NFD"

    def __init__(self) -> None:
        self._settle()


class NFKD(Normalizer):
    _type = "NFKD"

    def __init__(self) -> None:
        self._settle()


class NFC(Normalizer):
    _type = "NFC"

    def __init__(self) -> None:
        self._settle()


class NFKC(Normalizer):
    _type = "NFKC"

    def __init__(self) -> None:
        self._settle()


class Sequence(Stages, Normalizer):
    _type = "Sequence"
    _list = "normalizers"

    def __init__(self, normalizers: list[Normalizer]) -> None:
        for normalizer in normalizers:
            of_kind(normalizer, Normalizer)
        self._hold(list(normalizers))

    def normalize(self, normalized: NormalizedString) -> None:
        if not self._is_custom():
            super().normalize(normalized)
            return
        for normalizer in self:
            normalizer.normalize(normalized)


class Lowercase(Normalizer):
    _type = "Lowercase"

    def __init__(self) -> None:
        self._settle()


class Prepend(Normalizer):
    _type = "Prepend"

    def __init__(self, prepend: str = "▁") -> None:
        self._settle(prepend=prepend)

    prepend = Option[str]("prepend")


class Strip(Normalizer):
    _type = "Strip"

    def __init__(self, left: bool = True, right: bool = True) -> None:
        self._settle(strip_left=left, strip_right=right)

    left = Option[bool]("strip_left")
    right = Option[bool]("strip_right")


class StripAccents(Normalizer):
    _type = "StripAccents"

    def __init__(self) -> None:
        self._settle()


class Nmt(Normalizer):
    _type = "Nmt"

    def __init__(self) -> None:
        self._settle()


class ByteLevel(Normalizer):
    _type = "ByteLevel"

    def __init__(self) -> None:
        self._settle()


class Precompiled(Normalizer):
    _type = "Precompiled"

    def __init__(self, precompiled_charsmap: bytes) -> None:
        import base64  # Few programs build one of these.

        self._settle(precompiled_charsmap=base64.b64encode(precompiled_charsmap).decode())
        with as_the_library(before="Error while attempting to build Precompiled normalizer: "):
            _core._stage_normalize(compact(self._json()), "")


class Replace(Normalizer):
    _type = "Replace"

    def __init__(self, pattern: str | Regex, content: str) -> None:
        self._settle(pattern=pattern_of(pattern), content=content)

    content = Option[str]("content")

    @property
    def pattern(self) -> None:
        raise Exception("Cannot get pattern")

    @pattern.setter
    def pattern(self, pattern: Any) -> None:
        raise Exception("Cannot set pattern, please instantiate a new replace pattern instead")


NORMALIZERS = {"nfc": NFC, "nfd": NFD, "nfkc": NFKC, "nfkd": NFKD}


def unicode_normalizer_from_str(normalizer: str) -> Normalizer:
    """Returns the Unicode normalizer of this name."""
    if normalizer not in NORMALIZERS:
        raise ValueError(f"{normalizer} is not a known unicode normalizer. Available are {NORMALIZERS.keys()}")
    made: Normalizer = NORMALIZERS[normalizer]()
    return made
