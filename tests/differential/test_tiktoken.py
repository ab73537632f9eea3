"""`.tiktoken` files: all that `tiktoken` gives, for every encoding of the shared folder, on a sample of the texts.

`make matrix` takes all of them; see matrix.py.
"""

import itertools
import subprocess
import sys
from pathlib import Path

import pytest

import bytemill
from bytemill.errors import FormatError, SpecialTokenError

from ..conftest import need

need("tiktoken")
tokenizers = need("tokenizers")

from .shared_models import TIKTOKEN, Library, encoding, tiktoken_file  # noqa: E402
from .texts import files, generated  # noqa: E402

pytestmark = [pytest.mark.peer, pytest.mark.shared]


@pytest.mark.parametrize("name", TIKTOKEN)
def test_every_shared_text(name: str, shared: Path, tmp_path: Path) -> None:
    case = tiktoken_file(name, shared / "models" / TIKTOKEN[name], tmp_path)
    ours, theirs = case.ours, case.theirs
    assert ours.vocab_size == theirs.n_vocab
    assert ours.special_tokens == theirs._special_tokens
    strings = [*generated(1_000, specials=list(ours.special_tokens)[:8])]
    texts = [*files(shared, sample=3_000), *enumerate(strings)]
    different: list[object] = [(of, found) for of, text in texts if (found := case.differences(text))]
    pairs = itertools.pairwise(strings[::3])
    different += [(pair, found) for pair in pairs if (found := case.pair_differences(*pair))]
    assert different == []


@pytest.mark.parametrize("name", ["p50k_edit", "cl100k_base", "o200k_base"])
def test_as_a_list_of_merges(name: str, shared: Path, tmp_path: Path) -> None:
    """Every token is made of one pair, so that tokenizer.json says the same, also to `tokenizers`."""
    case = tiktoken_file(name, shared / "models" / TIKTOKEN[name], tmp_path)
    case.ours.save(tmp_path / "tokenizer.json")
    path = str(tmp_path / "tokenizer.json")
    listed = Library(tokenizers.Tokenizer.from_file(path), bytemill.load(path))
    strings = [*generated(300, specials=list(case.ours.special_tokens)[:8])]
    for of, text in [*files(shared, sample=2_000), *enumerate(strings)]:
        assert listed.differences(text) == [], of
        assert listed.ours.encode(text) == case.ours.encode(text, specials="all"), of


def test_a_list_of_merges_as_ranks(shared: Path, tmp_path: Path) -> None:
    ours = bytemill.load(shared / "models" / "openai-gpt2" / "tokenizer.json")
    ours.save(tmp_path / "r50k_base.tiktoken")
    expected = (shared / "models" / TIKTOKEN["r50k_base"]).read_bytes()
    assert (tmp_path / "r50k_base.tiktoken").read_bytes().splitlines() == expected.splitlines()


def test_the_command_converts_there_and_back(shared: Path, tmp_path: Path) -> None:
    original = shared / "models" / TIKTOKEN["cl100k_base"]
    listed, again = tmp_path / "tokenizer.json", tmp_path / "again.tiktoken"
    for before, after in ((original, listed), (listed, again)):
        subprocess.run([sys.executable, "-m", "bytemill", "convert", before, after], check=True, timeout=60)
    assert again.read_bytes().split() == original.read_bytes().split()


def test_special_tokens_are_refused_unless_they_are_allowed(shared: Path) -> None:
    path = shared / "models" / TIKTOKEN["cl100k_base"]
    theirs, ours = encoding("cl100k_base", path), bytemill.load(path)
    text = "a<|endoftext|>b<|endofprompt|>"
    with pytest.raises(SpecialTokenError, match=r"<\|endoftext\|>"):
        ours.encode(text)
    assert ours.encode(text, specials="all") == theirs.encode(text, allowed_special="all")
    some = {"<|endofprompt|>"}
    assert ours.encode(text, specials=some) == theirs.encode(text, allowed_special=some, disallowed_special=())


def test_an_encoding_of_another_name_is_given_by_the_caller(shared: Path, tmp_path: Path) -> None:
    known = bytemill.load(shared / "models" / TIKTOKEN["r50k_base"])
    with pytest.warns(bytemill.tokenizer.LeftOut):
        known.save(tmp_path / "mine.tiktoken")
    with pytest.raises(FormatError, match="pass pattern= and special_tokens="):
        bytemill.load(tmp_path / "mine.tiktoken")
    given = bytemill.load(tmp_path / "mine.tiktoken", pattern="gpt2", special_tokens={"<|endoftext|>": 50256})
    assert given.fingerprint == known.fingerprint


def test_harmony_has_two_names_for_an_id(shared: Path, tmp_path: Path) -> None:
    path = shared / "models" / TIKTOKEN["o200k_base"]
    theirs = encoding("o200k_harmony", path)
    (tmp_path / "o200k_harmony.tiktoken.gz").write_bytes(path.read_bytes())
    ours = bytemill.load(tmp_path / "o200k_harmony.tiktoken.gz")
    assert ours.special_tokens == theirs._special_tokens
    text = "<|start|>user<|message|>hi<|end|><|endofprompt|><|reserved_200018|>"
    assert ours.encode(text, specials="all") == theirs.encode(text, allowed_special="all")
