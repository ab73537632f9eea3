"""What is counted of a tokenizer on texts, and the numbers that follow from the counts."""

from __future__ import annotations

import dataclasses
import json
import math
import time
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import BytemillError
from .scripts import byte_lengths, scripts_of
from .words import word_spans

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

#: The order of the Rényi entropy that agrees best with how well models learn (Zouhar and others, 2023).
ALPHA = 2.5


@dataclasses.dataclass
class Amount:
    """Bytes of text and the tokens that they became."""

    bytes: int = 0
    tokens: int = 0

    def add(self, bytes: int, tokens: int) -> None:
        self.bytes += bytes
        self.tokens += tokens

    @property
    def bytes_per_token(self) -> float:
        """Bytes of text for each token."""
        return ratio(self.bytes, self.tokens)


@dataclasses.dataclass
class Measures:
    """A tokenizer on texts: what was counted, and what follows from it.

    Attributes:
        name: The name of the tokenizer.
        vocabulary: The number of its tokens.
        documents: The number of documents.
        bytes: The size of the texts in UTF-8.
        characters: Their code points.
        words: Their words: what stands between white space, without punctuation around it.
        tokens: The ids that they became.
        unknown: Ids among these that stand for text the vocabulary has no tokens for.
        whole: Words that became a single token, which may have space or punctuation around them.
        used: Distinct ids among the tokens.
        renyi_efficiency: The Rényi entropy of order 2.5 of the ids, as a share of the largest possible one.
        seconds: How long encoding took, in one thread.
    """

    name: str
    vocabulary: int
    documents: int = 0
    bytes: int = 0
    characters: int = 0
    words: int = 0
    tokens: int = 0
    unknown: int = 0
    whole: int = 0
    used: int = 0
    renyi_efficiency: float = 0.0
    seconds: float = 0.0

    @property
    def tokens_per_word(self) -> float:
        """Tokens for each word: the fertility."""
        return ratio(self.tokens, self.words)

    @property
    def tokens_per_character(self) -> float:
        """Tokens for each code point."""
        return ratio(self.tokens, self.characters)

    @property
    def bytes_per_token(self) -> float:
        """Bytes of text for each token."""
        return ratio(self.bytes, self.tokens)

    @property
    def words_whole(self) -> float:
        """The share of words that became a single token."""
        return ratio(self.whole, self.words)

    @property
    def vocabulary_used(self) -> float:
        """The share of the vocabulary that occurs in the texts."""
        return ratio(self.used, self.vocabulary)

    @property
    def tokens_per_second(self) -> float:
        """How fast texts were encoded, in one thread."""
        return ratio(self.tokens, self.seconds)


def ratio(above: float, below: float) -> float:
    return above / below if below else 0.0


def renyi_efficiency(counts: NDArray[np.int64], vocabulary: int) -> float:
    """The Rényi entropy of order `ALPHA` of ids with these counts, divided by the logarithm of the vocabulary."""
    total = counts.sum()
    if total == 0 or vocabulary < 2:
        return 0.0
    shares = counts[counts > 0] / total
    return float(math.log((shares**ALPHA).sum()) / (1 - ALPHA) / math.log(vocabulary))


#: Ids and where each of their tokens begins and ends in the text, in characters.
Placed = tuple[list[int], NDArray[np.int64]]


def placed(tok: Tokenizer, text: str) -> Placed:
    """A text as plain text: special tokens that are written in it are not looked for."""
    found = tok(text, add_special_tokens=False, offsets="chars", truncation=False, padding=False, specials="none")
    return found.ids, np.array(found.offsets, dtype=np.int64).reshape(-1, 2)


class Counting:
    """Counts a tokenizer's tokens, document by document."""

    def __init__(self, name: str, tok: Tokenizer) -> None:
        self.tok = tok
        self.unk = json.loads(tok.definition())["unk"]
        self.measures = Measures(name, len(tok))
        self.by_file: dict[str, Amount] = {}
        self.by_script: dict[str, Amount] = {}
        self.counts = np.zeros(tok.vocab_size, dtype=np.int64)

    def batch(self, file: str, texts: list[str]) -> list[Placed]:
        """Counts documents of a file; returns their tokens with their places."""
        try:
            begun = time.perf_counter()
            ids = self.tok.encode_batch(texts, specials="none", threads=1).ids
            self.measures.seconds += time.perf_counter() - begun
            rows = [placed(self.tok, text) for text in texts]
        except BytemillError as error:
            raise type(error)(f"{self.measures.name} on {file}: {error}") from None
        self.counts += np.bincount(ids, minlength=len(self.counts))
        amount = self.by_file.setdefault(file, Amount())
        for text, row in zip(texts, rows, strict=True):
            self._document(text, row, amount)
        return rows

    def _document(self, text: str, row: Placed, file: Amount) -> None:
        ids, spans = row
        sizes = byte_lengths(text)
        words = np.array(word_spans(text), dtype=np.int64).reshape(-1, 2)
        unknown = np.array(ids, dtype=np.int64) == (-1 if self.unk is None else self.unk)
        found = self.measures
        found.documents += 1
        found.bytes += int(sizes.sum())
        found.characters += len(text)
        found.words += len(words)
        found.tokens += len(ids)
        found.unknown += int(unknown.sum())
        alone = touching(words, spans) == 1
        found.whole += int((alone & (touching(words, spans[unknown]) == 0)).sum())
        file.add(int(sizes.sum()), len(ids))
        self._scripts(text, sizes, spans)

    def _scripts(self, text: str, sizes: NDArray[np.int64], spans: NDArray[np.int64]) -> None:
        """A token counts for the script of the character that it begins with."""
        if not text:
            return
        names, numbers = scripts_of(text)
        begins = numbers[np.minimum(spans[:, 0], len(text) - 1)]
        bytes_of = np.bincount(numbers, weights=sizes, minlength=len(names))
        tokens_of = np.bincount(begins, minlength=len(names))
        for name, bytes, tokens in zip(names, bytes_of, tokens_of, strict=True):
            self.by_script.setdefault(name, Amount()).add(int(bytes), int(tokens))

    def finish(self) -> Measures:
        self.measures.used = int((self.counts > 0).sum())
        self.measures.renyi_efficiency = renyi_efficiency(self.counts, self.measures.vocabulary)
        return self.measures


def touching(words: NDArray[np.int64], spans: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many tokens have a part of each word. An empty token, as of a character's first byte, is where it begins."""
    # Twice each place, so that half a character is a whole number: what is empty ends half a character later.
    begins = np.sort(2 * spans[:, 0])
    ends = np.sort(np.maximum(2 * spans[:, 1], 2 * spans[:, 0] + 1))
    # All that begins before the word's end, less all that ends before its beginning.
    before = np.searchsorted(begins, 2 * words[:, 1], side="left")
    return np.asarray(before - np.searchsorted(ends, 2 * words[:, 0], side="right"))
