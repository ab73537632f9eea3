"""Training Unigram: options that show, sizes, the same result for any number of threads, files that others read."""

from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill.errors import SpecError

PARTS = ["she", "sells", "sea", "shore", "ing", "er", "un", "the", "ka", "mo", "tri", "lo"]
WORDS = [a + b for i, a in enumerate(PARTS) for b in PARTS[: 12 - i]]
TEXT = [" ".join(WORDS[i % 7 :: 1 + i % 5]) + " the sea shells, 42 été" for i in range(60)]


def trained(threads: int | None = None, special_tokens: tuple[str, ...] = (), **options: Any) -> bytemill.Tokenizer:
    spec = bytemill.Unigram(**{"vocab_size": 50, "character_coverage": 1.0, **options})
    return bytemill.train(TEXT, spec, threads=threads, special_tokens=special_tokens, progress=False)


def test_size_family_and_round_trip() -> None:
    tok = trained()
    assert (tok.family, tok.vocab_size) == ("unigram", 50)
    assert [tok.id_to_token(id) for id in range(3)] == ["<unk>", "<s>", "</s>"]
    assert tok.decode(tok.encode("the sea shells")) == "the sea shells"


def test_any_number_of_threads() -> None:
    assert trained(threads=1).fingerprint == trained(threads=3).fingerprint


def test_files_keep_it(tmp_path: Path) -> None:
    tok = trained(user_defined_symbols=["sea"], byte_fallback=True, vocab_size=320, special_tokens=("<c>",))
    for name in ("a.mill", "a.mill.json", "a.model"):
        tok.save(tmp_path / name)
        again = bytemill.load(tmp_path / name)
        assert again.fingerprint == tok.fingerprint, name
        assert again.encode("sea  Ж<c>") == tok.encode("sea  Ж<c>")


def test_options_that_show() -> None:
    plain = trained()
    own = trained(user_defined_symbols=["shells"])
    assert own.id_to_token(3) == "shells"
    assert "shells" in [own.id_to_token(id) for id in own.encode("seashellsore")]
    tokens = lambda tok: [tok.id_to_token(id) for id in range(3, tok.vocab_size)]  # noqa: E731
    assert max(len(token) for token in tokens(trained(max_piece_length=3))) == 3 < max(map(len, tokens(plain)))
    assert plain.token_to_id("é") is not None
    assert trained(character_coverage=0.9).token_to_id("é") is None
    assert trained(character_coverage=0.9, required_chars="é").token_to_id("é") is not None
    assert plain.encode("sea  sea") == plain.encode(" sea sea ")
    kept = trained(remove_extra_whitespaces=False, add_dummy_prefix=False)
    assert kept.decode(kept.encode(" sea  sea")) == " sea  sea"
    assert trained(special_tokens=("<c>",)).token_to_id("<c>") == 3
    assert (
        trained(byte_fallback=True, vocab_size=310).decode(trained(byte_fallback=True, vocab_size=310).encode("Ж"))
        == "Ж"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vocab_size": 5}, "vocab_size=5 does not hold the"),
        ({"character_coverage": 0.0}, "character_coverage is above 0 and at most 1"),
        ({"shrinking_factor": 1.0}, "shrinking_factor is between 0 and 1"),
        ({"max_piece_length": 1000}, "max_piece_length is from 1 to 512"),
        ({"user_defined_symbols": [""]}, "a symbol of user_defined_symbols is not empty"),
        ({"unk_token": None}, "Unigram needs an unk_token"),
        ({"lowercase": True}, "lowercase is not for bytemill.Unigram"),
    ],
)
def test_mistakes(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        trained(**options)


def test_stages_are_its_own() -> None:
    with pytest.raises(SpecError, match="leave normalizer and pretokenizer out"):
        bytemill.train(TEXT, bytemill.Unigram(vocab_size=50), normalizer="nfc", progress=False)
