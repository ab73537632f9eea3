"""Tokenizer: the object that users hold."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

import numpy as np
from numpy.typing import NDArray

from . import _core, pretokenizers
from ._arguments import checks
from ._arguments.languages import grammar_name
from ._arguments.lengths import Padding, Truncation
from ._arguments.types import AnyPath, Specials, Text
from .asynchronous import in_thread
from .calls.chats import ChatCalls
from .calls.files import FileCalls
from .chat.settings import Settings, write_settings
from .code.pieces import CodeEncoding
from .errors import SpecError
from .left_out import LeftOut, holds_tokens_alone, how_to_load, how_to_load_vocabulary
from .machine import features
from .results.explanation import Explanation, explained
from .results.html import html_card, listed
from .results.ragged import Ragged
from .results.round_trip import RoundTrip, round_trip
from .results.segmentation import Segmentation, frequent_pieces

#: The types of pieces of SentencePiece, by the numbers that files have for them.
PieceType = Literal["normal", "unknown", "control", "user_defined", "unused", "byte"]
PIECE_TYPES: dict[int, PieceType] = dict(zip(range(1, 7), get_args(PieceType), strict=True))

if TYPE_CHECKING:
    from typing_extensions import Self

    from .see.shown import Shown
    from .session import Session


class OtherLibrary(UserWarning):
    """Warns that a tokenizer was saved for a library that gives some texts other ids."""


class Tokenizer(FileCalls, ChatCalls):
    """Turns text into ids and back.

    Made by `bytemill.load` and `bytemill.train`. A tokenizer never changes. Two are equal if their content is, and
    `fingerprint` names that content. Threads may share a tokenizer, and it works after a fork.

    Every method that takes a text takes `specials=`, which says what happens to special and other added tokens that are
    written in the text. With `"all"` they become tokens, with `"none"` they are plain text, and `"refuse"` raises
    `SpecialTokenError`. A set matches only the tokens in it. The default is what the library of the file's format does.
    Added tokens that are white space or a single character, and not special, are always matched.
    """

    __slots__ = ()

    @classmethod
    def from_ranks(
        cls,
        ranks: Mapping[bytes, int],
        *,
        pattern: pretokenizers.PreTokenizer | str,
        special_tokens: Mapping[str, int] | None = None,
    ) -> Self:
        """Returns a byte-level BPE tokenizer of ranks, as `tiktoken` has them: the lowest are merged first.

        Args:
            ranks: Every token with its id, each of the 256 bytes among them.
            pattern: How text is split: the `pat_str` of `tiktoken`, or a pretokenizer or the name of one.
            special_tokens: The special tokens with their ids.

        Examples:
            >>> from bytemill import Tokenizer
            >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"th": 256, b"the": 257}
            >>> tok = Tokenizer.from_ranks(ranks, pattern="[a-z]+|.", special_tokens={"<|end|>": 258})
            >>> tok.encode("the<|end|>", specials="all")
            [257, 258]
        """
        how = pretokenizers.splitting(pattern)
        if how is None:
            raise TypeError("pattern is a regular expression, a pretokenizer or the name of one, not None")
        if not isinstance(ranks, Mapping):
            raise TypeError(f"ranks is a mapping of tokens to ids, not {type(ranks).__name__}")
        return cls(_core.of_ranks(dict(ranks), how, list((special_tokens or {}).items())))

    def __call__(
        self,
        text: Text | Sequence[Text],
        pair: Text | Sequence[Text] | None = None,
        *,
        add_special_tokens: bool = True,
        offsets: bool | Literal["chars", "bytes"] | None = None,
        truncation: Truncation | int | bool | None = None,
        padding: Padding | int | Literal["longest"] | bool | None = None,
        overflow: bool = False,
        pretokenized: bool = False,
        specials: Specials = None,
        dropout: float | None = None,
        alpha: float | None = None,
        nbest_size: int | None = None,
        seed: int = 0,
    ) -> _core.Encoding:
        """Returns the input of a model: a text, or a pair of texts, with the tokens of the template around it.

        Args:
            text: The text; with `pretokenized`, a list of words.
            pair: The second text of a pair.
            add_special_tokens: False leaves out the template.
            offsets: True or `"chars"` gives the place of each token in characters, `"bytes"` in bytes of UTF-8.
            truncation: The most ids, or a `Truncation`. The default is that of the tokenizer's file; False means none.
            padding: The length to pad to, `"longest"`, or a `Padding`. The default is that of the tokenizer's file;
                False means none.
            overflow: Keep what truncation cuts off, in `Encoding.overflowing`.
            pretokenized: The text is a list of words, each of which is encoded alone.
            specials: What happens to added tokens in the text.
            dropout: Only BPE: the probability to skip a merge.
            alpha: Only Unigram: draw a segmentation at random; smaller values make all more equally likely.
            nbest_size: With `alpha`: draw from this many of the best segmentations.
            seed: The random seed for `dropout` and `alpha`.
        """
        plain = offsets is None and truncation is None and padding is None and specials is None and seed == 0
        plain = plain and dropout is None and alpha is None and nbest_size is None
        if plain and add_special_tokens is True and overflow is False and pretokenized is False:
            # Most calls: handing thirteen defaults on would take five times as long.
            return super().__call__(text, pair)
        return super().__call__(
            text,
            pair,
            add_special_tokens=add_special_tokens,
            offsets=offsets,
            truncation=truncation,
            padding=padding,
            overflow=overflow,
            pretokenized=pretokenized,
            specials=specials,
            dropout=dropout,
            alpha=alpha,
            nbest_size=nbest_size,
            seed=seed,
        )

    def encode_batch(
        self,
        texts: Iterable[Text],
        *,
        specials: Specials = None,
        threads: int | None = None,
        dropout: float | None = None,
        alpha: float | None = None,
        nbest_size: int | None = None,
        seed: int = 0,
    ) -> Ragged:
        """Encodes many texts, on all cores or with the given number of `threads`.

        The other arguments are those of `encode`.
        """
        threads = checks.optional_whole_number("threads", threads, least=1)
        rows = self._encode_batch(
            texts, specials, threads, dropout=dropout, alpha=alpha, nbest_size=nbest_size, seed=seed
        )
        return Ragged(*rows, self.pad_id)

    async_encode = in_thread(_core.Tokenizer.encode)
    async_encode_batch = in_thread(encode_batch)
    async_decode = in_thread(_core.Tokenizer.decode)
    async_decode_batch = in_thread(_core.Tokenizer.decode_batch)

    def count_batch(
        self, texts: Iterable[Text], *, specials: Specials = None, threads: int | None = None
    ) -> NDArray[np.int64]:
        """Counts the ids of each of many texts."""
        return super().count_batch(
            texts, specials=specials, threads=checks.optional_whole_number("threads", threads, least=1)
        )

    def count_till(self, text: Text, limit: int, *, specials: Specials = None) -> int | None:
        """Counts the ids of a text; None if there are more than `limit`. Text after the limit is not looked at."""
        return super().count_till(text, checks.whole_number("limit", limit, least=0), specials=specials)

    def cut_index(self, text: Text, limit: int, *, from_end: bool = False, specials: Specials = None) -> int:
        """Returns where to cut a text so that `text[:index]` (with `from_end`, `text[index:]`) has at most `limit` ids.

        The index counts characters for `str` and bytes for `bytes`. It is between two tokens and never inside a
        character. Usually it is the end of token number `limit`; it is earlier if that is inside a character, or if the
        part alone would have more tokens than it has in the whole text. A text that fits is not cut.
        """
        limit = checks.whole_number("limit", limit, least=0)
        return super().cut_index(text, limit, from_end=from_end, specials=specials)

    @overload
    def cut(self, text: str, limit: int, *, from_end: bool = False, specials: Specials = None) -> str: ...
    @overload
    def cut(self, text: bytes, limit: int, *, from_end: bool = False, specials: Specials = None) -> bytes: ...
    def cut(self, text: Text, limit: int, *, from_end: bool = False, specials: Specials = None) -> Text:
        """Returns the beginning of a text, or with `from_end` its end, that has at most `limit` ids.

        `cut_index` says where the text is cut.
        """
        index = self.cut_index(text, limit, from_end=from_end, specials=specials)
        return text[index:] if from_end else text[:index]

    def session(self, text: Text = "", *, specials: Specials = None) -> Session:
        """Returns a session: a text that grows and changes, whose ids are always those of the whole text.

        An edit takes time for what it changes, not for the text around it.

        Examples:
            >>> import bytemill
            >>> tok = bytemill.train(["the cat sat on the mat, the cat ran"], bytemill.BPE(262), progress=False)
            >>> session = tok.session("the cat")
            >>> session.append(" sat on the mat")
            >>> session.count() == tok.count("the cat sat on the mat")
            True
        """
        from .session import Session  # Only editing needs it.

        return Session(self, text, specials)

    def pick_specials(
        self, matched: Iterable[str] = (), *, refused: Iterable[str] | None = None
    ) -> _core.PickedSpecials:
        """Returns a choice of special tokens for the `specials=` of many calls: it is prepared once.

        Args:
            matched: The special tokens that are matched.
            refused: What no text may contain: a text that does raises `SpecialTokenError`. By default these are all
                other special tokens. What is neither matched nor refused is plain text.

        Examples:
            >>> import bytemill
            >>> tok = bytemill.train(["the cat"], bytemill.Word(), special_tokens=["<a>", "<b>"], progress=False)
            >>> picked = tok.pick_specials(["<a>"])
            >>> tok.encode("<a> the", specials=picked) == tok.encode("<a> the", specials={"<a>"})
            True
        """
        unwanted = None if refused is None else checks.list_of_texts("refused", refused)
        return self._pick_specials(checks.list_of_texts("matched", matched), unwanted)

    def normalize(self, text: str) -> str:
        """Returns a text as the model sees it: after its normalizer."""
        return self._normalized(text)[0]

    def normalize_with_offsets(self, text: str) -> tuple[str, list[int]]:
        """Returns a text as the model sees it, and for each of its characters, and for its end, the place in `text`.

        Places count characters. What a normalizer has added has the place of what follows it.

        Examples:
            >>> import bytemill
            >>> tok = bytemill.train(["low lower"], bytemill.SentencePiece(None, model="char"), progress=False)
            >>> tok.normalize_with_offsets("ﬁne  day")
            ('▁fine▁day', [0, 0, 0, 1, 2, 3, 5, 6, 7, 8])
        """
        found, places = self._normalized(text)
        written, source = found.encode("utf-8"), text.encode("utf-8")
        before = np.cumsum([0, *((byte & 0xC0) != 0x80 for byte in source)])
        starts = [place for place, byte in zip(places, written, strict=False) if byte & 0xC0 != 0x80]
        return found, [int(before[place]) for place in (*starts, places[-1])]

    def piece_types(self) -> list[PieceType]:
        """Returns the type of each piece of a SentencePiece model, by its id."""
        return [PIECE_TYPES[kind] for kind, _ in self._types_and_scores()]

    def piece_scores(self) -> list[float]:
        """Returns the score of each piece of a SentencePiece model, by its id."""
        return [score for _, score in self._types_and_scores()]

    def show(self, text: str, *, specials: Specials = None) -> Shown:
        """Returns a text in tokens, to be looked at: in colour in a notebook, in brackets elsewhere.

        Examples:
            >>> import bytemill
            >>> tok = bytemill.train(["the cat sat on the mat, the cat ran"], bytemill.BPE(262), progress=False)
            >>> tok.show("the cat")
            [the][·cat]
            2 tokens, 7 bytes, 3.50 bytes/token
        """
        from .see.shown import shown  # Only this call needs it.

        return shown(self, text, specials)

    def explain(self, text: Text, *, specials: Specials = None) -> Explanation:
        """Explains how a text becomes its ids: its pieces, and for BPE every merge in order. Print the result."""
        return explained(self, self._explain(text, specials))

    def nbest(self, text: Text, n: int, *, specials: Specials = None) -> list[Segmentation]:
        """Returns the `n` best segmentations of a Unigram model with their scores, the best first."""
        found = self._nbest(text, checks.whole_number("n", n, least=1), specials)
        return [Segmentation(*row) for row in found]

    def sample(
        self,
        text: Text,
        n: int = 1,
        *,
        alpha: float = 1.0,
        seed: int = 0,
        replacement: bool = True,
        include_best: bool = False,
        specials: Specials = None,
    ) -> list[Segmentation]:
        """Draws `n` segmentations of a Unigram model at random, each with the logarithm of its probability.

        Args:
            text: The text.
            n: How many segmentations to draw: up to 1,000,000, or 1024 without replacement.
            alpha: Scores are multiplied by this. Smaller values make all segmentations more equally likely.
            seed: The random seed.
            replacement: False makes all segmentations different. The score is then the logarithm of the probability to
                be among the `n`.
            include_best: Only without replacement: the first segmentation is the best one.
            specials: What happens to added tokens in the text.
        """
        checks.flag("replacement", replacement)
        checks.flag("include_best", include_best)
        if include_best and replacement:
            raise SpecError("include_best is for sampling without replacement: give replacement=False, too")
        n = checks.whole_number("n", n, least=1)
        alpha = checks.number("alpha", alpha)
        found = self._sample(
            text, n, specials, alpha=alpha, seed=seed, replacement=replacement, include_best=include_best
        )
        return [Segmentation(*row) for row in found]

    def restricted(self, pieces: AnyPath | Iterable[str], *, threshold: int | None = None) -> Tokenizer:
        """Returns the same SentencePiece Unigram or BPE model with the same ids, limited to the given pieces.

        Single characters and user-defined symbols are always allowed. `pieces` may also be a file with a piece on each
        line, followed by a tab and its count; pieces with a count below `threshold` are left out.
        """
        if isinstance(pieces, (str, os.PathLike)):
            wanted = frequent_pieces(Path(pieces), checks.optional_whole_number("threshold", threshold, least=0))
        elif threshold is not None:
            raise SpecError("threshold is for a file with the counts of pieces")
        else:
            wanted = checks.list_of_texts("pieces", pieces)
        return Tokenizer(self._restricted(wanted))

    def encode_code(self, source: Text, *, language: str | None = None, specials: Specials = None) -> CodeEncoding:
        """Encodes source code; each id comes with its kind, its syntax node and its place.

        This works with any tokenizer. With a byte-level one, `source` may be any bytes. Without `language`, the
        language is the one that the tokenizer was trained for, or it is detected from the source.
        """
        return CodeEncoding(self, self._encode_code(source, grammar_name(language), specials))

    def check_round_trip(self, text: str, *, specials: Specials = None) -> RoundTrip:
        """Checks whether decoding the ids of a text gives the text back, and if not, where it first differs.

        Examples:
            >>> import bytemill
            >>> tok = bytemill.train(["the cat"], bytemill.Word(), progress=False)
            >>> print(tok.check_round_trip("the cat"))
            exact: 2 tokens decode to the same text
            >>> print(tok.check_round_trip("the  dog"))
            differs at character 4: expected 'the  dog', found 'the <UNK>'
        """
        return round_trip(self, text, specials)

    def with_tokens(self, tokens: Iterable[str], *, special: bool = False) -> Tokenizer:
        """Returns a tokenizer that finds these tokens in a text before the model sees it.

        Tokens of the vocabulary keep their ids, the others get the ids after it. The vocabulary is shared, so this is
        quick.

        Args:
            tokens: The texts of the tokens.
            special: Whether decoding can leave them out.

        Examples:
            >>> import bytemill
            >>> tok = bytemill.train(["the cat"], bytemill.Word(), progress=False)
            >>> tok.with_tokens(["<x>"]).tokenize("the<x>cat")
            ['the', '<x>', 'cat']
        """
        checks.flag("special", special)
        added = [(token, special) for token in checks.list_of_texts("tokens", tokens)]
        return _made(Tokenizer, self._with_tokens(added), self.settings)

    def with_simd(self, level: str) -> Tokenizer:
        """Returns this tokenizer with inner loops of another level of instructions, for tests and comparisons.

        All levels give the same ids. The levels that this machine can run are `bytemill.features().simd_levels`; the
        last one is the default.

        Examples:
            >>> import bytemill
            >>> tok = bytemill.train(["the cat"], bytemill.Word(), progress=False)
            >>> tok.with_simd("scalar").encode("the cat") == tok.encode("the cat")
            True
        """
        found = self._with_simd(checks.one_of("level", level, features().simd_levels))
        if found is None:
            raise SpecError(f"this machine cannot run the level {level!r}")
        return _made(Tokenizer, found, self.settings)

    def truncated(self, vocab_size: int) -> Tokenizer:
        """Returns the BPE tokenizer that training to this size would have given: fewer merges, the same ids.

        Special tokens at the end of the vocabulary stay at the end.
        """
        return _made(Tokenizer, self._truncated(checks.whole_number("vocab_size", vocab_size, least=0)), self.settings)

    def save(self, path: AnyPath, format: str | None = None) -> None:
        """Writes the tokenizer to a file. The name chooses the format, unless `format` names one.

        | name | format |
        |---|---|
        | `*.mill` | bytemill's own, compact |
        | `*.mill.json` | bytemill's own, readable |
        | other `*.json` | `tokenizer.json` of `tokenizers` |
        | `*.model` | SentencePiece |
        | `*.tiktoken` | the ranks of `tiktoken` |
        | `tekken.json` | Mistral's Tekken |
        | `vocab.json`, `merges.txt` | both files; `format="vocab.json"` writes them into a folder |
        | `vocab.txt` | the tokens of WordPiece |

        The file appears when it is complete. A warning says if the library of the format gives some texts other ids, or
        if the file cannot hold everything, with the call that loads it.
        """
        self._save(os.fspath(path), format)
        if differences := self._differences(os.fspath(path), format):
            which = f"{path} is for another library, in which {'; '.join(differences)}"
            warnings.warn(which, OtherLibrary, stacklevel=2)
        left_out = self._left_out(os.fspath(path), format)
        if left_out is not None:
            warnings.warn(how_to_load(os.fspath(path), *left_out), LeftOut, stacklevel=2)
        elif holds_tokens_alone(os.fspath(path), format):
            call = how_to_load_vocabulary(os.fspath(path), self)
            if call is not None:
                warnings.warn(call, LeftOut, stacklevel=2)

    def save_pretrained(self, folder: AnyPath) -> list[Path]:
        """Writes tokenizer.json and the files that `transformers` reads beside it. Gives the paths of all of them.

        The others are tokenizer_config.json and special_tokens_map.json with the tokens for each role, and
        chat_template.jinja if there is a template.
        """
        path = Path(folder)
        if path.exists() and not path.is_dir():
            raise SpecError(f"{path} is a file, and save_pretrained writes several into a folder; name a folder")
        path.mkdir(parents=True, exist_ok=True)
        self.save(path / "tokenizer.json")
        return [path / "tokenizer.json", *write_settings(self, path)]

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_bytes, (type(self), self.to_bytes("mill"), getattr(self, "_settings", None))

    def __repr__(self) -> str:
        return (
            f"<bytemill.Tokenizer {self.family}: {self.vocab_size:,} tokens, "
            f"specials {listed(list(self.special_tokens))}, fingerprint {self.fingerprint[:12]}>"
        )

    def _repr_html_(self) -> str:
        return html_card(self)


def _from_bytes(cls: type[Tokenizer], data: bytes, settings: Settings | None = None) -> Tokenizer:
    return _made(cls, _core.from_bytes(data), settings)


def _made(cls: type[Tokenizer], tokenizer: _core.Handle, settings: Settings | None) -> Tokenizer:
    """A tokenizer with what is known of its use."""
    made = cls(tokenizer)
    if settings is not None:
        made._settings = settings
    return made
