"""`.model` files: ids, places and decoded text are those of `sentencepiece`; what we write is what it reads.

`make matrix` takes all texts; see matrix.py.
"""

import random
from pathlib import Path

import pytest

import bytemill

from ..conftest import need

sentencepiece = need("sentencepiece")
need("google.protobuf")

from .sentencepiece_models import MODELS, SentencePiece, load  # noqa: E402
from .texts import disturbed, files, generated, large_document  # noqa: E402

pytestmark = [pytest.mark.peer, pytest.mark.shared]


@pytest.mark.parametrize("model", MODELS)
def test_every_shared_text(model: str, shared: Path) -> None:
    case = load(shared / "models" / model)
    assert case.vocabulary_differences() == []
    own = [case.theirs.id_to_piece(id) for id in range(0, min(300, case.theirs.get_piece_size()), 40)]
    texts = [*files(shared, sample=2_000), *enumerate(generated(500, specials=own))]
    assert [(name, found) for name, text in texts if (found := case.differences(text))] == []


@pytest.mark.parametrize("model", MODELS)
def test_lines_of_words(model: str, shared: Path) -> None:
    """Words are encoded as they stand in a text; some are unknown, some come again, some depend on their neighbours."""
    case = load(shared / "models" / model)
    lines = (shared / "corpora" / "tinyshakespeare.txt").read_text().splitlines()[:1500]
    draw = random.Random(7)
    words = ["".join(draw.choices("aeinst{}~<>\\^_`AZ09.,'", k=draw.randint(1, 20))) for _ in range(400)]
    lines += [" ".join(draw.choices(words, k=draw.randint(1, 12))) for _ in range(1000)]
    lines += [" a", "a ", "a  b", " ", "a\tb", "▁a b", "a ▁", "é a", " ".join(words * 40)]
    lines += disturbed([*lines, "他们说：「今天天气很好」。", "吾輩は猫である。名前はまだ無い。"], 1500)
    expected = case.theirs.encode(lines)
    assert case.ours.encode_batch(lines, threads=1).to_list() == expected
    assert [case.ours.count(line) for line in lines] == [len(ids) for ids in expected]


@pytest.mark.parametrize("model", MODELS)
def test_a_large_document(model: str, shared: Path, tmp_path: Path) -> None:
    """It is cut where that changes nothing: for threads, for memory, and where it comes bit by bit."""
    case = load(shared / "models" / model)
    text = large_document(shared)
    expected = case.theirs.encode(text)
    (tmp_path / "large.txt").write_text(text, newline="")
    for threads in (1, 3):
        assert case.ours.encode_files(tmp_path / "large.txt", threads=threads, progress=False).ids.tolist() == expected
    parts = (text[at : at + 10_000] for at in range(0, len(text), 10_000))
    assert list(case.ours.encode_iterable(parts)) == expected


@pytest.mark.parametrize("model", MODELS)
def test_what_we_write_is_what_was_read(model: str, shared: Path, tmp_path: Path) -> None:
    path = shared / "models" / model
    ours = bytemill.load(path)
    ours.save(tmp_path / "again.model")
    again = bytemill.load(tmp_path / "again.model")
    assert again.fingerprint == ours.fingerprint
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "again.model"))
    before = sentencepiece.SentencePieceProcessor(model_file=str(path))
    for text in generated(200, seed=3):
        assert theirs.encode(text) == before.encode(text)
    for id in range(0, theirs.get_piece_size(), 97):
        assert theirs.get_score(id) == before.get_score(id)
        kinds = ("is_unknown", "is_control", "is_unused", "is_byte")
        assert all(getattr(theirs, kind)(id) == getattr(before, kind)(id) for kind in kinds)


@pytest.mark.parametrize("model", ["t5-base/spiece.model", "mistral-spm/tokenizer.model.v1"])
@pytest.mark.parametrize("format", ["mill", "mill.json"])
def test_our_own_formats_keep_all_of_it(model: str, format: str, shared: Path, tmp_path: Path) -> None:
    ours = bytemill.load(shared / "models" / model)
    ours.save(tmp_path / "saved", format=format)
    again = bytemill.load(tmp_path / "saved")
    assert again == ours
    assert [again.encode(text) for text in generated(100)] == [ours.encode(text) for text in generated(100)]


def test_long_texts_without_spaces(shared: Path) -> None:
    """Sums of 32 bits begin anew on the way; nothing is quadratic."""
    for model in ("t5-base/spiece.model", "mistral-spm/tokenizer.model.v1"):
        case = load(shared / "models" / model)
        for text in ("a" * 200_000, "ab中c" * 50_000, " " * 100_000, "xyzzy," * 40_000):
            assert case.id_differences(text) == []


def test_trained_there_with_symbols_of_the_user(tmp_path: Path, shared: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text((shared / "corpora" / "tinyshakespeare.txt").read_text()[:200_000])
    options = {
        "suffix": {"treat_whitespace_as_suffix": True},
        "own": {"user_defined_symbols": ["the", "ROM", "▁a", "EO:", "é"], "control_symbols": ["<c>"]},
        "plain": {"add_dummy_prefix": False, "remove_extra_whitespaces": False},
        "bytes": {"byte_fallback": True, "character_coverage": 0.98, "normalization_rule_name": "identity"},
    }
    for kind in ("unigram", "bpe", "char"):
        for name, chosen in options.items():
            prefix = str(tmp_path / f"{kind}-{name}")
            size = 400 if kind == "char" else 600
            sentencepiece.SentencePieceTrainer.train(
                input=str(corpus),
                model_prefix=prefix,
                model_type=kind,
                vocab_size=size,
                hard_vocab_limit=False,
                self_test_sample_size=20,
                num_threads=1,
                minloglevel=2,
                **chosen,
            )
            case: SentencePiece = load(Path(prefix + ".model"))
            texts = [*generated(300, specials=["the", "ROMEO:", "<c>", "é"]), "the Other  theROMEO: a é"]
            assert [(kind, name, text) for text in texts if case.differences(text)] == []
