"""vocab.json and merges.txt of our own making: what is read, what is refused, what is written."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill.errors import BytemillError, FormatError, SpecError
from bytemill.left_out import LeftOut
from bytemill.reference.bpe import ALPHABET

BYTES = [*ALPHABET.values(), "th", "Ġth", "<end>"]
CHARACTERS = ["<unk>", "l", "o", "w", "w</w>", "é", "é</w>", "lo", "low</w>", "中"]


def write(folder: Path, tokens: list[str], merges: str, prefix: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    vocab = {token: id for id, token in enumerate(tokens)}
    (folder / f"{prefix}vocab.json").write_text(json.dumps(vocab))
    (folder / f"{prefix}merges.txt").write_text(merges)
    return folder


def test_byte_level_is_known_by_its_alphabet(tmp_path: Path) -> None:
    folder = write(tmp_path, BYTES, "#version: 0.2\nt h\nĠ th\n")
    tok = bytemill.load(folder, special_tokens={"<end>": 258})
    assert tok.encode("th th<end>") == [256, 257, 258]
    assert tok.decode(tok.encode("thé th")) == "thé th"
    for path in (folder / "vocab.json", folder / "merges.txt"):
        assert bytemill.load(path, special_tokens={"<end>": 258}) == tok


def test_characters_with_the_end_of_a_word(tmp_path: Path) -> None:
    folder = write(tmp_path, CHARACTERS, "l o\nlo w</w>\n")
    tok = bytemill.load(folder, pattern="whitespace_split", normalizer="lowercase")
    assert tok.tokenize("LOW lowé") == ["low</w>", "lo", "w", "é</w>"]
    assert tok.tokenize("xx low中") == ["<unk>", "<unk>", "lo", "w", "<unk>"]
    assert tok.decode(tok.encode("low lowé")) == "low lowé"
    stream = tok.stream()
    assert [stream.push(id) for id in tok.encode("low low")] + [stream.finish()] == ["", "low ", "low"]
    with pytest.raises(FormatError, match=r"vocab\.json: .*does not say how text is split before it; pass pattern="):
        bytemill.load(folder)


@pytest.mark.parametrize(("prefix", "packed"), [("mine-", False), ("", True), ("mine-", True)])
def test_names_and_gzip(prefix: str, packed: bool, tmp_path: Path) -> None:
    folder = write(tmp_path, BYTES, "t h\n", prefix)
    if packed:
        for path in list(folder.iterdir()):
            path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
    end = ".gz" if packed else ""
    tok = bytemill.load(folder / f"{prefix}vocab.json{end}")
    assert tok == bytemill.load(folder / f"{prefix}merges.txt{end}")
    assert tok.tokenize("th") == ["th"]


def test_written_and_read_again(tmp_path: Path) -> None:
    source = write(tmp_path / "a", CHARACTERS, "#version: 0.2\nl o\nlo w</w>\n")
    given: dict[str, Any] = {"pattern": "bert"}
    tok = bytemill.load(source, **given)
    (tmp_path / "b").mkdir()
    for name, format in (("", "vocab.json"), ("mine-vocab.json", None)):
        with pytest.warns(LeftOut, match="pattern='bert'"):
            tok.save(tmp_path / "b" / name, format=format)
    for path in (tmp_path / "b", tmp_path / "b" / "mine-merges.txt"):
        assert bytemill.load(path, **given) == tok
    assert (tmp_path / "b" / "merges.txt").read_text() == (source / "merges.txt").read_text()
    assert json.loads((tmp_path / "b" / "vocab.json").read_text()) == json.loads((source / "vocab.json").read_text())
    with pytest.raises(SpecError, match="are two files"):
        tok.to_bytes("vocab.json")


def test_a_special_token_outside_the_alphabet(tmp_path: Path) -> None:
    folder = write(tmp_path, [*BYTES, "▁"], "t h\n")
    with pytest.raises(FormatError, match="has all of the characters by which byte-level BPE writes bytes and others"):
        bytemill.load(folder)
    tok = bytemill.load(folder, special_tokens={"▁": 259})
    assert tok.encode("th▁") == [256, 259]
    with pytest.warns(LeftOut, match="special_tokens=\\{'▁': 259\\}"):
        tok.save(folder, format="vocab.json")
    assert json.loads((folder / "vocab.json").read_text())["▁"] == 259


@pytest.mark.parametrize(
    ("tokens", "merges", "given", "reason"),
    [
        (BYTES, "t h\n\n", {}, r'merges\.txt line 2: "" has 1 parts, expected 2'),
        (BYTES, "#version\nt  h\n", {}, r'merges\.txt line 2: "t  h" has 3 parts, expected 2'),
        (BYTES, "t ħħ\n", {}, r'merges\.txt: merge 1: "ħħ" is not in the vocabulary'),
        (BYTES, "t a\n", {}, 'merge 0: makes "ta", which is not in the vocabulary'),
        (BYTES[10:], "t h\n", {}, "has some of the characters .* and no others, so that it could be byte-level or not"),
        ([*BYTES, "▁"], "", {"byte_level": True}, r"vocab\.json: token 259, .*, is not byte-level"),
        (["a", "b"], "", {"pattern": "bert", "unk_token": "?"}, 'unk_token is "\\?", which is not in the vocabulary'),
        (BYTES, "", {"special_tokens": {"<end>": 3}}, "id 3 belongs to the added token"),
    ],
)
def test_what_is_refused(tokens: list[str], merges: str, given: dict[str, Any], reason: str, tmp_path: Path) -> None:
    folder = write(tmp_path, tokens, merges)
    with pytest.raises(BytemillError, match=reason):
        bytemill.load(folder, **given)


def test_ambiguity_is_the_callers_to_resolve(tmp_path: Path) -> None:
    folder = write(tmp_path, BYTES[10:], "t h\n")
    in_bytes = bytemill.load(folder, byte_level=True)
    # The first ten bytes are no tokens, and there is no unknown token: they are dropped.
    assert in_bytes.decode(in_bytes.encode("th!+é")) == "th+é"
    in_characters = bytemill.load(folder, byte_level=False, pattern="whitespace_split")
    assert in_characters.tokenize("Ġth é") == ["Ġ", "th", "é"]


def test_one_without_the_other(tmp_path: Path) -> None:
    folder = write(tmp_path, BYTES, "")
    (folder / "merges.txt").unlink()
    with pytest.raises(FileNotFoundError, match=r"merges\.txt"):
        bytemill.load(folder / "vocab.json")
    (folder / "vocab.json").rename(folder / "other.json")
    with pytest.raises(
        FormatError, match=r'two files, named vocab\.json and merges\.txt, and "other\.json" is neither'
    ):
        bytemill.load(folder / "other.json")


def test_what_the_files_cannot_hold(tmp_path: Path) -> None:
    model = {"type": "BPE", "vocab": {" ": 0, "a": 1, " a": 2}, "merges": [[" ", "a"]]}
    stages = dict.fromkeys(["normalizer", "pre_tokenizer", "post_processor", "decoder"])
    (tmp_path / "tokenizer.json").write_text(json.dumps({"version": "1.0", **stages, "model": model}))
    tok = bytemill.load(tmp_path)
    with pytest.raises(FormatError, match=r"cannot express the merge .*which a line of merges\.txt cannot hold"):
        tok.save(tmp_path / "vocab.json")
    words = bytemill.train(["a b"], bytemill.Word(), progress=False)
    with pytest.raises(FormatError, match="cannot express anything but a list of merges"):
        words.save(tmp_path / "merges.txt")
    # No merge makes "ab"; it is a token where pieces that are tokens are looked up, which the two files cannot say.
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [], "ignore_merges": True}
    (tmp_path / "tokenizer.json").write_text(json.dumps({"version": "1.0", **stages, "model": model}))
    with pytest.raises(FormatError, match="cannot express that a piece which is a token is that token"):
        bytemill.load(tmp_path / "tokenizer.json").save(tmp_path / "vocab.json")


def test_options_of_the_two_files_alone(tmp_path: Path) -> None:
    words = bytemill.train(["a b"], bytemill.Word(), progress=False)
    words.save(tmp_path / "a.mill")
    with pytest.raises(FormatError, match="normalizer and unk_token are given for vocab"):
        bytemill.load(tmp_path / "a.mill", unk_token="a")


def test_the_command_line_converts_to_and_from_them(tmp_path: Path) -> None:
    from bytemill.cli.app import run

    tok = bytemill.load(write(tmp_path / "a", CHARACTERS, "l o\nlo w</w>\n"), pattern="bert")
    tok.save(tmp_path / "a.mill")
    assert run(["convert", str(tmp_path / "a.mill"), str(tmp_path / "vocab.json")]) == 0
    assert bytemill.load(tmp_path, pattern="bert") == tok


def test_saving_says_what_the_path_alone_does_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the call in the message loads the tokenizer."""
    monkeypatch.chdir(tmp_path)
    corpus, text = ["low lower lowest newer " * 9], "low LOW, 123 <s>"
    kinds = [
        (bytemill.BPE(262), {"pretokenizer": "cl100k", "special_tokens": ["<s>"]}, "vocab.json"),
        (bytemill.BPE(262), {"pretokenizer": "gpt2", "normalizer": "lowercase"}, "vocab.json"),
        (bytemill.BPE(14, byte_level=False), {"pretokenizer": "bert"}, "vocab.json"),
        (bytemill.WordPiece(24), {"special_tokens": ["<s>"]}, "vocab.txt"),
        (bytemill.WordPiece(24, lowercase=False), {}, "vocab.txt"),
        (bytemill.WordPiece(24), {"pretokenizer": "whitespace"}, "vocab.txt"),
    ]
    for spec, options, name in kinds:
        tok = bytemill.train(corpus, spec, progress=False, **options)  # type: ignore[arg-type]
        with pytest.warns(LeftOut) as caught:
            tok.save(name)
        again = eval(str(caught[0].message).split("this loads it: ")[1], {"bytemill": bytemill})
        assert again.encode(text) == tok.encode(text) and again.special_tokens == tok.special_tokens
    bytemill.train(corpus, bytemill.WordPiece(24), progress=False).save("vocab.txt")
    bytemill.train(corpus, bytemill.BPE(262), pretokenizer="gpt2", progress=False).save("vocab.json")


def test_special_tokens_after_those_of_the_model_are_written(tmp_path: Path) -> None:
    tok = bytemill.load(write(tmp_path, BYTES, "t h\nĠ th\n"), special_tokens={"<end>": 258, "<more>": 300})
    with pytest.warns(LeftOut):
        tok.save(tmp_path / "vocab.json")
    assert json.loads((tmp_path / "vocab.json").read_text())["<more>"] == 300
