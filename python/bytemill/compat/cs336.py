"""The interface of the first assignment of Stanford's CS336: `train_bpe` and `Tokenizer`.

>>> from pathlib import Path
>>> from bytemill.compat import cs336
>>> _ = Path("corpus.txt").write_text("low low low lower lowest<|endoftext|>newest newest widest")
>>> vocab, merges = cs336.train_bpe("corpus.txt", 262, ["<|endoftext|>"])
>>> merges
[(b'o', b'w'), (b'l', b'ow'), (b's', b't'), (b'e', b'st'), (b' ', b'low')]
>>> tok = cs336.Tokenizer(vocab, merges, ["<|endoftext|>"])
>>> ids = tok.encode("low lowest<|endoftext|>")
>>> [vocab[id] for id in ids]
[b'low', b' low', b'est', b'<|endoftext|>']
>>> tok.decode(ids)
'low lowest<|endoftext|>'
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _core
from ..errors import FormatError, SpecError
from ..reference.bpe import ALPHABET
from ..tokenizer import Tokenizer as AnyTokenizer
from ..training import BPE, CorpusTooSmall, train

if TYPE_CHECKING:
    from typing_extensions import Self

Vocab = dict[int, bytes]
Merges = list[tuple[bytes, bytes]]

_BYTES = {character: byte for byte, character in ALPHABET.items()}


def train_bpe(
    input_path: str | os.PathLike[str],
    vocab_size: int,
    special_tokens: Sequence[str],
    *,
    threads: int | None = None,
    **kwargs: object,
) -> tuple[Vocab, Merges]:
    """The vocabulary and the merges of a text file, split as GPT-2 does.

    Special tokens have the first ids, then come the bytes, then what was merged. Other keyword arguments are accepted,
    as the assignment asks for, and have no meaning.
    """
    spec = BPE(vocab_size=vocab_size, ties="cs336", min_frequency=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CorpusTooSmall)
        tok = train(
            Path(input_path),
            spec,
            special_tokens=special_tokens,
            pretokenizer="gpt2",
            threads=threads,
            progress=False,
        )
    vocab = {id: token for id in range(tok.vocab_size) if (token := tok.id_to_bytes(id)) is not None}
    return vocab, tok.merges() or []


class Tokenizer:
    """Encodes with a vocabulary and merges, in their order.

    Special tokens that the vocabulary does not have get the ids after it. A text with a byte that the vocabulary does
    not have cannot be encoded, and raises `UnknownTokenError`.
    """

    def __init__(
        self,
        vocab: Mapping[int, bytes],
        merges: Sequence[tuple[bytes, bytes]],
        special_tokens: Sequence[str] | None = None,
    ) -> None:
        ids = {token: id for id, token in vocab.items()}
        specials: dict[str, int] = {}
        following = max(vocab, default=-1) + 1
        for token in special_tokens or []:
            known = ids.get(token.encode())
            if known is None and token not in specials:
                known, following = following, following + 1
            if known is not None:
                specials[token] = known
        self.vocab = dict(vocab) | {id: token.encode() for token, id in specials.items()}
        self.merges = list(merges)
        self.special_tokens = specials
        self._tokenizer = AnyTokenizer(_core.from_bytes(json.dumps(_document(ids, self.merges, specials)).encode()))

    @classmethod
    def from_files(
        cls,
        vocab_filepath: str | os.PathLike[str],
        merges_filepath: str | os.PathLike[str],
        special_tokens: Sequence[str] | None = None,
    ) -> Self:
        """From a vocabulary in JSON and a file with a merge on each line, both written as GPT-2 writes bytes."""
        written: dict[str, int] = json.loads(Path(vocab_filepath).read_text(encoding="utf-8"))
        vocab = {id: _bytes_of(token) for token, id in written.items()}
        merges: Merges = []
        lines = Path(merges_filepath).read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, start=1):
            if not line.strip() or line.startswith("#version"):
                continue
            parts = line.split(" ")
            if len(parts) != 2:
                raise FormatError(f"{merges_filepath}, line {number}: {line!r} has {len(parts)} parts, expected 2")
            merges.append((_bytes_of(parts[0]), _bytes_of(parts[1])))
        return cls(vocab, merges, special_tokens)

    def encode(self, text: str) -> list[int]:
        # The course measures memory while this runs; threads would need some of their own.
        return self._tokenizer.encode(text, threads=1)

    def encode_iterable(self, iterable: Iterable[str]) -> Iterator[int]:
        """The ids of texts that follow one another, as of one text, without holding it."""
        yield from self._tokenizer.encode_iterable(iterable)

    def decode(self, ids: Iterable[int]) -> str:
        """The text of ids; what is not UTF-8 becomes U+FFFD."""
        return self._tokenizer.decode(ids)


def _bytes_of(token: str) -> bytes:
    """The bytes of a token as GPT-2 writes it; a special token may be written as it is."""
    if all(character in _BYTES for character in token):
        return bytes(_BYTES[character] for character in token)
    return token.encode()


def _document(ids: Mapping[bytes, int], merges: Merges, specials: Mapping[str, int]) -> dict[str, Any]:
    """The tokenizer as `.mill.json` writes it."""
    tokens: list[Any] = [None] * (max(ids.values(), default=-1) + 1)
    for token, id in ids.items():
        if token.decode(errors="replace") not in specials:
            tokens[id] = {"hex": token.hex()}
    added = [
        {"id": id, "content": token, "special": True}
        | dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
        for token, id in specials.items()
    ]
    try:
        pairs = [(ids[left], ids[right]) for left, right in merges]
    except KeyError as missing:
        raise SpecError(f"merges has the token {missing.args[0]!r}, which vocab has not") from None
    definition: dict[str, Any] = {
        "family": "bpe",
        "normalizer": None,
        "pretokenizer": {"type": "gpt2"},
        "unk": None,
        "added": added,
    }
    # A byte that vocab does not have is an error, and not left out.
    definition |= {"template": None, "decoder": "concat", "specials": "all", "symbols": {"refuse_unknown": True}}
    return {"bytemill": 1, "definition": definition, "self_test": [], "vocab": tokens, "merges": pairs}
