"""The compiled core. Private: everything a user needs is re-exported from `bytemill`."""

from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

from ._arguments.lengths import Padding, Truncation
from ._arguments.types import HowToRead, PlacedRow, Specials, Text, Watcher

@final
class Handle:
    """A built tokenizer on its way from the core into a `Tokenizer`."""

class Tokenizer:
    def __new__(cls, handle: Handle) -> Self: ...
    def encode(
        self,
        text: Text,
        *,
        specials: Specials = None,
        dropout: float | None = None,
        alpha: float | None = None,
        nbest_size: int | None = None,
        seed: int = 0,
        threads: int | None = None,
    ) -> list[int]:
        """Returns the ids of a text, without the template.

        Args:
            text: The text, `str` or `bytes` in UTF-8.
            specials: What happens to added tokens in the text: `"all"`, `"none"`, `"refuse"` or a set of tokens.
            dropout: Only BPE: the probability to skip a merge.
            alpha: Only Unigram: draw a segmentation at random; smaller values make all more equally likely.
            nbest_size: With `alpha`: draw from this many of the best segmentations; -1 means all.
            seed: The random seed for `dropout` and `alpha`.
            threads: The number of threads for a text of a megabyte or more; all cores by default.
        """
    def encode_array(
        self,
        text: Text,
        *,
        specials: Specials = None,
        dropout: float | None = None,
        alpha: float | None = None,
        nbest_size: int | None = None,
        seed: int = 0,
        threads: int | None = None,
    ) -> NDArray[np.uint32]:
        """Returns the ids of a text as a numpy array. The arguments are those of `encode`."""
    def _encode_segments(self, segments: list[tuple[str, bool]]) -> tuple[list[int], list[tuple[int, int]]]: ...
    def encode_iterable(self, texts: Iterable[str], *, specials: Specials = None) -> Iterator[int]:
        """Yields the ids of a text that comes in parts, in constant memory.

        They are the ids of the joined text, wherever the parts are cut.
        """
    def encode_bytes(self, data: bytes) -> list[int]:
        """Returns the ids of any bytes, in which no special tokens are looked for.

        What comes before the first byte that is not UTF-8 is encoded as text. Its last piece and the rest are merged
        as one piece, as `tiktoken` does. A tokenizer that is not byte-level takes UTF-8 alone.
        """
    def encode_piece(self, data: bytes) -> list[int]:
        """Returns the ids of bytes that are one piece: the text is not split first. Only byte-level BPE."""
    def encode_unstable(self, text: Text, *, specials: Specials = None) -> tuple[list[int], list[list[int]]]:
        """Encodes a text that may go on. Only byte-level BPE.

        Returns the ids that stay, and every row of ids that may come after these once the text goes on. A row reaches
        at least to the end of the text. The rule is that of `encode_with_unstable` of `tiktoken`.
        """
    def count(self, text: Text, *, specials: Specials = None) -> int:
        """Counts the ids of a text without keeping them."""
    def count_till(self, text: Text, limit: int, *, specials: Specials = None) -> int | None: ...
    def cut_index(self, text: Text, limit: int, *, from_end: bool = False, specials: Specials = None) -> int: ...
    def count_batch(
        self, texts: Iterable[Text], *, specials: Specials = None, threads: int | None = None
    ) -> NDArray[np.int64]: ...
    def tokenize(
        self,
        text: Text,
        *,
        specials: Specials = None,
        dropout: float | None = None,
        alpha: float | None = None,
        nbest_size: int | None = None,
        seed: int = 0,
    ) -> list[str]:
        """Returns the tokens of a text, as text. The arguments are those of `encode`."""
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
    ) -> Encoding: ...
    def inputs(
        self,
        texts: Iterable[Text | Sequence[Text]],
        pairs: Iterable[Text | Sequence[Text] | None] | None = None,
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
        threads: int | None = None,
    ) -> list[Encoding]:
        """Returns the inputs of many texts or pairs, on all cores. The arguments are those of calling the tokenizer."""
    def decode(self, ids: Iterable[int], *, skip_special_tokens: bool = False, clean_up: bool = False) -> str:
        """Returns the text of ids. Bytes that are not UTF-8 become U+FFFD.

        Args:
            ids: A list, an array, a tensor with `tolist`, or any iterable of integers.
            skip_special_tokens: Leave out special tokens.
            clean_up: Remove the spaces before punctuation and English contractions that some models leave.
        """
    def decode_bytes(self, ids: Iterable[int], *, skip_special_tokens: bool = False) -> bytes:
        """Returns the bytes of ids."""
    def decode_batch(
        self, rows: Iterable[Iterable[int]], *, skip_special_tokens: bool = False, clean_up: bool = False
    ) -> list[str]:
        """Returns the texts of many rows of ids."""
    def stream(
        self, *, prefix: Iterable[int] = (), skip_special_tokens: bool = False, graphemes: bool = False
    ) -> DecodeStream:
        """Returns a decoder for ids that come one by one.

        Args:
            prefix: Ids before them whose text is there already, such as those of a prompt. The stream gives only what
                follows: also the rest of a character, or the space before a word, that the prefix has left open.
            skip_special_tokens: Leave out special tokens.
            graphemes: Never end a text inside a grapheme cluster either, such as a letter with its accents, a flag, or
                a family of emoji. The last cluster waits until it is known to be whole.
        """
    def token_to_id(self, token: Text) -> int | None:
        """Returns the id of a token, or None."""
    def id_to_token(self, id: int) -> str | None:
        """Returns the token of an id as text, or None."""
    def id_to_bytes(self, id: int) -> bytes | None:
        """Returns the token of an id as bytes, or None."""
    def vocab(self) -> dict[str, int]:
        """Returns every token with its id, in the order of the ids."""
    def vocab_bytes(self) -> dict[bytes, int]:
        """Returns every token as bytes with its id, in the order of the ids."""
    def to_bytes(self, format: str = "mill") -> bytes:
        """Returns the content of the file that `save` would write."""
    def _frame(self) -> tuple[list[tuple[int, int]], int, list[tuple[int, int]]] | None: ...
    def _decode_known(self, ids: Sequence[int], skip_special_tokens: bool) -> str: ...
    def _with_simd(self, level: str) -> Handle | None: ...
    def _with_tokens(self, tokens: Sequence[tuple[str, bool]]) -> Handle: ...
    def _written_to_id(self, token: str) -> int | None: ...
    def _id_to_written(self, id: int) -> str | None: ...
    def definition(self) -> str:
        """Returns everything except the vocabulary, as JSON."""
    def __contains__(self, token: object, /) -> bool: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: object) -> Self: ...
    @property
    def family(self) -> str:
        """The family: `"char"`, `"word"`, `"bpe"`, `"wordpiece"` or `"unigram"`."""
    @property
    def fingerprint(self) -> str:
        """A SHA-256 of the content: the same for equal tokenizers, on every machine."""
    @property
    def vocab_size(self) -> int:
        """One more than the largest id."""
    @property
    def special_tokens(self) -> dict[str, int]:
        """The special tokens with their ids."""
    @property
    def added_tokens(self) -> dict[str, int]:
        """All tokens that were added to the model's vocabulary, special or not, with their ids."""
    @property
    def roles(self) -> dict[str, str]:
        """The tokens that have a role (`pad`, `unk`, `bos`, `eos`, `cls`, `sep`, `mask`), by role."""
    @property
    def pad_id(self) -> int | None:
        """The id of the token for padding, or None."""
    @property
    def unk_id(self) -> int | None:
        """The id of the token for unknown text, or None."""
    @property
    def bos_id(self) -> int | None:
        """The id of the token for the beginning of a text, or None."""
    @property
    def eos_id(self) -> int | None:
        """The id of the token for the end of a text, or None."""
    @property
    def cls_id(self) -> int | None:
        """The id of the token for the classification of a text, or None."""
    @property
    def sep_id(self) -> int | None:
        """The id of the token for the separation of two texts, or None."""
    @property
    def mask_id(self) -> int | None:
        """The id of the token for masked text, or None."""
    @property
    def training_stats(self) -> dict[str, Any] | None:
        """What the training counted, or None."""
    def merges(self) -> list[tuple[bytes, bytes]] | None:
        """Returns the pairs of tokens that merge, the highest priority first; None for a family without merges."""
    def _encode_batch(
        self,
        texts: Iterable[Text],
        specials: Specials,
        threads: int | None,
        *,
        dropout: float | None = None,
        alpha: float | None = None,
        nbest_size: int | None = None,
        seed: int = 0,
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]: ...
    def _encode_arrow(self, array: Any, specials: Specials, threads: int | None) -> IdLists: ...
    def _encode_files(
        self,
        sources: Sequence[str],
        watcher: Watcher | None,
        *,
        how: HowToRead,
        documents: Iterator[str] | None,
        prepend: int | None,
        append: int | None,
        specials: Specials,
        threads: int | None,
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]: ...
    def _write_files(
        self,
        sources: Sequence[str],
        output: str,
        watcher: Watcher | None,
        *,
        writing: dict[str, Any],
        how: HowToRead,
        documents: Iterator[str] | None,
        prepend: int | None,
        append: int | None,
        specials: Specials,
        threads: int | None,
    ) -> dict[str, Any]: ...
    def _count_files(
        self,
        sources: Sequence[str],
        watcher: Watcher | None,
        *,
        how: HowToRead,
        specials: Specials,
        threads: int | None,
    ) -> tuple[list[tuple[Path, int, int, int, int]], list[Path]]: ...
    def _normalized(self, text: Text) -> tuple[str, list[int]]: ...
    def _encode_placed(
        self,
        text: Text,
        *,
        dropout: float | None = None,
        alpha: float | None = None,
        nbest_size: int | None = None,
        seed: int = 0,
    ) -> PlacedRow: ...
    def _encode_unknown(
        self,
        text: Text,
        *,
        dropout: float | None = None,
        alpha: float | None = None,
        nbest_size: int | None = None,
        seed: int = 0,
    ) -> tuple[list[int], list[tuple[int, str]]]: ...
    def _draw_placed(self, text: Text, n: int, sampling: tuple[float, int, bool, bool] | None) -> list[PlacedRow]: ...
    def _decode_placed(self, ids: Iterable[int]) -> tuple[bytes, list[int]]: ...
    def _decode_pieces(self, pieces: list[bytes]) -> tuple[bytes, list[int]]: ...
    def _keeping(self, text: str) -> Handle: ...
    def _types_and_scores(self) -> list[tuple[int, float]]: ...
    def _pick_specials(self, matched: list[str], refused: list[str] | None) -> PickedSpecials: ...
    def _session(self, text: Text, specials: Specials, chunk_bytes: int = 1024) -> Session: ...
    def _last_cut(self, text: str) -> tuple[int, int] | None: ...
    def entropy(self, text: Text, *, alpha: float = 1.0, specials: Specials = None) -> float:
        """Returns the entropy of the segmentations of a text under a Unigram model, in nats."""
    def log_probability(self, text: Text, *, specials: Specials = None) -> float:
        """Returns the logarithm of the probability of a text under a Unigram model, over all segmentations."""
    def score(self, ids: Iterable[int]) -> float:
        """Returns the sum of the scores of ids: the logarithm of their probability under a Unigram model."""
    def _nbest(self, text: Text, n: int, specials: Specials) -> list[tuple[list[int], float]]: ...
    def _sample(
        self,
        text: Text,
        n: int,
        specials: Specials,
        *,
        alpha: float,
        seed: int,
        replacement: bool,
        include_best: bool,
    ) -> list[tuple[list[int], float]]: ...
    def _restricted(self, pieces: list[str]) -> Handle: ...
    def _truncated(self, size: int) -> Handle: ...
    def _without_fast_path(self) -> Handle: ...
    def _encode_code(self, source: Text, language: str | None, specials: Specials) -> dict[str, Any]: ...
    def _explain(
        self, text: Text, specials: Specials
    ) -> list[tuple[str, tuple[int, int], bool, list[int], list[tuple[int, int, int, int, int]], list[int]]]: ...
    def _save(self, path: str, format: str | None) -> None: ...
    def _differences(self, path: str, format: str | None) -> list[str]: ...
    def _left_out(self, path: str, format: str | None) -> tuple[str | None, list[tuple[str, int]]] | None: ...

@final
class IdLists:
    """Rows of ids that other libraries take without a copy, by Arrow's PyCapsule interface."""

    def __len__(self) -> int: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[Any, Any]: ...

@final
class PickedSpecials:
    """Which special tokens a call matches and which it refuses; from `Tokenizer.pick_specials`."""

@final
class Encoding:
    """The input of a model: the ids of a text or a pair with its template, and what each id stands for."""

    @property
    def ids(self) -> list[int]:
        """The ids."""
    @property
    def tokens(self) -> list[str]:
        """The tokens, as text."""
    @property
    def type_ids(self) -> list[int]:
        """The type of each id: 0 for the first text, 1 for the second, unless the template differs."""
    @property
    def attention_mask(self) -> list[int]:
        """1 for each id, 0 for padding."""
    @property
    def special_tokens_mask(self) -> list[int]:
        """1 for tokens of the template and padding, 0 for tokens of the text."""
    @property
    def sequence_ids(self) -> list[int | None]:
        """The text that each id belongs to, 0 or 1; None for tokens of the template."""
    @property
    def word_ids(self) -> list[int | None]:
        """The number of the piece that each id belongs to; None for tokens of the template."""
    @property
    def offsets(self) -> list[tuple[int, int]]:
        """Where each token begins and ends in its text; needs `offsets=` in the call."""
    @property
    def overflowing(self) -> list[Encoding]:
        """Further inputs with what truncation cut off, if the call asked for it."""
    def char_to_token(self, position: int, sequence: int = 0) -> int | None:
        """Returns the index of the token that holds a character of the first or second text, or None."""
    def char_to_word(self, position: int, sequence: int = 0) -> int | None:
        """Returns the number of the word that holds a character, or None."""
    def token_to_chars(self, token: int) -> tuple[int, int] | None:
        """Returns where a token begins and ends in its text, or None."""
    def token_to_word(self, token: int) -> int | None:
        """Returns the number of the word that a token belongs to, or None."""
    def token_to_sequence(self, token: int) -> int | None:
        """Returns the text that a token belongs to, 0 or 1, or None."""
    def word_to_tokens(self, word: int, sequence: int = 0) -> tuple[int, int] | None:
        """Returns the first token of a word, and the one after its last."""
    def word_to_chars(self, word: int, sequence: int = 0) -> tuple[int, int] | None:
        """Returns where a word begins and ends in its text."""
    def array(self) -> NDArray[np.uint32]:
        """Returns the ids as a numpy array."""
    @property
    def written_tokens(self) -> list[str]:
        """The tokens as tokenizer.json writes them: those of byte-level BPE in the alphabet of bytes (`Ġthe`)."""
    @property
    def sequences(self) -> list[tuple[int, tuple[int, int]]]:
        """The texts, 0 and 1, each with the first of its tokens and the one after the last."""
    def truncated(self, length: int, *, stride: int = 0, side: str = "right") -> Encoding:
        """Returns the first ids, or the last with `side="left"`. The others are in `overflowing`.

        The parts in `overflowing` have at most `length` ids each, of which `stride` are those at the end of the part
        before.
        """
    def padded(
        self, length: int, *, id: int = 0, token: str = "[PAD]", type_id: int = 0, side: str = "right"
    ) -> Encoding:
        """Returns the ids with padding up to `length`, at the end, or at the start with `side="left"`."""
    @staticmethod
    def merged(encodings: Sequence[Encoding], *, growing_offsets: bool = True) -> Encoding:
        """Returns several encodings as one. With `growing_offsets`, offsets go on where the encoding before ended."""
    def with_sequence_id(self, id: int) -> Encoding:
        """Returns the same with all ids being of the text of this number."""
    def _repr_html_(self) -> str: ...
    def _written(self, bare: bool = False) -> Encoding: ...
    @staticmethod
    def _processed(
        processor: str | None, texts: Sequence[Encoding], add_special_tokens: bool, truncation: str | None
    ) -> Encoding: ...
    @staticmethod
    def _of_tokens(tokens: Sequence[tuple[int, str, int, int, int]], type_id: int) -> Encoding: ...
    def __reduce__(self) -> tuple[Any, tuple[Any]]: ...
    def __len__(self) -> int: ...

@final
class Session:
    """The core of `bytemill.Session`."""

    def replace(self, start: int | None, end: int | None, text: Text) -> None: ...
    def fork(self) -> Session: ...
    def text(self) -> str: ...
    def length(self) -> int: ...
    def ids(self) -> IdChunks: ...
    def count(self, start: int, end: int) -> int: ...
    def cut_index(self, limit: int, from_end: bool) -> int: ...
    def stable(self) -> int: ...
    def unbounded(self) -> str | None: ...

@final
class IdChunks:
    """The ids of a session at a time."""

    def __len__(self) -> int: ...
    def array(self, start: int, end: int) -> NDArray[np.uint32]: ...

@final
class DecodeStream:
    """Decodes ids one by one. The text never ends inside a character."""

    def push(self, id: int) -> str:
        """Takes an id and returns the text that has become certain, which may be empty."""
    def finish(self) -> str:
        """Returns the rest of the text."""

@final
class EncodedParts:
    """The ids of `encode_iterable`, a list for each stretch of the text that is certain."""

    def __iter__(self) -> Self: ...
    def __next__(self) -> list[int]: ...

@final
class StagedModel:
    """A model of tokenizer.json, to which stages are given and taken."""

    @staticmethod
    def open(data: bytes) -> tuple[StagedModel, str]: ...
    def parameters(self) -> str: ...
    def with_parameters(self, parameters: str) -> StagedModel: ...
    def with_stages(self, rest: str) -> Handle: ...
    def write(self, rest: str, parameters: str, pretty: bool) -> str: ...
    def write_model(self, parameters: str) -> str: ...
    def vocab(self) -> dict[str, int]: ...
    def merges(self) -> list[tuple[str, str]]: ...
    def token_to_id(self, token: str) -> int | None: ...
    def id_to_token(self, id: int) -> str | None: ...
    def tokenize(self, piece: str) -> list[tuple[int, str, tuple[int, int]]]: ...
    def __len__(self) -> int: ...

@final
class Documents:
    """The documents of files, each with its place: `a.txt`, or `a.jsonl, line 3`."""

    def __new__(cls, paths: Sequence[str], how: HowToRead, *, whole: bool = True) -> Self: ...
    @property
    def bytes_read(self) -> int: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> tuple[str, str]: ...

@final
class Counts:
    """The counts of a `PieceCounts`."""

    @staticmethod
    def load(path: str | PathLike[str]) -> Counts: ...
    @staticmethod
    def from_pairs(pairs: Sequence[tuple[str, int]], made_by: str | None) -> Counts: ...
    @staticmethod
    def merge(parts: Sequence[Counts], threads: int | None, memory: int | None, watcher: Watcher | None) -> Counts: ...
    def partition(self, parts: int, text: int, memory: int | None) -> list[Counts]: ...
    @staticmethod
    def merge_parts(parts: Sequence[Counts], memory: int | None) -> Counts: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    @property
    def documents(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def total(self) -> int: ...
    @property
    def ordered(self) -> bool: ...
    @property
    def made_by(self) -> str | None: ...
    def __len__(self) -> int: ...
    def count(self, piece: str) -> int: ...
    def most_common(self, most: int | None) -> list[tuple[str, int]]: ...
    def in_order_of_appearance(self) -> list[tuple[str, int]]: ...
    def part(self, number: int) -> list[tuple[str, int]] | None: ...

def read(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    splitting: str | None = None,
    special_tokens: Sequence[tuple[str, int]] | None = None,
    normalizer: str | None = None,
    byte_level: bool | None = None,
    unk_token: str | None = None,
    encoding: str | None = None,
) -> Handle: ...
def from_bytes(data: bytes) -> Handle: ...
def charsmap(normalization: str) -> bytes: ...
def charsmap_rules(charsmap: bytes) -> list[tuple[str, str]]: ...
def of_ranks(ranks: dict[bytes, int], splitting: str, special_tokens: Sequence[tuple[str, int]]) -> Handle: ...
def features() -> tuple[str, list[str], int]: ...
def list_files(paths: Sequence[str]) -> tuple[list[tuple[Path, str]], list[Path]]: ...
def may_be_of(manifest: str, file: str) -> bool: ...
def write_file(path: str | PathLike[str], bytes: bytes) -> None: ...
def format_of_name(path: str | PathLike[str]) -> str: ...
def sniff(path: str | PathLike[str]) -> str: ...
def count_pieces(
    source: Sequence[str] | Iterator[str],
    made_by: str,
    watcher: Watcher | None,
    *,
    how: HowToRead,
    threads: int | None,
    memory: int | None,
    order: bool,
) -> Counts: ...
def made_by(spec: str, special_tokens: Sequence[str]) -> str: ...
def train(
    source: Counts | Sequence[str] | Iterator[str],
    spec: str,
    watcher: Watcher | None,
    *,
    special_tokens: Sequence[tuple[str, int | None]],
    normalizer: str | None,
    pretokenizer: str | None,
    how: HowToRead,
    threads: int | None,
    memory: int | None,
    continue_from: Tokenizer | None,
    log: str | None,
    checkpoint: tuple[str, float] | None,
    counted: bool,
) -> tuple[Handle, list[str]]: ...
def count_for_training(
    source: Sequence[str] | Iterator[str], spec: str, watcher: Watcher | None, **keywords: Any
) -> Counts: ...
def learn_parity(
    train: Sequence[Counts],
    dev: Sequence[Counts],
    watcher: Watcher | None,
    *,
    num_merges: int,
    window: tuple[int, float] | None,
    min_frequency: int,
    ratio: Sequence[float] | None,
    global_merges: int,
    total_symbols: bool,
    special_tokens: Sequence[str],
    limit_alphabet: int | None,
    initial_alphabet: Sequence[str],
    continuing_subword_prefix: str | None,
    end_of_word_suffix: str | None,
    max_token_length: int | None,
) -> tuple[list[str], list[tuple[int, int]]]: ...
def _id_lists(ids: NDArray[np.uint32], offsets: NDArray[np.int64]) -> list[list[int]]: ...
def _copied_ids(ids: list[Any], direct: bool) -> list[int] | None: ...
def _backtracking_steps(pattern: str, text: str, limit: int) -> int: ...
def _scan_rate(text: bytes) -> float: ...
def _unpickled_encoding(state: Any) -> Encoding: ...
def _own_normalizer(normalizer: str) -> str: ...
def _own_pretokenizer(pretokenizer: str) -> str: ...
def _stage_added(processor: str, pair: bool) -> int: ...
def _stage_decode(decoder: str, tokens: list[str]) -> str: ...
def _stage_normalize(normalizer: str, text: str) -> list[tuple[str, tuple[int, int]]]: ...
def _stage_split(pretokenizer: str, text: str, at_start: bool) -> list[list[tuple[str, tuple[int, int]]]]: ...
def normalize(normalizer: str, text: str) -> str: ...
def split_identifier(name: str) -> list[str]: ...
def detect_language(source: bytes, name: str | PathLike[str] | None) -> str | None: ...
def source_files(paths: Sequence[str], language: str | None) -> list[str]: ...
def keywords(language: str) -> list[str]: ...
def language_name(name: str) -> str | None: ...
def code_names() -> tuple[list[str], list[str], list[str]]: ...
def wheel_version(language: str) -> str | None: ...
def node_names(language: str) -> list[str]: ...
def code_pieces(source: Text, language: str | None, detect: bool) -> dict[str, Any]: ...
def syntax_nodes(source: bytes, language: str, stock: bool) -> NDArray[np.uint32] | None: ...
def split(pretokenizer: str, text: str) -> list[tuple[str, tuple[int, int]]]: ...

__version__: str
__all__ = [
    "Counts",
    "DecodeStream",
    "Documents",
    "EncodedParts",
    "Encoding",
    "Handle",
    "IdChunks",
    "IdLists",
    "PickedSpecials",
    "Session",
    "StagedModel",
    "Tokenizer",
    "__version__",
    "_backtracking_steps",
    "_copied_ids",
    "_id_lists",
    "_own_normalizer",
    "_own_pretokenizer",
    "_scan_rate",
    "_stage_added",
    "_stage_decode",
    "_stage_normalize",
    "_stage_split",
    "_unpickled_encoding",
    "charsmap",
    "charsmap_rules",
    "code_names",
    "code_pieces",
    "count_for_training",
    "count_pieces",
    "detect_language",
    "features",
    "format_of_name",
    "from_bytes",
    "keywords",
    "language_name",
    "learn_parity",
    "list_files",
    "made_by",
    "may_be_of",
    "node_names",
    "normalize",
    "of_ranks",
    "read",
    "sniff",
    "source_files",
    "split",
    "split_identifier",
    "syntax_nodes",
    "train",
    "wheel_version",
    "write_file",
]
