"""Unused pieces of BPE: what they fall apart into is what `sentencepiece` makes of them, and the reference too."""

import random
from pathlib import Path

import pytest

import bytemill
from bytemill import _core
from bytemill.reference.sentencepiece_bpe import SentencePieceBPE

from ..conftest import need

sentencepiece = need("sentencepiece")
need("google.protobuf")

from sentencepiece import sentencepiece_model_pb2 as messages  # noqa: E402

from .sentencepiece_models import SentencePiece, load  # noqa: E402
from .texts import files, generated  # noqa: E402

NORMAL, UNKNOWN, UNUSED, BPE = 1, 2, 5, 2


def random_model(draw: random.Random) -> tuple[bytes, SentencePieceBPE]:
    """Characters, and pieces made of others, some of them with the same score and some unused."""
    pieces = list("abc")
    for _ in range(draw.randint(0, 12)):
        pieces.append(draw.choice(pieces) + draw.choice(pieces))
    pieces = list(dict.fromkeys(pieces))
    scores = {piece: float(-draw.randint(0, 6)) for piece in pieces}
    unused = {piece for piece in pieces if draw.random() < 0.3}
    model = messages.ModelProto()
    model.trainer_spec.model_type = BPE
    model.normalizer_spec.add_dummy_prefix = False
    model.pieces.add(piece="<unk>", score=0, type=UNKNOWN)
    for piece, score in scores.items():
        model.pieces.add(piece=piece, score=score, type=UNUSED if piece in unused else NORMAL)
    return model.SerializeToString(), SentencePieceBPE(scores, unused)


@pytest.mark.peer
@pytest.mark.parametrize("part", range(4))
def test_random_models(part: int) -> None:
    for seed in range(part * 100, part * 100 + 100):
        draw = random.Random(seed)
        model, reference = random_model(draw)
        theirs = sentencepiece.SentencePieceProcessor(model_proto=model)
        case = SentencePiece(theirs, bytemill.Tokenizer(_core.from_bytes(model)))
        for _ in range(20):
            text = "".join(draw.choices("abc", k=draw.choice([1, 2, 5, 12, 60])))
            assert case.differences(text) == [], (seed, text)
            assert case.ours.tokenize(text) == reference.tokens(text), (seed, text)


@pytest.mark.peer
@pytest.mark.shared
@pytest.mark.parametrize(
    "model", ["mistral-spm/tokenizer.model.v1", "sentencepiece-fixtures/test_sentencepiece_bpe.model"]
)
def test_fewer_pieces(model: str, shared: Path, tmp_path: Path) -> None:
    ours = bytemill.load(shared / "models" / model)
    fewer = ours.restricted([piece for piece, id in ours.vocab().items() if id % 3])
    fewer.save(tmp_path / "fewer.model")
    case = load(tmp_path / "fewer.model")
    assert case.ours == fewer
    texts = [*generated(300, seed=5), *(text for _, text in files(shared, sample=3_000))]
    assert [text for text in texts if case.differences(text)] == []
    assert [ours.encode(text) for text in texts] != [fewer.encode(text) for text in texts]
