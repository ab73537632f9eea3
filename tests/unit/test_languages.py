"""Languages whose grammars are in wheels: every one of them, on real, broken and hostile sources."""

from __future__ import annotations

import json
import pickle
import random
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bytemill
from bytemill import Code, _core, _grammars, code, errors
from bytemill.training import CorpusTooSmall
from tests.conftest import need
from tests.samples import python
from tests.unit.language_samples import SAMPLES, Sample

LANGUAGES = list(code.WHEEL_LANGUAGES)
every_language = pytest.mark.parametrize("language", LANGUAGES)


@pytest.fixture(autouse=True)
def wheels() -> None:
    for language in LANGUAGES:
        need(f"tree_sitter_{language}")


def trained(language: str, **options: Any) -> bytemill.Tokenizer:
    """Knows every byte."""
    pretokenizer = Code(language, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CorpusTooSmall)
        return bytemill.train([SAMPLES[language].source], bytemill.BPE(4000), pretokenizer=pretokenizer, progress=False)


def lua() -> bytemill.Tokenizer:
    return bytemill.train([SAMPLES["lua"].source], bytemill.Word(), pretokenizer=Code("lua"), progress=False)


def covers(source: bytes, language: str) -> bool:
    """Whether the pieces of a source, joined, are the source; by their ends, of which there may be many."""
    ends = code.code_pieces(source, language).ends
    return len(ends) == 0 if not source else bool(ends[0] > 0 and ends[-1] == len(source) and (np.diff(ends) > 0).all())


def test_every_language_has_a_sample() -> None:
    assert set(SAMPLES) == set(LANGUAGES)
    assert not set(LANGUAGES) & set(code.LANGUAGES)


@every_language
def test_pieces_have_their_kinds(language: str) -> None:
    sample: Sample = SAMPLES[language]
    pieces = code.code_pieces(sample.source, language)
    assert pieces.language == language
    assert b"".join(piece.text for piece in pieces) == sample.source.encode()
    assert all(piece.node != "ERROR" for piece in pieces)
    for kind, expected in sample.kinds.items():
        found = [piece.text.decode() for piece in pieces if piece.kind == kind]
        assert [text for text in expected if text not in found] == [], (kind, found)


@every_language
def test_parses_are_those_of_stock_tree_sitter(language: str) -> None:
    """By its own steps, and by its Python package, which has a parser of its own."""
    source = SAMPLES[language].source.encode()
    ours, stock = (_core.syntax_nodes(source, language, by) for by in (False, True))
    assert ours is not None and stock is not None and (ours == stock).all()
    tree_sitter = need("tree_sitter")
    parser = tree_sitter.Parser(tree_sitter.Language(need(f"tree_sitter_{language}").language()))
    expected: list[tuple[int, int, int, str]] = []

    def walk(node: Any, depth: int) -> None:
        expected.append((node.start_byte, node.end_byte, depth, node.type))
        for child in node.children:
            walk(child, depth + 1)

    walk(parser.parse(source).root_node, 0)
    names = _core.node_names(language)
    assert [(start, end, depth, names[kind]) for start, end, depth, kind, _ in ours.tolist()] == expected


@every_language
def test_a_tokenizer_comes_back_from_a_file_and_a_pickle(language: str, tmp_path: Path) -> None:
    source = SAMPLES[language].source
    tok = trained(language, markers=True)
    ids = tok.encode(source)
    assert tok.decode(ids) == source
    tokens = {tok.id_to_token(id) for id in ids}
    assert {"<newline>", "<str>", "<str_end>"} & tokens
    for name in ("a.mill", "a.mill.json"):
        tok.save(tmp_path / name)
        again = bytemill.load(tmp_path / name)
        assert again.encode(source) == ids and again.fingerprint == tok.fingerprint
    assert pickle.loads(pickle.dumps(tok)).encode(source) == ids
    pretokenizer = json.loads((tmp_path / "a.mill.json").read_text())["definition"]["pretokenizer"]
    assert (pretokenizer["language"], pretokenizer["wheel"]) == (language, _core.wheel_version(language))
    assert tok.encode_code(source).language == language
    assert tok.decode_bytes(tok.encode_code(source.encode() + b"\xff\xfe").ids) == source.encode() + b"\xff\xfe"


def hostile(language: str) -> dict[str, bytes]:
    choice, source = random.Random(9), SAMPLES[language].source.encode()
    levels = "".join(f"{'  ' * n}a:\n" for n in range(400))
    return {
        "empty": b"",
        "brackets": b"([{" * 70_000,
        "closed": b")]}" * 70_000,
        "quotes": b"\"'`" * 20_000,
        "strings": b'"${' * 20_000,
        "comments": b"/* {- --[[ <!-- " * 10_000,
        "levels": levels.encode(),
        "list": b"- " * 3_000,
        "quoted": b"> " * 3_000,
        "hashes": b"#" * 50_000 + b'"',
        "dollars": b"$a$ " * 20_000,
        "lines": b"a\n" * 70_000,
        "nothing": bytes(5_000),
        "bytes": choice.randbytes(30_000),
        "text": "".join(map(chr, choices(choice))).encode(),
        "cut": source[: len(source) // 2] * 20,
        "again": source * 50,
    }


def choices(choice: random.Random) -> list[int]:
    every = [*range(0x20, 0x7F), 9, 10, 13, 0xE9, 0x4E2D, 0x1F600, 0x2028, 0xFEFF]
    return choice.choices(every, k=20_000)


@every_language
def test_hostile_sources_are_split_and_nothing_is_lost(language: str) -> None:
    for name, source in hostile(language).items():
        assert covers(source, language), name


@every_language
def test_broken_sources_are_given_back(language: str) -> None:
    choice, source = random.Random(7), SAMPLES[language].source.encode()
    tok = trained(language)
    for _ in range(60):
        part = bytearray(source)
        for _ in range(choice.randrange(1, 12)):
            at = choice.randrange(len(part))
            part[at : at + choice.randrange(4)] = choice.choice(source.split(b" "))[: choice.randrange(1, 9)]
        broken = part.decode("utf-8", "replace")
        assert tok.decode(tok.encode(broken)) == broken


def test_yaml_with_more_levels_than_its_scanner_keeps() -> None:
    for levels in (252, 253, 254, 255, 300):
        source = "".join(f"{' ' * n}k:\n" for n in range(levels)).encode() + b"# end\n"
        assert covers(source, "yaml")


def test_other_names_and_keywords() -> None:
    names = {"kt": "kotlin", "Lua": "lua", "hs": "haskell", "yml": "yaml", "JL": "julia", "md": "markdown"}
    assert {name: code.code_pieces("", name).language for name in names} == names
    assert {"local", "nil", "function"} <= set(code.keywords("lua"))
    assert {"select", "SELECT"} <= set(code.keywords("sql"))
    assert {"fun", "val", "when"} <= set(code.keywords("kotlin"))


def test_they_are_never_detected() -> None:
    """What is installed must not change ids."""
    for language in LANGUAGES:
        assert code.detect_language(name=f"a.{SAMPLES[language].ending}") is None
        assert code.detect_language(SAMPLES[language].source) not in LANGUAGES


def test_a_folder_has_the_files_of_the_language_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.lua").write_text(SAMPLES["lua"].source)
    (tmp_path / "b.kt").write_text(SAMPLES["kotlin"].source)
    assert code.files(tmp_path, "lua") == [tmp_path / "a.lua"]
    with pytest.raises(errors.SpecError, match="has no source file in it whose name tells a language"):
        code.files(tmp_path)
    tok = bytemill.train(tmp_path, bytemill.Word(), pretokenizer=Code("lua"), progress=False)
    assert tok.training_stats is not None and tok.training_stats["documents"] == 1


def test_a_misspelt_language_is_an_error_with_a_suggestion() -> None:
    for wrong, right in {"kotlyn": "kotlin", "haskel": "haskell", "markdwon": "markdown", "swfit": "swift"}.items():
        with pytest.raises(errors.SpecError, match=f"there is no language named '{wrong}'; did you mean '{right}'"):
            Code(wrong)
    with pytest.warns(errors.UnknownLanguage, match="no grammar for the language 'cobol'"):
        assert Code("cobol").language == "text"


MISSING = """
import sys, bytemill
from bytemill import code, errors
sys.modules["tree_sitter_lua"] = None
for work in (
    lambda: bytemill.Code("lua"),
    lambda: code.code_pieces("x", "lua"),
    lambda: code.keywords("lua"),
    lambda: bytemill.load(sys.argv[1]),
    lambda: bytemill.load(sys.argv[2]),
):
    try:
        work()
    except errors.GrammarError as error:
        assert isinstance(error, ImportError), error
        print(error)
    else:
        raise SystemExit("no error")
assert bytemill.Code("kotlin").language == "kotlin"
del sys.modules["tree_sitter_lua"]
tok = bytemill.load(sys.argv[1])
print(tok.tokenize("local x = nil")[0])
"""


def test_a_wheel_that_is_missing_is_named(tmp_path: Path) -> None:
    tok = lua()
    paths = [str(tmp_path / name) for name in ("a.mill", "a.mill.json")]
    for path in paths:
        tok.save(path)
    lines = python(MISSING, *paths).splitlines()
    assert len(lines) == 6 and lines[-1] == "<kw:local>"
    for line in lines[:5]:
        assert "the grammar of lua is in the package tree-sitter-lua, which cannot be imported" in line
        assert 'pip install "bytemill[languages]", or tree-sitter-lua alone' in line
    version = _core.wheel_version("lua")
    assert all(f"made with tree-sitter-lua {version})" in line for line in lines[3:5])


def test_another_version_of_a_wheel_is_a_warning(tmp_path: Path) -> None:
    tok = lua()
    tok.save(tmp_path / "a.mill.json")
    content = json.loads((tmp_path / "a.mill.json").read_text())
    content.pop("checksum")
    pretokenizer = content["definition"]["pretokenizer"]
    version, pretokenizer["wheel"] = pretokenizer["wheel"], "0.0.9"
    (tmp_path / "b.mill.json").write_text(json.dumps(content))
    told = f"made with tree-sitter-lua 0.0.9, and {version} is installed"
    with pytest.warns(errors.OtherGrammar, match=told):
        other = bytemill.load(tmp_path / "b.mill.json")
    source = SAMPLES["lua"].source
    assert other.encode(source) == tok.encode(source)
    # What it was made with stays in it.
    with pytest.warns(errors.OtherGrammar, match=told):
        again = pickle.loads(pickle.dumps(other))
    assert again.fingerprint == other.fingerprint != tok.fingerprint
    # Where warnings are errors, it is one.
    with pytest.raises(errors.GrammarError, match=told):
        bytemill.load(tmp_path / "b.mill.json")


def test_files_that_say_too_little_or_too_much_of_a_wheel_are_refused(tmp_path: Path) -> None:
    lua().save(tmp_path / "a.mill.json")
    content = json.loads((tmp_path / "a.mill.json").read_text())
    content.pop("checksum")
    for language, wheel, told in (("lua", None, "does not say which version"), ("c", "1", "says a version of one")):
        content["definition"]["pretokenizer"] |= {"language": language, "wheel": wheel}
        (tmp_path / "b.mill.json").write_text(json.dumps(content))
        with pytest.raises(errors.BytemillError, match=told):
            bytemill.load(tmp_path / "b.mill.json")


def test_a_grammar_that_cannot_be_used_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Old:
        @staticmethod
        def language() -> int:
            return 1

    monkeypatch.setitem(sys.modules, "tree_sitter_lua", Old)
    with pytest.raises(errors.GrammarError, match="hands out its grammar as int, as old versions do"):
        _grammars.of_wheel("lua", None)


ABI = """
import ctypes, sys, types, bytemill
from bytemill import errors
table = (ctypes.c_uint32 * 1024)(99)
new = ctypes.pythonapi.PyCapsule_New
new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
name = ctypes.create_string_buffer(sys.argv[1].encode())
capsule = new(ctypes.addressof(table), name, None)
sys.modules["tree_sitter_lua"] = types.SimpleNamespace(language=lambda: capsule)
try:
    bytemill.Code("lua")
except errors.GrammarError as error:
    print(error)
"""


def test_a_grammar_of_another_abi_is_refused_with_its_versions() -> None:
    told = python(ABI, "tree_sitter.Language")
    version = _core.wheel_version("lua")
    assert f"tree-sitter-lua {version} has the ABI version 99, and bytemill takes 13 to 15" in told
    assert "capsule" in python(ABI, "something.else").lower()


def loaded_in(path: str) -> list[int]:
    return bytemill.load(path).encode(SAMPLES["lua"].source)


THREADS = """
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
import bytemill
from tests.unit.language_samples import SAMPLES
source = SAMPLES["lua"].source
with ThreadPoolExecutor(8) as pool:
    rows = list(pool.map(lambda _: bytemill.load(sys.argv[1]).encode(source), range(16)))
assert rows == [rows[0]] * 16
import os
child = os.fork()
if child == 0:
    os._exit(bytemill.load(sys.argv[1]).encode(source) != rows[0])
assert os.waitpid(child, 0)[1] == 0
import multiprocessing
from tests.unit.test_languages import loaded_in
with multiprocessing.get_context("spawn").Pool(1) as workers:
    assert workers.map(loaded_in, [sys.argv[1]]) == rows[:1]
print(rows[0])
"""


def test_threads_forks_and_new_processes_bring_a_grammar(tmp_path: Path) -> None:
    """In a fresh interpreter, where no thread has it yet."""
    tok = lua()
    tok.save(tmp_path / "a.mill")
    ids = tok.encode(SAMPLES["lua"].source)
    assert python(THREADS, str(tmp_path / "a.mill")).strip() == str(ids)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: loaded_in(str(tmp_path / "a.mill")), range(8))) == [ids] * 8


def test_the_extra_has_a_wheel_for_every_language() -> None:
    root = Path(__file__).parents[2]
    extra = (root / "pyproject.toml").read_text().partition("languages = [")[2].partition("]")[0]
    tested = (root / "requirements-test.txt").read_text()
    for language in LANGUAGES:
        assert f'"tree-sitter-{language}>=' in extra and f"tree-sitter-{language}==" in tested


#: Prints a digest of the pieces of random sources, in the locale that it is told.
IN_LOCALE = """
import hashlib, locale, random, sys
from bytemill import code

locale.setlocale(locale.LC_CTYPE, sys.argv[1])
draw = random.Random(5)
letters = "éßжλ中文あ한ا\u00a0\u2003\u3000\u0301Ωñ²٣ab1_ "
signs = ["<<EOF\\n", '"', "'", "`", "${", "<a>", "%q(", "fn ", "# ", "[[", "---\\n", "```\\n", "\\n", "(", "}", 'r#"']
digest = hashlib.sha256()
for language in (*code.LANGUAGES, *code.WHEEL_LANGUAGES):
    for _ in range(200):
        parts = [draw.choice(signs) if draw.random() < 0.5 else "".join(draw.choices(letters, k=3)) for _ in range(9)]
        pieces = code.code_pieces("".join(parts), language)
        digest.update(repr([(piece.kind, piece.text) for piece in pieces]).encode())
print(digest.hexdigest())
"""


def test_letters_are_not_those_of_the_locale() -> None:
    """Scanners ask the C library what is a letter, which knows only ASCII in the locale C."""
    told = [
        subprocess.run([sys.executable, "-c", IN_LOCALE, name], capture_output=True, text=True, check=True).stdout
        for name in ("C", "C.UTF-8")
    ]
    assert told[0] == told[1]
