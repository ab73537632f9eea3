"""Normalizers and pretokenizers: objects, names, and their part in a training."""

from __future__ import annotations

import pytest

import bytemill
from bytemill import normalizers as n
from bytemill import pretokenizers as p
from tests.samples import words


@pytest.mark.parametrize(
    ("normalizer", "text", "expected"),
    [
        (n.Lowercase(), "ÀB ΑΣ İ", "àb ασ i̇"),
        (n.NFC(), "e\u0301", "é"),
        (n.NFD(), "é", "e\u0301"),
        (n.NFKC(), "ﬁ①", "fi1"),
        (n.NFKD(), "é①", "e\u03011"),
        (n.StripAccents(), "e\u0301é", "eé"),
        (n.Strip(), " \u3000a b\n", "a b"),
        (n.Strip(right=False), " a ", "a "),
        (n.Strip(left=False), " a ", " a"),
        (n.Bert(), "ÉA\x00\t中", "ea  中 "),
        (n.Bert(clean_text=False), "a\x00\tb", "a\x00\tb"),
        (n.Bert(split_cjk=False), "a中", "a中"),
        (n.Bert(strip_accents=False), "ÉA", "éa"),
        (n.Bert(lowercase=False), "ÉA", "ÉA"),
        (n.Bert(lowercase=False, strip_accents=True), "ÉA", "EA"),
        (n.Replace(r"\s+", " "), "a \n b", "a b"),
        (n.Replace(".", "!", literal=True), "a.b", "a!b"),
        (n.Prepend("▁"), "a", "▁a"),
        (n.Prepend("▁"), "", ""),
        (n.Nmt(), "a\x01\u200bb", "a b"),
        (n.ByteLevel(), " é", "ĠÃ©"),
        (n.Sequence([n.NFD(), n.StripAccents(), n.Lowercase()]), "ÀÉ", "ae"),
        (n.Sequence(), "ÀÉ", "ÀÉ"),
    ],
)
def test_normalizers_by_example(normalizer: n.Normalizer, text: str, expected: str) -> None:
    assert normalizer.normalize(text) == expected


@pytest.mark.parametrize(
    ("pretokenizer", "text", "expected"),
    [
        (p.Whitespace(), "a_b, c... d", ["a_b", ",", "c", "...", "d"]),
        (p.WhitespaceSplit(), " a, b\u3000c ", ["a,", "b", "c"]),
        (p.Bert(), "a, b..", ["a", ",", "b", ".", "."]),
        (p.Punctuation(), "a b,,c", ["a b", ",", ",", "c"]),
        (p.Punctuation("removed"), "a b,,c", ["a b", "c"]),
        (p.Punctuation("contiguous"), "a,,c", ["a", ",,", "c"]),
        (p.Punctuation("merged_with_previous"), "a,,c", ["a,", ",", "c"]),
        (p.Punctuation("merged_with_next"), "a,,c", ["a", ",", ",c"]),
        (p.Digits(), "a12b", ["a", "12", "b"]),
        (p.Digits(individual=True), "a12b", ["a", "1", "2", "b"]),
        (p.Delimiter(), "a b  c", ["a", "b", "c"]),
        (p.Delimiter("é"), "aébéé c", ["a", "b", " c"]),
        (p.FixedLength(), "aé", ["a", "é"]),
        (p.FixedLength(2), "aébcd", ["aé", "bc", "d"]),
        (p.GPT2(), "Hello world's  1234!", ["Hello", " world", "'s", " ", " 1234", "!"]),
        (p.CL100K(), "I'LL pay 1234", ["I", "'LL", " pay", " ", "123", "4"]),
        (p.O200K(), "HTMLParser don't", ["HTMLParser", " don't"]),
        (p.Sequence([p.WhitespaceSplit(), p.Digits(individual=True)]), "a12 b3", ["a", "1", "2", "b", "3"]),
        (p.Sequence(), "a b", ["a b"]),
        (p.Bert(), "", []),
        (p.Sequence([p.Bert()]), "", []),
    ],
)
def test_pretokenizers_by_example(pretokenizer: p.PreTokenizer, text: str, expected: list[str]) -> None:
    pieces = pretokenizer.split(text)
    assert [piece for piece, _ in pieces] == expected
    assert [text[start:end] for _, (start, end) in pieces] == expected


@pytest.mark.parametrize(
    ("pretokenizer", "text", "expected"),
    [
        (p.PrefixSpace(), "ab", [(" ab", (0, 2))]),
        (p.Metaspace(), "a b", [("▁a", (0, 1)), ("▁b", (1, 3))]),
        (p.Metaspace("_", "never", False), "a b", [("a_b", (0, 3))]),
        (p.Sequence([p.Delimiter("-"), p.Metaspace(prepend="first")]), "a-b", [("▁a", (0, 1)), ("b", (2, 3))]),
        (p.ByteLevel(prefix_space=True), "é", [("ĠÃ©", (0, 1))]),
        (p.ByteLevel(gpt2=False), "a b", [("aĠb", (0, 3))]),
        (p.Split(",", "removed"), "a,b", [("a", (0, 1)), ("b", (2, 3))]),
        (p.Split("[ab]+", "removed", invert=True), "ab,b", [("ab", (0, 2)), ("b", (3, 4))]),
        (p.Split(".", "merged_with_previous", literal=True), "a.b", [("a.", (0, 2)), ("b", (2, 3))]),
        (p.UnicodeScripts(), " Abc пример", [("Abc ", (1, 5)), ("пример", (5, 11))]),
        (p.DeepSeek(), "a 1234", [("a", (0, 1)), (" ", (1, 2)), ("123", (2, 5)), ("4", (5, 6))]),
    ],
)
def test_pieces_and_what_they_stand_for(pretokenizer: p.PreTokenizer, text: str, expected: list[object]) -> None:
    assert pretokenizer.split(text) == expected


def test_wrong_options_of_stages_are_named() -> None:
    with pytest.raises(bytemill.errors.SpecError, match="prepend"):
        p.Metaspace(prepend="last")  # type: ignore[arg-type]
    with pytest.raises(bytemill.errors.SpecError, match="replacement is one character"):
        p.Metaspace("ab")
    with pytest.raises(TypeError, match="pattern is a str"):
        p.Split(1).split("a")  # type: ignore[arg-type]
    with pytest.raises(bytemill.errors.SpecError, match="is not supported"):
        n.Replace("a*", "b").normalize("a")


SAMPLE = "Crème BRÛLÉE, 1,234 e\u0301 ﬁn 中文 don't… "


@pytest.mark.parametrize("name", n.NAMED)
def test_a_normalizer_by_name_is_the_object(name: str) -> None:
    tok = words([SAMPLE], normalizer=name)
    assert tok == words([SAMPLE], normalizer=n.NAMED[name])
    assert tok.tokenize(SAMPLE) == words([n.NAMED[name].normalize(SAMPLE)]).tokenize(n.NAMED[name].normalize(SAMPLE))


@pytest.mark.parametrize("name", p.NAMED)
def test_a_pretokenizer_by_name_is_the_object(name: str) -> None:
    tok = words([SAMPLE], pretokenizer=name)
    assert tok == words([SAMPLE], pretokenizer=p.NAMED[name])
    assert tok.tokenize(SAMPLE) == [piece for piece, _ in p.NAMED[name].split(SAMPLE)]


def test_every_named_stage_is_another() -> None:
    for named, option in ((n.NAMED, "normalizer"), (p.NAMED, "pretokenizer")):
        trained = {words([SAMPLE], **{option: name}) for name in named}
        assert len(trained) == len(named)


def test_words_are_split_like_bert_by_default() -> None:
    assert words([SAMPLE]) == words([SAMPLE], pretokenizer="bert")


def test_options_are_a_normalizer() -> None:
    tok = words([SAMPLE], lowercase=True, strip_accents=True, split_cjk=True)
    assert tok == words([SAMPLE], normalizer=n.Bert(clean_text=False, strip_accents=True))


def test_characters_of_what_splitting_leaves() -> None:
    tok = bytemill.train(["a b, c"], bytemill.Char(), pretokenizer="whitespace", progress=False)
    assert tok.tokenize("a b, c") == ["a", "b", ",", "c"]
    assert " " not in tok


def test_normalizers_act_between_special_tokens() -> None:
    tok = words(["a b"], normalizer="strip", pretokenizer=p.Delimiter("|"))
    assert tok.tokenize(" a b <EOS> a b ") == ["a b", "<EOS>", "a b"]


@pytest.mark.parametrize(
    ("option", "wrong", "meant"),
    [("normalizer", "nfcc", "nfc"), ("normalizer", "Lowercase", "lowercase"), ("pretokenizer", "cl100", "cl100k")],
)
def test_misspelt_names_are_corrected(option: str, wrong: str, meant: str) -> None:
    with pytest.raises(
        bytemill.errors.SpecError, match=f"there is no {option} named '{wrong}'; did you mean '{meant}'"
    ):
        words(["a"], **{option: wrong})


def test_stages_are_values() -> None:
    assert p.Sequence([p.Bert(), p.Digits()]).definition() == {
        "type": "sequence",
        "steps": [{"type": "bert"}, {"type": "digits", "individual": False}],
    }
    assert n.Strip(left=False) == n.Strip(left=False) != n.Strip()
    assert hash(p.Punctuation()) == hash(p.Punctuation())
