"""Tokenizer: the object that users hold."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arguments import checks
from ._arguments.appended import appended_id
from ._arguments.languages import language_name
from ._arguments.lengths import Padding, Truncation
from ._arguments.paths import how_to_read, path_list
from ._arguments.types import AnyPath, InputFormat, Specials, Text
from .code.pieces import CodeEncoding
from .errors import SpecError
from .left_out import LeftOut, how_to_load
from .progress import Progress, watching
from .results.explanation import Explanation, explained
from .results.html import html_card, listed
from .results.ragged import Ragged
from .results.report import EncodeReport, FileCount
from .results.round_trip import RoundTrip, round_trip
from .results.segmentation import Segmentation, frequent_pieces


class OtherLibrary(UserWarning):
    """A tokenizer was saved for a library that encodes some texts otherwise."""


class Tokenizer(_core.Tokenizer):
    """A frozen tokenizer: text to ids and back.

    Made by `bytemill.load` and `bytemill.train`. Two tokenizers are equal when their content is; `fingerprint`
    names that content. `specials` says per call what happens to special tokens, and all other tokens that were added
    to the model, where a text holds them: `"all"` are matched, with `"none"` they are plain text, `"refuse"` raises, of
    a set just those in it are matched; the default is what the format's own library does. Added tokens that are white
    space or one character, and not special, are matched in any case.
    """

    __slots__ = ()

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
        """A model's input: the text, or the pair, with the tokens of the template around it.

        `add_special_tokens=False` leaves the template out. `offsets` (True or "chars", or "bytes") says where in the
        text each token stands. `truncation` is the most ids, or a `Truncation`; `padding` a length, "longest", or a
        `Padding`; None is what the file of the tokenizer says, and False is nothing. With `overflow`, what truncation
        cuts off comes in `Encoding.overflowing`. With `pretokenized`, a text is a list of words. `dropout`, `alpha`,
        `nbest_size` and `seed` choose a segmentation at random.
        """
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
        """The ids of many texts, in order, on all cores (or `threads`)."""
        threads = checks.optional_whole_number("threads", threads, least=1)
        sampling = {"dropout": dropout, "alpha": alpha, "nbest_size": nbest_size, "seed": seed}
        return Ragged(*self._encode_batch(texts, specials, threads, **sampling), self.pad_id)

    def count_batch(
        self, texts: Iterable[Text], *, specials: Specials = None, threads: int | None = None
    ) -> NDArray[np.int64]:
        """How many ids each of many texts has."""
        return super().count_batch(
            texts, specials=specials, threads=checks.optional_whole_number("threads", threads, least=1)
        )

    def count_till(self, text: Text, limit: int, *, specials: Specials = None) -> int | None:
        """How many ids a text has, or None if they are more than `limit`: what is behind that is not looked at."""
        return super().count_till(text, checks.whole_number("limit", limit, least=0), specials=specials)

    def cut_index(self, text: Text, limit: int, *, from_end: bool = False, specials: Specials = None) -> int:
        """Where to cut a text: `text[:index]`, or with `from_end` `text[index:]`, has at most `limit` ids.

        The index is in characters for `str`, in bytes for `bytes`. It is where one token ends and the next begins, and
        never inside a character: the end of token number `limit`, or before it where that is inside a character, or
        where the part by itself would have more tokens than in the whole. A text with no more than `limit` ids is not
        cut.
        """
        limit = checks.whole_number("limit", limit, least=0)
        return super().cut_index(text, limit, from_end=from_end, specials=specials)

    @overload
    def cut(self, text: str, limit: int, *, from_end: bool = False, specials: Specials = None) -> str: ...
    @overload
    def cut(self, text: bytes, limit: int, *, from_end: bool = False, specials: Specials = None) -> bytes: ...
    def cut(self, text: Text, limit: int, *, from_end: bool = False, specials: Specials = None) -> Text:
        """The beginning of a text, or its end, that has at most `limit` ids; `cut_index` says where."""
        index = self.cut_index(text, limit, from_end=from_end, specials=specials)
        return text[index:] if from_end else text[:index]

    def explain(self, text: Text, *, specials: Specials = None) -> Explanation:
        """How a text becomes its ids: its pieces, and of BPE every merge in its order. Print it, or look into it."""
        return explained(self, self._explain(text, specials))

    def nbest(self, text: Text, n: int, *, specials: Specials = None) -> list[Segmentation]:
        """The `n` best segmentations of Unigram, or all there are, the best first, with the sum of their scores."""
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
        """Segmentations of Unigram at random, each with the logarithm of its probability.

        Scores are multiplied by `alpha`: below 1 segmentations become more alike, and at 0 all are equally likely.
        Without `replacement` all are different, and the score is the logarithm of the probability to be among so many;
        `include_best` then makes the best one the first of them, which is sure to be there.
        """
        checks.flag("replacement", replacement)
        checks.flag("include_best", include_best)
        if include_best and replacement:
            raise SpecError("include_best is for sampling without replacement: give replacement=False, too")
        n = checks.whole_number("n", n, least=1)
        found = self._sample(text, n, checks.number("alpha", alpha), seed, replacement, include_best, specials)
        return [Segmentation(*row) for row in found]

    def restricted(self, pieces: AnyPath | Iterable[str], *, threshold: int | None = None) -> Tokenizer:
        """The same Unigram or BPE model of SentencePiece with the same ids, which gives no other pieces than these.

        Single characters and the user's own symbols are always given. `pieces` may be a file with a piece a line and,
        behind a tab, how often it was met; those met less often than `threshold` are left out.
        """
        if isinstance(pieces, (str, os.PathLike)):
            wanted = frequent_pieces(Path(pieces), checks.optional_whole_number("threshold", threshold, least=0))
        elif threshold is not None:
            raise SpecError("threshold is for a file with the counts of pieces")
        else:
            wanted = checks.list_of_texts("pieces", pieces)
        return Tokenizer(self._restricted(wanted))

    def encode_code(self, source: Text, *, language: str | None = None, specials: Specials = None) -> CodeEncoding:
        """The ids of source code, each with what it is of the syntax: its kind, node, depth and place.

        Any tokenizer will do. `source` may be any bytes where the tokens are bytes. The language is the one that the
        tokenizer was trained for, or the one given, or the one that the source looks like.
        """
        return CodeEncoding(self, self._encode_code(source, language_name(language), specials))

    @overload
    def encode_files(
        self,
        sources: AnyPath | Iterable[AnyPath],
        output: AnyPath,
        *,
        input_format: InputFormat | None = None,
        field: str = "text",
        append: str | int | None = None,
        errors: str = "strict",
        specials: Specials = None,
        threads: int | None = None,
        progress: bool | Callable[[Progress], object] | None = None,
    ) -> EncodeReport: ...
    @overload
    def encode_files(
        self,
        sources: AnyPath | Iterable[AnyPath],
        output: None = None,
        *,
        input_format: InputFormat | None = None,
        field: str = "text",
        append: str | int | None = None,
        errors: str = "strict",
        specials: Specials = None,
        threads: int | None = None,
        progress: bool | Callable[[Progress], object] | None = None,
    ) -> Ragged: ...
    def encode_files(
        self,
        sources: AnyPath | Iterable[AnyPath],
        output: AnyPath | None = None,
        *,
        input_format: InputFormat | None = None,
        field: str = "text",
        append: str | int | None = None,
        errors: str = "strict",
        specials: Specials = None,
        threads: int | None = None,
        progress: bool | Callable[[Progress], object] | None = None,
    ) -> EncodeReport | Ragged:
        """Encodes files or folders into one token file, `.npy` or raw `.bin`, past all Python objects.

        Ids are uint16 when the vocabulary has at most 65,536 of them, else uint32. `append` is put after every
        document: a special token, a role such as "eos", or an id. A text file is one document; so is each line of a
        `.jsonl`, or each record of a `.json`, whose text is its `field`. `input_format` says how to read files whatever
        their names: "text", "lines", "jsonl" or "json". Memory stays constant; nothing is left behind when the work is
        stopped. Without `output` the ids stay in memory: a `Ragged` with a row for each document.
        """
        threads = checks.optional_whole_number("threads", threads, least=1)
        append_id = None if append is None else appended_id(self, append)
        with watching(progress) as watcher:
            result = self._encode_files(
                path_list(sources),
                None if output is None else os.fspath(output),
                how_to_read(input_format, field, errors),
                append_id,
                specials,
                threads,
                watcher,
            )
        if output is None:
            return Ragged(**result, pad_id=self.pad_id)
        skipped = tuple(result.pop("skipped"))
        return EncodeReport(output=Path(output), skipped=skipped, **result)

    def count_files(
        self,
        sources: AnyPath | Iterable[AnyPath],
        *,
        input_format: InputFormat | None = None,
        field: str = "text",
        errors: str = "strict",
        specials: Specials = None,
        threads: int | None = None,
        progress: bool | Callable[[Progress], object] | None = None,
    ) -> list[FileCount]:
        """Counts the tokens of files or folders: one `FileCount` for each file that was read, in order.

        Files are read as in `encode_files`. Binary files in folders are left out.
        """
        threads = checks.optional_whole_number("threads", threads, least=1)
        how = how_to_read(input_format, field, errors)
        with watching(progress) as watcher:
            counted, _ = self._count_files(path_list(sources), how, specials, threads, watcher)
        return [FileCount(*row) for row in counted]

    def check_round_trip(self, text: str, *, specials: Specials = None) -> RoundTrip:
        """Whether decoding the ids of a text gives the text back, and if not, where it first differs.

        >>> import bytemill
        >>> tok = bytemill.train(["the cat"], bytemill.Word(), progress=False)
        >>> print(tok.check_round_trip("the cat"))
        exact: 2 tokens decode to the same text
        >>> print(tok.check_round_trip("the  dog"))
        differs at character 4: expected 'the  dog', found 'the <UNK>'
        """
        return round_trip(self, text, specials)

    def truncated(self, vocab_size: int) -> Tokenizer:
        """The BPE tokenizer that a training to this size would have given: the first merges, and the ids as they are.

        Special tokens that have the last ids keep being last.
        """
        return Tokenizer(self._truncated(checks.whole_number("vocab_size", vocab_size, least=0)))

    def save(self, path: AnyPath, format: str | None = None) -> None:
        """Writes the tokenizer; the format follows from the file name unless it is given.

        `*.mill` is our compact binary, `*.mill.json` our readable JSON, `tokenizer.json` that of `tokenizers`,
        `tekken.json` that of Mistral, `*.tiktoken` the ranks alone, `vocab.json` that and `merges.txt` beside it;
        `format="vocab.json"` writes both into a folder. A file appears whole or not at all. A warning says which texts
        the library of the file encodes otherwise, or what its file cannot hold and how to load it.
        """
        self._save(os.fspath(path), format)
        if differences := self._differences(os.fspath(path), format):
            which = f"{path} is for another library, in which {'; '.join(differences)}"
            warnings.warn(which, OtherLibrary, stacklevel=2)
        left_out = self._left_out(os.fspath(path), format)
        if left_out is not None:
            warnings.warn(how_to_load(os.fspath(path), *left_out), LeftOut, stacklevel=2)

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_bytes, (type(self), self.to_bytes("mill"))

    def __repr__(self) -> str:
        return (
            f"<bytemill.Tokenizer {self.family}: {self.vocab_size:,} tokens, "
            f"specials {listed(list(self.special_tokens))}, fingerprint {self.fingerprint[:12]}>"
        )

    def _repr_html_(self) -> str:
        return html_card(self)


def _from_bytes(cls: type[Tokenizer], data: bytes) -> Tokenizer:
    return cls(_core.from_bytes(data))
