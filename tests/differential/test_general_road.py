"""The general road is the slow twin of every fast path: each shared model, forced onto it, gives the same ids."""

from pathlib import Path

import pytest

import bytemill

from ..conftest import need

need("tokenizers")
need("tiktoken")
need("sentencepiece")

from .sentencepiece_models import MODELS  # noqa: E402
from .shared_models import TIKTOKEN, TOKENIZER_JSON, tiktoken_file  # noqa: E402
from .texts import files, generated, large_document  # noqa: E402

pytestmark = [pytest.mark.peer, pytest.mark.shared]


def check(tok: bytemill.Tokenizer, shared: Path) -> None:
    general = bytemill.Tokenizer(tok._without_fast_path())
    texts = [text for _, text in files(shared, sample=2_000)]
    texts += generated(1_000, seed=11, specials=list(tok.special_tokens)[:8])
    texts += large_document(shared)[:200_000].splitlines(keepends=True)
    for specials in ("all", "none"):
        expected = [general.encode(text, specials=specials) for text in texts]
        assert [tok.encode(text, specials=specials) for text in texts] == expected
        assert tok.encode_batch(texts, specials=specials, threads=1).to_list() == expected
        assert tok.count_batch(texts, specials=specials).tolist() == [len(ids) for ids in expected]


@pytest.mark.parametrize("model", TOKENIZER_JSON)
def test_tokenizer_json(model: str, shared: Path) -> None:
    check(bytemill.load(shared / "models" / model), shared)


@pytest.mark.parametrize("model", TIKTOKEN)
def test_tiktoken(model: str, shared: Path, tmp_path: Path) -> None:
    check(tiktoken_file(model, shared / "models" / TIKTOKEN[model], tmp_path).ours, shared)


@pytest.mark.parametrize("model", MODELS)
def test_sentencepiece(model: str, shared: Path) -> None:
    check(bytemill.load(shared / "models" / model), shared)
