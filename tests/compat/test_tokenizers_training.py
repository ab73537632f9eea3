"""Training through `tokenizers` and through its stand-in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .both import BOTH, Library, plain, said, same

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore")]

TEXTS = [
    "the cat sat on the mat",
    "the dog sat on the cat, the mat!",
    "a cat and a dog; and a [PAD] mat\n",
    "éclair café naïve 中文 字",
]


@pytest.mark.parametrize("stage", [None, "Whitespace", "ByteLevel", "Metaspace", "BertPreTokenizer"])
@pytest.mark.parametrize(
    "options", [{}, {"min_frequency": 2, "max_token_length": 3}, {"limit_alphabet": 9}, {"vocab_size": 3}]
)
def test_bpe(stage: str | None, options: dict[str, Any]) -> None:
    def run(m: Library) -> Any:
        tok = m.Tokenizer(m.models.BPE(unk_token="[UNK]"))
        tok.pre_tokenizer = None if stage is None else getattr(m.pre_tokenizers, stage)()
        special = ["[UNK]", m.AddedToken("[PAD]", lstrip=True)]
        asked = {"vocab_size": 80, "special_tokens": special, "show_progress": False, **options}
        trainer = m.trainers.BpeTrainer(**asked)
        tok.train_from_iterator(TEXTS, trainer)
        return [tok.to_str(), plain(tok.encode("the cat [PAD] z")), tok.decode(tok.encode("the cat z").ids)]

    same(run)


def test_words_from_files(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("\n".join(TEXTS), "utf-8")

    def run(m: Library) -> Any:
        tok = m.Tokenizer(m.models.WordLevel(unk_token="[UNK]"))
        tok.pre_tokenizer = m.pre_tokenizers.Whitespace()
        tok.train([str(path)], m.trainers.WordLevelTrainer(special_tokens=["[UNK]"], show_progress=False))
        return [tok.to_str(), plain(tok.encode("the cat zzz"))]

    same(run)


def test_wordpiece_has_what_was_asked_for() -> None:
    def run(m: Library) -> Any:
        tok = m.Tokenizer(m.models.WordPiece(unk_token="[UNK]"))
        tok.normalizer, tok.pre_tokenizer = m.normalizers.Lowercase(), m.pre_tokenizers.Whitespace()
        trainer = m.trainers.WordPieceTrainer(vocab_size=60, special_tokens=["[UNK]", "[CLS]"], show_progress=False)
        tok.train_from_iterator([TEXTS, TEXTS], trainer)
        # Which of equally frequent pairs the library takes first differs from run to run.
        return [tok.get_vocab_size(), tok.get_added_tokens_decoder(), tok.model.continuing_subword_prefix]

    same(run)


@pytest.mark.parametrize("stage", [None, "Whitespace", "Metaspace"])
def test_unigram_after_any_stages(stage: str | None) -> None:
    def run(m: Library) -> Any:
        tok = m.Tokenizer(m.models.Unigram())
        tok.normalizer = m.normalizers.NFKC()
        tok.pre_tokenizer = None if stage is None else getattr(m.pre_tokenizers, stage)()
        options = {"special_tokens": ["<pad>", "<unk>"], "unk_token": "<unk>", "show_progress": False}
        tok.train_from_iterator(TEXTS * 5, m.trainers.UnigramTrainer(vocab_size=60, **options))
        special = [tok.token_to_id("<unk>"), tok.token_to_id("<pad>"), list(tok.get_added_tokens_decoder())]
        return [*special, tok.get_vocab_size() <= 60, tok.encode("🦀").ids[-1]]

    same(run)


WORDS = st.lists(st.text(alphabet="abcä中 \t", min_size=1, max_size=12), min_size=1, max_size=30)


@given(
    WORDS,
    st.integers(12, 60),
    st.sampled_from([1, 3, 16]),
    st.sampled_from([0.5, 0.75]),
    st.sampled_from([None, "<unk>"]),
)
def test_unigram_learns_the_same_pieces(
    texts: list[str], vocab_size: int, longest: int, factor: float, unk_token: str | None
) -> None:
    # Some words often, so that few pieces are as good as others: the library takes any of those.
    texts = [text for number, text in enumerate(texts) for _ in range(1 + number * number)]

    def run(m: Library) -> Any:
        tok = m.Tokenizer(m.models.Unigram())
        tok.pre_tokenizer = m.pre_tokenizers.Split(" ", "merged_with_next")
        trainer = m.trainers.UnigramTrainer(
            vocab_size=vocab_size,
            show_progress=False,
            special_tokens=["<s>"],
            max_piece_length=longest,
            shrinking_factor=factor,
            unk_token=unk_token,
        )
        tok.train_from_iterator(texts, trainer)
        return json.loads(tok.to_str())["model"]["vocab"]

    own, made = (run(m) for m in BOTH)
    assert sorted(piece for piece, _ in made) == sorted(piece for piece, _ in own)
    scores = dict(own)
    assert all(abs(score - scores[piece]) < 1e-3 for piece, score in made)


@pytest.mark.parametrize("model", ["BPE", "WordPiece", "WordLevel", "Unigram"])
@pytest.mark.parametrize("trainer", ["BpeTrainer", "WordPieceTrainer", "WordLevelTrainer", "UnigramTrainer"])
def test_trainers_train_their_own_model_alone(model: str, trainer: str) -> None:
    def run(m: Library) -> Any:
        tok = m.Tokenizer(getattr(m.models, model)())
        return said(lambda: tok.train_from_iterator(["a b"], getattr(m.trainers, trainer)(show_progress=False)))

    same(run)


def test_after_stages_written_in_python() -> None:
    def run(m: Library) -> Any:
        class Commas:
            def pre_tokenize(self, pretok: Any) -> None:
                pretok.split(lambda number, text: text.split(m.Regex("[ ,]"), "removed"))

        tok = m.Tokenizer(m.models.BPE())
        tok.normalizer, tok.pre_tokenizer = m.normalizers.Lowercase(), m.pre_tokenizers.PreTokenizer.custom(Commas())
        tok.train_from_iterator(TEXTS, m.trainers.BpeTrainer(vocab_size=60, show_progress=False))
        return [tok.get_vocab(), tok.encode("The cat,the MAT").tokens]

    same(run)


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.Tokenizer(m.models.BPE()).train_from_iterator(["a"], 1),
        lambda m: m.Tokenizer(m.models.BPE()).train_from_iterator(1),
        lambda m: m.Tokenizer(m.models.BPE()).train(["/nonexistent"]),
        lambda m: m.Tokenizer(m.models.BPE()).train("text"),
    ],
)
def test_mistakes(call: Any) -> None:
    same(call)
