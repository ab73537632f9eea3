"""Training SentencePiece's models: options that show, sizes, the same result for any number of threads, files."""

from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill.errors import SpecError

PARTS = ["she", "sells", "sea", "shore", "ing", "er", "un", "the", "ka", "mo", "tri", "lo"]
WORDS = [a + b for i, a in enumerate(PARTS) for b in PARTS[: 12 - i]]
TEXT = [" ".join(WORDS[i % 7 :: 1 + i % 5]) + " the sea shells, 42 été" for i in range(60)]
MODELS = ["unigram", "bpe", "char", "word"]


PLAIN: dict[str, Any] = {"vocab_size": 50, "character_coverage": 1.0, "normalization": "identity"}


def trained(
    model: str = "unigram",
    text: list[str] = TEXT,
    threads: int | None = None,
    special: tuple[str, ...] = (),
    **options: Any,
) -> bytemill.Tokenizer:
    spec = bytemill.SentencePiece(**{"model": model, **PLAIN, **options})
    return bytemill.train(text, spec, threads=threads, special_tokens=special, progress=False)


def tokens(tok: bytemill.Tokenizer) -> list[str | None]:
    return [tok.id_to_token(id) for id in range(tok.vocab_size)]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.filterwarnings("ignore::bytemill.training.CorpusTooSmall")
def test_size_and_round_trip(model: str) -> None:
    size = 20 if model == "char" else 60
    tok = trained(model, vocab_size=size)
    assert tok.vocab_size == size
    assert tokens(tok)[:3] == ["<unk>", "<s>", "</s>"]
    assert tok.decode(tok.encode("the sea")) == "the sea"


def test_unigram_is_its_model_of_that_name() -> None:
    spec = bytemill.Unigram(**PLAIN)
    assert bytemill.train(TEXT, spec, progress=False) == trained()
    assert spec.model == "unigram"


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.filterwarnings("ignore::bytemill.training.CorpusTooSmall")
def test_any_number_of_threads_and_any_cut(model: str, tmp_path: Path) -> None:
    one = trained(model, threads=1)
    assert one.fingerprint == trained(model, threads=3).fingerprint
    (tmp_path / "text").write_text("\n".join(TEXT))
    spec = bytemill.SentencePiece(**{"model": model, **PLAIN})
    assert bytemill.train(tmp_path / "text", spec, progress=False).fingerprint == one.fingerprint


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.filterwarnings("ignore::bytemill.training.CorpusTooSmall")
def test_files_keep_it(model: str, tmp_path: Path) -> None:
    tok = trained(model, user_defined_symbols=["sea"], byte_fallback=True, vocab_size=320, special=("<c>",))
    for name in ("a.mill", "a.mill.json", "a.model"):
        tok.save(tmp_path / name)
        again = bytemill.load(tmp_path / name)
        assert again.fingerprint == tok.fingerprint, name
        assert again.encode("sea  Ж<c>") == tok.encode("sea  Ж<c>")


def test_all_words_and_all_characters() -> None:
    text = ["b a a", "a c"]
    assert tokens(trained("word", text, vocab_size=None))[3:] == ["▁a", "▁b", "▁c"]
    assert tokens(trained("char", text, vocab_size=None))[3:] == ["▁", "a", "b", "c"]
    assert tokens(trained("char", text, vocab_size=None, character_coverage=0.6))[3:] == ["▁", "a"]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("identity", "Ａﬁ\u200bÀ"),
        ("nfkc", "Afi\u200bÀ"),
        ("nmt_nfkc", "Afi À"),
        ("nfkc_cf", "afi\u200bà"),
        ("nmt_nfkc_cf", "afi à"),
    ],
)
def test_normalization(rule: str, expected: str) -> None:
    text = "Ａﬁ\u200bÀ"
    tok = trained("char", [text], vocab_size=None, normalization=rule)
    assert tok.decode(tok.encode(text)) == expected


def test_normalization_by_a_table(tmp_path: Path) -> None:
    table = tmp_path / "rules.tsv"
    table.write_text("61\t62 63\t# a => bc\n64\n")
    tok = trained("char", ["bc x"], vocab_size=None, normalization=table)
    assert tok.decode(tok.encode("adax")) == "bcbcx"
    table.write_text("61\t62\nhello\t61\n")
    with pytest.raises(SpecError, match='line 2 of the normalization rules: "hello" is no code point'):
        trained(normalization=table)
    with pytest.raises(FileNotFoundError):
        trained(normalization=tmp_path / "none.tsv")


def test_options_that_show() -> None:
    plain = trained()
    own = trained(user_defined_symbols=["shells"])
    assert own.id_to_token(3) == "shells"
    assert "shells" in [own.id_to_token(id) for id in own.encode("seashellsore")]
    longest = lambda tok: max(len(token or "") for token in tokens(tok)[3:])  # noqa: E731
    assert longest(trained(max_piece_length=3)) == 3 < longest(plain)
    assert plain.token_to_id("é") is not None
    assert trained(character_coverage=0.9).token_to_id("é") is None
    assert trained(character_coverage=0.9, required_chars="éж").token_to_id("ж") is not None
    assert plain.encode("sea  sea") == plain.encode(" sea sea ")
    kept = trained(remove_extra_whitespaces=False, add_dummy_prefix=False)
    assert kept.decode(kept.encode(" sea  sea")) == " sea  sea"
    assert trained(special=("<c>",)).token_to_id("<c>") == 3
    fallback = trained(byte_fallback=True, vocab_size=310)
    assert fallback.decode(fallback.encode("Ж")) == "Ж"


@pytest.mark.parametrize("model", ["unigram", "bpe"])
def test_where_pieces_may_lie(model: str) -> None:
    text = ["a1 a1 a1 22 22 22 аб1 x-x x-x  x-x  for x  for x  for x"] * 9

    def pieces(**options: Any) -> set[str | None]:
        return set(tokens(trained(model, text, vocab_size=40, **options)))

    with pytest.warns(bytemill.training.CorpusTooSmall):
        plain = pieces()
        assert plain & {"22", "▁22"} and not plain & {"a1", "x-x", "r▁x"}
        assert not any("2" in (token or "") and token != "2" for token in pieces(split_digits=True))
        assert pieces(split_by_number=False) & {"a1", "▁a1"}
        assert pieces(split_by_unicode_script=False) & {"x-x", "▁x-x"}
        assert any("▁" in (token or "")[1:] for token in pieces(split_by_whitespace=False))
        suffixes = pieces(treat_whitespace_as_suffix=True)
        assert "for▁" in suffixes and not any((token or "")[1:] and token[0] == "▁" for token in suffixes if token)
        if model == "unigram":
            spaced = {"allow_whitespace_only_pieces": True, "remove_extra_whitespaces": False}
            assert "▁▁" in pieces(**spaced) and "▁▁" not in pieces(remove_extra_whitespaces=False)


def test_lines_are_texts() -> None:
    """No piece reaches over the end of a line, and none has it."""
    tok = trained("bpe", ["ab\nab\nab"] * 5, vocab_size=8, normalization="identity")
    assert tokens(tok)[3:] == ["ab", "▁ab", "a", "b", "▁"]


def test_roles_have_their_names(tmp_path: Path) -> None:
    tok = trained(unk_token="[U]", bos_token=None, eos_token="[E]", pad_token="[P]")
    assert tokens(tok)[:3] == ["[U]", "[E]", "[P]"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vocab_size": 5}, "vocab_size=5 does not hold the"),
        ({"model": "bpe", "vocab_size": 5}, "vocab_size=5 does not hold the"),
        ({"model": "words"}, "there is no model named 'words'; did you mean 'word'?"),
        ({"normalization": "nkfc"}, "there is no normalization named 'nkfc'; did you mean 'nfkc'?"),
        ({"normalization": "rules.tsv"}, "a table of rules is given as a path"),
        ({"model": "bpe", "seed_size": 5}, r"seed_size is not for bytemill.SentencePiece\(model=\"bpe\"\)"),
        ({"model": "bpe", "allow_whitespace_only_pieces": True}, "allow_whitespace_only_pieces goes with model="),
        ({"character_coverage": 0.0}, "character_coverage is above 0 and at most 1"),
        ({"shrinking_factor": 1.0}, "shrinking_factor is between 0 and 1"),
        ({"max_piece_length": 1000}, "max_piece_length is from 1 to 512"),
        ({"user_defined_symbols": [""]}, "a symbol of user_defined_symbols is not empty"),
        ({"unk_token": None}, "SentencePiece and Unigram need an unk_token"),
        ({"lowercase": True}, "lowercase is not for bytemill.SentencePiece"),
    ],
)
def test_mistakes(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        trained(**options)


def test_stages_are_its_own() -> None:
    spec = bytemill.SentencePiece(vocab_size=50, model="bpe")
    with pytest.raises(SpecError, match="leave normalizer and pretokenizer out"):
        bytemill.train(TEXT, spec, normalizer="nfc", progress=False)


def test_unigram_takes_stages_before_it() -> None:
    tok = bytemill.train(
        ["Low LOWER lowest\n"] * 9,
        bytemill.Unigram(vocab_size=13),
        normalizer=bytemill.normalizers.Lowercase(),
        pretokenizer="whitespace",
        progress=False,
    )
    assert all(token.islower() for token in tok.tokenize("LOWEST low"))
    assert "".join(tok.tokenize("LOWEST low")) == "lowestlow"
