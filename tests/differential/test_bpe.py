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

from .shared_models import TOKENIZER_JSON, tokenizer_json  # noqa: E402
from .texts import files, generated  # noqa: E402

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


def test_what_we_write_is_read_alike(shared: Path, tmp_path: Path) -> None:
    ours = bytemill.load(shared / "models" / "openai-gpt2" / "tokenizer.json")
    ours.save(tmp_path / "tokenizer.json")
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    again = bytemill.load(tmp_path / "tokenizer.json")
    assert again.fingerprint == ours.fingerprint
    for text in generated(500, seed=9):
        assert ours.encode(text) == theirs.encode(text).ids == again.encode(text)
