"""tokenizer.json: all that `tokenizers` gives, for every shared model that we read, on a sample of the texts.

`make matrix` takes all of them; see matrix.py.
"""

import itertools
from pathlib import Path

import pytest

import bytemill

from ..conftest import need

tokenizers = need("tokenizers")
need("tiktoken")

from .shared_models import TOKENIZER_JSON, Library, tokenizer_json  # noqa: E402
from .texts import files, generated, large_document  # noqa: E402

pytestmark = [pytest.mark.peer, pytest.mark.shared]


@pytest.mark.parametrize("model", TOKENIZER_JSON)
def test_every_shared_text(model: str, shared: Path) -> None:
    case = tokenizer_json(shared / "models" / model)
    assert case.vocabulary_differences() == []
    strings = [*generated(1_000, specials=list(case.ours.special_tokens)[:8])]
    texts = [*files(shared, sample=3_000), *enumerate(strings)]
    different: list[object] = [(name, found) for name, text in texts if (found := case.differences(text))]
    pairs = itertools.pairwise(strings[::3])
    different += [(pair, found) for pair in pairs if (found := case.pair_differences(*pair))]
    assert different == []


@pytest.mark.parametrize("model", TOKENIZER_JSON)
def test_lines(model: str, shared: Path) -> None:
    """Short texts of a batch are taken together, with their line ends and without, special tokens among them."""
    case = tokenizer_json(shared / "models" / model)
    lines = large_document(shared).splitlines(keepends=True)[:4_000]
    lines += [line.rstrip("\n") for line in lines]
    lines += generated(2_000, seed=5, specials=list(case.ours.special_tokens)[:8])
    expected = [encoding.ids for encoding in case.theirs.encode_batch_fast(lines, add_special_tokens=False)]
    for threads in (1, 2):
        assert case.ours.encode_batch(lines, threads=threads).to_list() == expected


@pytest.mark.parametrize("model", TOKENIZER_JSON)
def test_a_large_document(model: str, shared: Path, tmp_path: Path) -> None:
    """It is cut where that changes nothing: for threads, for memory, and where it comes bit by bit."""
    case = tokenizer_json(shared / "models" / model)
    text = large_document(shared)
    expected = case.theirs.encode(text, add_special_tokens=False).ids
    (tmp_path / "large.txt").write_text(text, newline="")
    for threads in (1, 3):
        assert case.ours.encode_files(tmp_path / "large.txt", threads=threads, progress=False).ids.tolist() == expected
    parts = (text[at : at + 10_000] for at in range(0, len(text), 10_000))
    assert list(case.ours.encode_iterable(parts)) == expected


@pytest.mark.parametrize("model", TOKENIZER_JSON)
def test_what_we_write_is_read_alike(model: str, shared: Path) -> None:
    ours = bytemill.load(shared / "models" / model)
    data = ours.to_bytes("tokenizer.json")
    assert bytemill.Tokenizer(bytemill._core.from_bytes(data)).to_bytes("tokenizer.json") == data
    written = Library(tokenizers.Tokenizer.from_str(data.decode()), ours)
    strings = [*generated(150, seed=9, specials=list(ours.special_tokens)[:8])]
    texts = [*files(shared, sample=300), *enumerate(strings)]
    different: list[object] = [(name, found) for name, text in texts if (found := written.differences(text))]
    pairs = itertools.pairwise(strings[::3])
    different += [(pair, found) for pair in pairs if (found := written.pair_differences(*pair))]
    assert different == []
