"""`bytemill.compat.install`: stand-ins in `sys.modules`, and what was there back again."""

from __future__ import annotations

import importlib
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bytemill import compat
from bytemill.compat import tiktoken, tiktoken_ext
from bytemill.compat.installing import STAND_INS
from bytemill.errors import SpecError

TOPS = {top for tops in STAND_INS.values() for top in tops}
RANKS = {bytes([byte]): byte for byte in range(256)}


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    before = dict(sys.modules)
    yield
    compat.uninstall()
    for name in set(sys.modules) - set(before):
        if name.split(".")[0] in TOPS:
            del sys.modules[name]
    sys.modules.update(before)


def test_a_library_and_its_submodules_are_ours() -> None:
    compat.install("tiktoken")
    assert importlib.import_module("tiktoken") is tiktoken
    for name in ("core", "load", "model", "registry", "_educational"):
        module = importlib.import_module(f"tiktoken.{name}")
        assert module is importlib.import_module(f"bytemill.compat.tiktoken.{name}")
    assert importlib.import_module("tiktoken_ext") is tiktoken_ext
    assert "gpt2" in importlib.import_module("tiktoken_ext.openai_public").ENCODING_CONSTRUCTORS


def test_tokenizers_and_its_submodules_are_ours() -> None:
    compat.install("tokenizers")
    for name in ("", ".models", ".normalizers", ".implementations.base_tokenizer", ".tools", ".tokenizers"):
        module = importlib.import_module(f"tokenizers{name}")
        assert module is importlib.import_module(f"bytemill.compat.tokenizers{name}")
    tokenizer = importlib.import_module("tokenizers").Tokenizer(importlib.import_module("tokenizers.models").BPE())
    assert pickle.loads(pickle.dumps(tokenizer)).to_str() == tokenizer.to_str()


@pytest.mark.parametrize("library", STAND_INS)
def test_every_submodule_is_imported_by_the_name_of_the_original(library: str) -> None:
    compat.install(library)
    names = [name for name in sys.modules if name.split(".")[0] in STAND_INS[library]]
    assert names and all(sys.modules[name].__name__ == f"bytemill.compat.{name}" for name in names)


def test_what_was_there_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    original, part = type(sys)("tiktoken"), type(sys)("tiktoken.part")
    monkeypatch.setitem(sys.modules, "tiktoken", original)
    monkeypatch.setitem(sys.modules, "tiktoken.part", part)
    compat.install("tiktoken")
    compat.install("tiktoken")  # Once more is no other.
    assert sys.modules["tiktoken"] is tiktoken and "tiktoken.part" not in sys.modules
    compat.uninstall("tiktoken")
    assert sys.modules["tiktoken"] is original and sys.modules["tiktoken.part"] is part
    assert "tiktoken.core" not in sys.modules or sys.modules["tiktoken.core"] is not tiktoken.core
    compat.uninstall("tiktoken")
    assert sys.modules["tiktoken"] is original


def test_without_a_name_all_are_meant() -> None:
    compat.install()
    for library in STAND_INS:
        assert sys.modules[library].__name__ == f"bytemill.compat.{library}"
    compat.uninstall()
    assert all(getattr(sys.modules.get(library), "__name__", library) == library for library in STAND_INS)


def test_a_library_without_a_stand_in_is_refused() -> None:
    with pytest.raises(SpecError, match="did you mean 'tiktoken'"):
        compat.install("tictoken")
    with pytest.raises(SpecError, match="no stand-in for 'numpy'"):
        compat.uninstall("numpy")


def test_plugins_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "tiktoken_ext"
    folder.mkdir()
    (folder / "mine.py").write_text(
        "from tiktoken.load import check_hash\n"
        "RANKS = {bytes([byte]): byte for byte in range(256)}\n"
        "ENCODING_CONSTRUCTORS = {'mine': lambda: {'name': 'mine', 'pat_str': r'(?s:.)', 'mergeable_ranks': RANKS, "
        "'special_tokens': {}}}\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(tiktoken.registry, "ENCODING_CONSTRUCTORS", None)
    monkeypatch.setattr(tiktoken_ext, "__path__", tiktoken_ext.__path__)
    tiktoken.registry._available_plugin_modules.cache_clear()
    compat.install("tiktoken")
    try:
        import tiktoken as installed

        assert installed.get_encoding("mine").encode("ab") == [97, 98]
        assert "cl100k_base" in installed.list_encoding_names()
        # A registered encoding is pickled by its name.
        assert pickle.loads(pickle.dumps(installed.get_encoding("mine"))).decode([97]) == "a"
    finally:
        tiktoken.registry.ENCODINGS.pop("mine", None)
        tiktoken.registry._available_plugin_modules.cache_clear()


def test_a_pickle_of_the_original_is_read_as_ours() -> None:
    compat.install("tiktoken")
    made = tiktoken.Encoding("x", pat_str="(?s:.)", mergeable_ranks=RANKS, special_tokens={"<s>": 256})
    # As the original writes it: by the names of its own modules.
    written = pickle.dumps(made, protocol=0).replace(b"bytemill.compat.tiktoken.core", b"tiktoken.core")
    assert pickle.loads(written).encode("a<s>", allowed_special="all") == [97, 256]
