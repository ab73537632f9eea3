"""Source code: pieces, tokenizers that know the syntax, ids with their syntax."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill import code, errors, pretokenizers
from bytemill.training import CorpusTooSmall

SEED = '''def get_user_name(user_id):
    """Get username from user ID"""
    return database.query(f"SELECT name FROM users WHERE id={user_id}")
'''

SOURCES = [SEED, "class A:\n\tdef f(self):\n\t\treturn None  # nothing\n\n\nx = not a in b\n", "def f(:\n  ]]] é '''\n"]


def trained(spec: object = None, sources: list[str] = SOURCES, **options: object) -> bytemill.Tokenizer:
    spec = spec or bytemill.BPE(vocab_size=600, min_frequency=1)
    with pytest.warns(CorpusTooSmall):
        return bytemill.train(sources, spec, pretokenizer=bytemill.Code("python", **options), progress=False)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def tok() -> bytemill.Tokenizer:
    return trained()


def test_pieces_have_kinds_places_and_nodes() -> None:
    pieces = code.code_pieces(SEED, "python")
    assert b"".join(piece.text for piece in pieces) == SEED.encode()
    assert pieces[0] == ("keyword", b"def", 0, 3, 1, 0, "def", 2)
    name = pieces[2]
    assert (name.kind, name.text, name.node) == ("identifier", b"get_user_name", "identifier")
    docstring = next(piece for piece in pieces if piece.kind == "docstring")
    assert (docstring.line, docstring.column, docstring.node) == (2, 4, "string_start")
    assert code.documentation(docstring.text).summary == "Get username from user ID"
    assert len(pieces[:3]) == 3 and pieces[-1].kind == "newline"
    assert list(pieces.starts) == [piece.start for piece in pieces]
    assert repr(pieces).startswith("<bytemill.code.CodePieces of python: ")


def test_languages_are_given_detected_or_unknown() -> None:
    assert code.code_pieces(SEED).language == "python"
    assert code.code_pieces("x", name="a.rs").language == "rust"
    assert code.code_pieces("plain words").language is None
    assert [piece.kind for piece in code.code_pieces("a1 + 2.5\n")] == [
        *("identifier", "whitespace", "operator", "whitespace", "number", "newline")
    ]
    assert code.code_pieces(b"").language is None and len(code.code_pieces(b"")) == 0
    with pytest.raises(
        errors.SpecError, match=r"no language named 'pyton'; did you mean 'python'\? \(known: bash, c, "
    ):
        code.code_pieces("x", "pyton")
    with pytest.raises(TypeError, match="a source is str or bytes, not int"):
        code.code_pieces(3)  # type: ignore[arg-type]


def test_the_example_of_the_seed(tok: bytemill.Tokenizer) -> None:
    found = tok.encode_code(SEED)
    assert found.language == "python"
    tokens = [(token.token, token.kind) for token in found]
    assert tokens[0] == ("<kw:def>", "keyword")
    assert [token for token, _ in tokens[1:9]] == [" get", "_", "user", "_", "name", "(", "user", "_"]
    ids = list(found.ids)
    assert ids[3] == ids[7], "the user of get_user_name is that of user_id"
    assert ("<spaces:4>", "indentation") in tokens
    assert ("<kw:return>", "keyword") in tokens
    words = [token.strip() for token, kind in tokens if kind == "docstring"]
    assert words == ['"""', "Get", "username", "from", "user", "ID", '"""']
    assert tok.decode(ids) == SEED


@pytest.mark.parametrize("markers", [False, True, ("indent", "dedent")])
@pytest.mark.parametrize("source", [*SOURCES, "", "\n", "<indent><kw:def> <spaces:4>\n", "x\r\n\r\n\ty\n  \n"])
def test_decoding_gives_the_source_back(source: str, markers: object) -> None:
    tok = trained(markers=markers)
    assert tok.decode(tok.encode(source)) == source
    assert tok.decode(tok.encode(source), skip_special_tokens=True) == source
    stream = tok.stream()
    assert "".join(map(stream.push, tok.encode(source))) + stream.finish() == source


def test_markers_stand_where_they_should() -> None:
    tok = trained(markers=True)
    names = [tok.id_to_token(id) for id in tok.encode("if x:\n    # y\n    'z'\nw\n")]
    marks = [name for name in names if name in ("<indent>", "<dedent>", "<newline>", "<comment>", "<str>")]
    assert marks == [
        *("<newline>", "<indent>", "<comment>", "<newline>", "<str>", "<newline>", "<dedent>", "<newline>")
    ]
    assert "<docstring>" in [tok.id_to_token(id) for id in tok.encode(SEED)]
    plain = trained()
    assert plain.token_to_id("<indent>") is None


def test_every_option_changes_something() -> None:
    def tokens(**options: object) -> list[str]:
        return trained(**options).tokenize("def a_b():\n    return fooBar\n")

    assert tokens() == [
        "<kw:def>",
        " a",
        "_",
        "b",
        "(",
        ")",
        ":",
        "\n",
        "<spaces:4>",
        "<kw:return>",
        *(tokens()[10:-1]),
        "\n",
    ]
    assert "<kw:def>" not in tokens(keywords=False)
    assert "<spaces:4>" not in tokens(indentation=False)
    pieces = bytemill.Code("python", identifiers=False).split("x = fooBar_baz")
    assert [piece for piece, _ in pieces] == ["x", " =", " fooBar_baz"]
    assert [piece for piece, _ in bytemill.Code("python").split("fooBar_baz")] == ["foo", "Bar", "_", "baz"]
    assert [piece for piece, _ in bytemill.Code("c").split("int x;")] == ["int", " x", ";"]


@pytest.mark.parametrize("family", [bytemill.Char, bytemill.Word, bytemill.BPE])
def test_every_family_takes_it(family: type, tmp_path: Path) -> None:
    tok = (
        bytemill.train([SEED] * 3, family(), pretokenizer="code", progress=False)
        if family is not bytemill.BPE
        else (trained())
    )
    assert tok.decode(tok.encode(SEED)) == SEED
    for name in ("a.mill", "a.mill.json"):
        tok.save(tmp_path / name)
        again = bytemill.load(tmp_path / name)
        assert again == tok and again.encode(SEED) == tok.encode(SEED)


def test_wordpiece_takes_it(tmp_path: Path) -> None:
    tok = trained(bytemill.WordPiece(vocab_size=900, min_frequency=1))
    tokens = tok.tokenize("def get_user_name(user_id):\n    return None\n")
    assert tokens[0] == "<kw:def>" and "<kw:return>" in tokens and "_" in tokens
    assert {"name", "(", "user"} <= {token.removeprefix("##").strip() for token in tokens}
    pieces = code.code_pieces(SEED, "python")
    ends = {*(piece.end for piece in pieces)}
    for token in tok.encode_code(SEED, language="python"):
        crossed = [end for end in ends if token.start < end < token.end]
        assert all(SEED[token.start : end].isspace() for end in crossed), token
    tok.save(tmp_path / "a.mill")
    assert bytemill.load(tmp_path / "a.mill").encode(SEED) == tok.encode(SEED)


def unigram(**options: Any) -> bytemill.Tokenizer:
    return trained(bytemill.Unigram(vocab_size=900, **{"byte_fallback": True} | options), [*SOURCES, *[SEED] * 4])


def test_unigram_takes_it(tmp_path: Path) -> None:
    tok = unigram()
    tokens = tok.tokenize("def get_user_name(user_id):\n    return None\n")
    assert tokens[:4] == ["<kw:def>", " get", "_", "user"]
    assert "<kw:return>" in tokens and "<spaces:4>" in tokens
    # Bytes are no text, and text is no bytes.
    for source in (SEED, "x = '<0x41>' # <0x0A>", "é名\t\ty", "<0x41>", "      a  b", "<kw:def> <unk>"):
        assert tok.decode(tok.encode(source)) == source
        assert all(tok.decode(tok.encode(source, alpha=0.3)) == source for _ in range(3))
    source = SEED.encode() + b"\xff\xfe 'x\x80'\n"
    assert tok.decode_bytes(tok.encode_code(source).ids) == source
    for name in ("a.mill", "a.mill.json"):
        tok.save(tmp_path / name)
        again = bytemill.load(tmp_path / name)
        assert again == tok and again.encode(SEED) == tok.encode(SEED)
    for name in ("tokenizer.json", "a.model"):
        with pytest.raises(errors.BytemillError):
            tok.save(tmp_path / name)
    counts = bytemill.count_pieces(SOURCES, progress=False, pretokenizer=bytemill.Code("python"))
    spec = bytemill.Unigram(vocab_size=900, byte_fallback=True)
    with pytest.warns(CorpusTooSmall):
        assert bytemill.train(counts, spec, progress=False) == trained(spec)


def test_what_unigram_does_not_take() -> None:
    def fails(spec: bytemill.SentencePiece, pretokenizer: str, message: str) -> None:
        with pytest.raises(errors.SpecError, match=message):
            bytemill.train([SEED], spec, pretokenizer=pretokenizer, progress=False)

    said = r"normalization is not for bytemill.Unigram\(…\) with a pretokenizer; leave it out"
    fails(bytemill.Unigram(vocab_size=900, normalization="nfkc"), "code", said)
    fails(bytemill.SentencePiece(vocab_size=900, model="bpe"), "code", "Unigram takes them")


@pytest.mark.parametrize("name", ["tokenizer.json", "a.tiktoken", "tekken.json", "vocab.json"])
def test_other_formats_refuse_it_by_name(tok: bytemill.Tokenizer, tmp_path: Path, name: str) -> None:
    with pytest.raises(errors.FormatError, match="source code"):
        tok.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_any_bytes_are_encoded_where_tokens_are_bytes(tok: bytemill.Tokenizer) -> None:
    source = SEED.encode() + b"\xff\xfe 'x\x80'\n"
    found = tok.encode_code(source)
    assert tok.decode_bytes(found.ids) == source
    assert list(found.ends)[-1] == len(source)
    words = bytemill.train([SEED], bytemill.Word(), pretokenizer="code", progress=False)
    with pytest.raises(errors.TextError, match="byte 136 of the source is 0xff, which is not valid UTF-8"):
        words.encode_code(source)


def test_ids_of_any_tokenizer_know_their_syntax() -> None:
    plain = bytemill.train([SEED] * 2, bytemill.BPE(vocab_size=320), progress=False)
    found = plain.encode_code(SEED, language="python")
    assert list(found.ids) == plain.encode(SEED)
    assert found[0].kind == "keyword" and found[0].line == 1
    assert [token.start for token in found] == sorted(token.start for token in found)


def test_counts_and_text_train_the_same(tmp_path: Path) -> None:
    how = {"pretokenizer": bytemill.Code("python", markers=True)}
    spec = bytemill.BPE(vocab_size=420, min_frequency=1)
    counts = bytemill.count_pieces(SOURCES, progress=False, **how)  # type: ignore[arg-type]
    straight = bytemill.train(SOURCES, spec, progress=False, **how)  # type: ignore[arg-type]
    assert bytemill.train(counts, spec, progress=False) == straight
    assert counts["def"] == 0


def test_folders_of_sources_are_read_as_gitignore_says(tmp_path: Path) -> None:
    for name, text in {
        "a.py": SEED,
        "b/c.go": "package main\n",
        "out/d.py": "x",
        "e.txt": "x",
        ".gitignore": "out/\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert code.files(tmp_path) == [tmp_path / "a.py", tmp_path / "b/c.go"]
    spec = bytemill.Word()
    tok = bytemill.train(str(tmp_path), spec, pretokenizer=bytemill.Code(), progress=False)
    assert tok.training_stats is not None and tok.training_stats["documents"] == 2
    rows = tok.encode_files(code.files(tmp_path), progress=False)
    assert [tok.decode(row) for row in rows] == [SEED, "package main\n"]
    # The name of the file says what the content does not.
    assert tok.id_to_token(rows[1][0]) == "<kw:package>"
    (tmp_path / "empty").mkdir()
    with pytest.raises(errors.SpecError, match="has no source file in it whose name tells a language"):
        code.files(tmp_path / "empty")


def test_mistakes_are_named(tok: bytemill.Tokenizer) -> None:
    with pytest.raises(errors.SpecError, match="there is no language named 'pyhton'; did you mean 'python'"):
        bytemill.Code("pyhton")
    with pytest.raises(errors.SpecError, match="there is no markers named 'indents'; did you mean 'indent'"):
        bytemill.Code(markers=["indents"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="keywords"):
        bytemill.Code(keywords=1)  # type: ignore[arg-type]
    with pytest.raises(errors.SpecError, match="markers need Code to be the whole pretokenizer"):
        pretokenizers.Sequence([bytemill.Code(markers=True), pretokenizers.Digits()]).split("x")
    with pytest.raises(errors.SpecError, match="is a token of the pretokenizer; leave it out"):
        bytemill.train([SEED], bytemill.BPE(), special_tokens=["<kw:def>"], pretokenizer="code", progress=False)
    with pytest.warns(errors.UnknownLanguage, match="no grammar for the language 'klingon'"):
        tok.encode_code("x", language="klingon")


def test_tokenizers_of_other_grammars_are_refused(tok: bytemill.Tokenizer, tmp_path: Path) -> None:
    tok.save(tmp_path / "a.mill.json")
    content = json.loads((tmp_path / "a.mill.json").read_text())
    text = json.dumps({k: v for k, v in content.items() if k != "checksum"}).replace('"grammars": 3', '"grammars": 99')
    (tmp_path / "a.mill.json").write_text(text)
    with pytest.raises(errors.BytemillError, match="splits code by the grammars number 99"):
        bytemill.load(tmp_path / "a.mill.json")
