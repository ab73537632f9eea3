"""`tokenizers.decoders`: what makes a text of tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ... import _core
from ._errors import as_the_library, of_custom
from ._normalized import Regex, pattern_of
from ._stage import Option, Stage, Stages, State, compact, of_kind
from .pre_tokenizers import _character, _scheme

if TYPE_CHECKING:
    from ._tokenizer import Tokenizer


class Decoder(Stage):
    """The base of all decoders. `Decoder.custom` makes one of a Python object, which is slow."""

    _kinds: ClassVar[dict[str, type[Stage]]] = {}
    _family = "Decoder"

    def __new__(cls, *arguments: Any, **keywords: Any) -> Any:
        if cls is Decoder:
            raise TypeError("cannot create 'tokenizers.decoders.Decoder' instances")
        return super().__new__(cls)

    @staticmethod
    def custom(decoder: Any) -> Decoder:
        made: Decoder = Decoder._of_custom(decoder)
        return made

    def decode(self, tokens: list[str]) -> str:
        """Returns the text of tokens."""
        if isinstance(tokens, str):
            raise TypeError("Can't extract `str` to `Vec`")
        for token in tokens:
            of_kind(token, str)
        return "".join(self._chain(list(tokens)))

    def _chain(self, tokens: list[str]) -> list[str]:
        if self._custom is not None:
            with of_custom():
                return list(self._custom.decode_chain(tokens))
        with as_the_library():
            return [_core._stage_decode(compact(self._json()), tokens)]


class ByteLevel(Decoder):
    _type = "ByteLevel"
    _options: ClassVar[State] = {"add_prefix_space": True, "trim_offsets": True, "use_regex": True}

    def __init__(self, **keywords: Any) -> None:
        self._settle(add_prefix_space=True, trim_offsets=True, use_regex=True)


class Replace(Decoder):
    _type = "Replace"

    def __init__(self, pattern: str | Regex, content: str) -> None:
        self._settle(pattern=pattern_of(pattern), content=content)


class WordPiece(Decoder):
    _type = "WordPiece"

    def __init__(self, prefix: str = "##", cleanup: bool = True) -> None:
        self._settle(prefix=prefix, cleanup=cleanup)

    prefix = Option[str]("prefix")
    cleanup = Option[bool]("cleanup")


class ByteFallback(Decoder):
    _type = "ByteFallback"

    def __init__(self) -> None:
        self._settle()


class Fuse(Decoder):
    _type = "Fuse"

    def __init__(self) -> None:
        self._settle()


class Strip(Decoder):
    _type = "Strip"

    def __init__(self, content: str = " ", left: int = 0, right: int = 0) -> None:
        self._settle(content=_character(content), start=left, stop=right)

    content = Option[str]("content", put=_character)
    start = Option[int]("start")
    stop = Option[int]("stop")


class Metaspace(Decoder):
    _type = "Metaspace"
    _options: ClassVar[State] = {"replacement": "▁", "prepend_scheme": "always", "split": True}

    def __init__(self, replacement: str = "▁", prepend_scheme: str = "always", split: bool = True) -> None:
        self._settle(replacement=_character(replacement), prepend_scheme=_scheme(prepend_scheme), split=split)

    replacement = Option[str]("replacement", put=_character)
    prepend_scheme = Option[str]("prepend_scheme", put=_scheme)
    split = Option[bool]("split")


class BPEDecoder(Decoder):
    _type = "BPEDecoder"

    def __init__(self, suffix: str = "</w>") -> None:
        self._settle(suffix=suffix)

    suffix = Option[str]("suffix")


class CTC(Decoder):
    _type = "CTC"

    def __init__(self, pad_token: str = "<pad>", word_delimiter_token: str = "|", cleanup: bool = True) -> None:
        self._settle(pad_token=pad_token, word_delimiter_token=word_delimiter_token, cleanup=cleanup)

    pad_token = Option[str]("pad_token")
    word_delimiter_token = Option[str]("word_delimiter_token")
    cleanup = Option[bool]("cleanup")


class Sequence(Stages, Decoder):
    _type = "Sequence"
    _list = "decoders"

    def __init__(self, decoders: list[Decoder]) -> None:
        for decoder in decoders:
            of_kind(decoder, Decoder)
        self._hold(list(decoders))

    def _chain(self, tokens: list[str]) -> list[str]:
        if not self._is_custom():
            return super()._chain(tokens)
        for decoder in self:
            tokens = decoder._chain(tokens)
        return tokens


class DecodeStream:
    """Decodes ids that come one by one, or some at a time."""

    def __init__(self, ids: list[int] | None = None, skip_special_tokens: bool = False) -> None:
        self._skip = skip_special_tokens
        self._ids: list[int] = list(ids or [])
        self._prefix = ""
        #: How many of the ids have been shown.
        self._shown = 0
        self._is_new = ids is not None

    def step(self, tokenizer: Tokenizer, id: int | list[int]) -> str | None:
        """Takes one id, or some, and returns the text that they complete, or None."""
        if self._is_new:
            # The ids of the start have their text already, unless they end inside a character.
            self._is_new = False
            start = tokenizer.decode(self._ids, self._skip)
            if not start.endswith("\ufffd"):
                self._prefix, self._shown = start, len(self._ids)
        self._ids.extend([id] if isinstance(id, int) else id)
        text = tokenizer.decode(self._ids, self._skip)
        if len(text.encode()) <= len(self._prefix.encode()) or text.endswith("\ufffd"):
            return None
        if not text.startswith(self._prefix):
            raise Exception("Invalid prefix encountered while decoding stream")
        new = text[len(self._prefix) :]
        # What was shown before is needed no more: the next text depends on what is shown now alone.
        shown = len(self._ids) - self._shown
        self._ids = self._ids[self._shown :]
        self._prefix = tokenizer.decode(self._ids, self._skip)
        self._shown = shown
        return new

    def __copy__(self) -> DecodeStream:
        stream = DecodeStream(None, self._skip)
        stream.__dict__.update(self.__dict__, _ids=list(self._ids))
        return stream

    def __deepcopy__(self, _memo: dict[int, Any]) -> DecodeStream:
        return self.__copy__()
