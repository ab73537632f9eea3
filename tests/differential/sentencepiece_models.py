"""Every shared SentencePiece model beside the library that defines its format."""

from __future__ import annotations

import pickle
from pathlib import Path

import sentencepiece

import bytemill

MODELS = [
    "albert-base/spiece.model",
    "barthez/sentencepiece.bpe.model",
    "mistral-spm/mistral_instruct_tokenizer_240323.model.v3",
    "mistral-spm/tokenizer.model.v1",
    "sentencepiece-fixtures/test_ja_model.model",
    "sentencepiece-fixtures/test_model.model",
    "sentencepiece-fixtures/test_sentencepiece.model",
    "sentencepiece-fixtures/test_sentencepiece_bpe.model",
    "sentencepiece-fixtures/test_sentencepiece_bpe_char.model",
    "sentencepiece-fixtures/test_sentencepiece_no_bos.model",
    "sentencepiece-fixtures/test_sentencepiece_with_bytefallback.model",
    "t5-base/spiece.model",
    "xlnet-base-cased/spiece.model",
]


class SentencePiece:
    """Beside `sentencepiece`, whose places are in bytes."""

    def __init__(self, theirs: sentencepiece.SentencePieceProcessor, ours: bytemill.Tokenizer) -> None:
        self.theirs, self.ours = theirs, ours
        self.again = pickle.loads(pickle.dumps(ours))
        self.compared = 0

    def differences(self, text: str) -> list[str]:
        encoded = self.theirs.encode(text, return_type="proto")
        pieces = encoded.pieces
        ids = [piece.id for piece in pieces]
        self.compared += len(ids)
        place = characters(text)
        found = self.ours(text, offsets=True)
        checks = {
            "ids": ids == self.ours.encode(text) == self.again.encode(text) == found.ids,
            "offsets": [(place[piece.begin], place[piece.end]) for piece in pieces] == found.offsets,
            "decoded": self.theirs.decode(ids) == self.ours.decode(ids),
            "streamed": self.theirs.decode(ids) == streamed(self.ours, ids),
        }
        return [name for name, equal in checks.items() if not equal]

    def id_differences(self, text: str) -> list[str]:
        ids = self.theirs.encode(text)
        self.compared += len(ids)
        checks = {"ids": ids == self.ours.encode(text), "decoded": self.theirs.decode(ids) == self.ours.decode(ids)}
        return [name for name, equal in checks.items() if not equal]

    def pair_differences(self, first: str, second: str) -> list[str]:
        """It knows no pairs; two texts in a row are given to it as a batch."""
        expected = self.theirs.encode([first, second])
        self.compared += sum(map(len, expected))
        found = self.ours.encode_batch([first, second], threads=1)
        return [] if [list(row) for row in found] == expected else ["ids of a batch"]

    def vocabulary_differences(self) -> list[int]:
        size = self.theirs.get_piece_size()
        pieces = [self.theirs.id_to_piece(id) for id in range(size)]
        return [id for id in range(size) if self.ours.id_to_token(id) != pieces[id]]


def streamed(ours: bytemill.Tokenizer, ids: list[int]) -> str:
    stream = ours.stream()
    return "".join(stream.push(id) for id in ids) + stream.finish()


def characters(text: str) -> list[int]:
    """The number of the character that each byte belongs to, and of the end."""
    places = [number for number, c in enumerate(text) for _ in range(len(c.encode()))]
    return [*places, len(text)]


def load(path: Path) -> SentencePiece:
    return SentencePiece(sentencepiece.SentencePieceProcessor(model_file=str(path)), bytemill.load(path))
