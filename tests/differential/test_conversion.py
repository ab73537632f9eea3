"""Between `.model` and tokenizer.json: what we write for the other library encodes there as the original does here.

Two kinds of texts are left out, as docs/formats.md says: those in which a special token is written out, and those that
`tokenizers` normalizes otherwise, which have a letter with marks or a character that joins others. With Unigram,
two rows of tokens may have the same sum except for rounding.
"""

import json
import re
import unicodedata
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill.tokenizer import OtherLibrary

from ..conftest import need

sentencepiece = need("sentencepiece")
tokenizers = need("tokenizers")
need("google.protobuf")

from .sentencepiece_models import MODELS  # noqa: E402
from .shared_models import read_bytes  # noqa: E402
from .texts import files, generated  # noqa: E402

pytestmark = [pytest.mark.peer, pytest.mark.shared]


class Both:
    """A `.model` in `sentencepiece` and a tokenizer.json in `tokenizers`."""

    def __init__(self, model: bytes, file: bytes) -> None:
        self.model = sentencepiece.SentencePieceProcessor(model_proto=model)
        self.file = tokenizers.Tokenizer.from_str(file.decode())
        stages = json.loads(file)
        self.is_unigram = "merges" not in stages["model"]
        self.has_map = "Precompiled" in json.dumps(stages["normalizer"])
        size = self.model.get_piece_size()
        self.reserved = [
            self.model.id_to_piece(id) for id in range(size) if self.model.is_control(id) or self.model.is_unknown(id)
        ]

    def differences(self, texts: Iterator[str]) -> list[str]:
        return [text for text in texts if self.should_agree(text) and not self.agrees(text)]

    def should_agree(self, text: str) -> bool:
        if any(token in text for token in self.reserved):
            return False
        joins = (unicodedata.category(c) in ("Mn", "Mc", "Me", "Cf") or "\u1100" <= c <= "\u11ff" for c in text)
        return not self.has_map or not any(joins)

    def agrees(self, text: str) -> bool:
        expected, found = self.model.encode(text), self.file.encode(text, add_special_tokens=False).ids
        if expected == found:
            return True
        scores = [sum(self.model.get_score(id) for id in ids) for ids in (expected, found)]
        same_text = self.model.decode(expected) == self.model.decode(found)
        return self.is_unigram and same_text and abs(scores[0] - scores[1]) < 1e-3


def lines(shared: Path, sample: int) -> Iterator[str]:
    for _, text in files(shared, sample=sample):
        yield from text.split("\n")


def saved(tok: bytemill.Tokenizer, path: Path) -> bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OtherLibrary)
        tok.save(path)
    return path.read_bytes()


@pytest.mark.parametrize("model", MODELS)
def test_a_model_as_tokenizer_json(model: str, shared: Path, tmp_path: Path) -> None:
    path = shared / "models" / model
    both = Both(path.read_bytes(), saved(bytemill.load(path), tmp_path / "tokenizer.json"))
    assert both.differences(lines(shared, 1_000)) == []
    assert both.differences(iter(generated(500))) == []
    assert both.differences("x" + " " * n + "y" for n in range(40)) == []
    ours = bytemill.load(tmp_path / "tokenizer.json")
    for text in generated(100, seed=5):
        assert ours.encode(text) == both.file.encode(text).ids
        ids = both.file.encode(text).ids
        assert ours.decode(ids) == both.file.decode(ids, skip_special_tokens=False)


@pytest.mark.parametrize("model", [model for model in MODELS if "v3" not in model])
def test_there_and_back(model: str, shared: Path, tmp_path: Path) -> None:
    path = shared / "models" / model
    saved(bytemill.load(path), tmp_path / "tokenizer.json")
    again = saved(bytemill.load(tmp_path / "tokenizer.json"), tmp_path / "again.model")
    before = sentencepiece.SentencePieceProcessor(model_file=str(path))
    after = sentencepiece.SentencePieceProcessor(model_proto=again)
    for text in [*generated(300, seed=3), *(line for line in lines(shared, 500))]:
        assert after.encode(text) == before.encode(text)
        assert after.decode(after.encode(text)) == before.decode(before.encode(text))


@pytest.mark.parametrize(
    ("file", "left_out"),
    [
        # White space to the pretokenizer, and no space to the map.
        ("t5-base/tokenizer.json", "\x85"),
        ("barthez/tokenizer.json.gz", "\x85"),
        # The mark before a text is only put where there is none.
        ("mistral-spm/tokenizer_v1.json.gz", "^ "),
        ("mistral-spm/tokenizer_v3.json.gz", "^ "),
    ],
)
def test_a_tokenizer_json_as_model(file: str, left_out: str, shared: Path, tmp_path: Path) -> None:
    path = shared / "models" / file
    model = saved(bytemill.load(path), tmp_path / "written.model")
    both = Both(model, read_bytes(path))
    texts = [*lines(shared, 1_000), *generated(500), *("x" + " " * n + "y" for n in range(40))]
    assert both.differences(text for text in texts if not re.search(left_out, text)) == []


OPTIONS: dict[str, dict[str, Any]] = {
    "symbols": {"user_defined_symbols": ["<sep>", "<cls>", "ROMEO:", "th"], "control_symbols": ["<c>"]},
    "unprefixed": {"add_dummy_prefix": False, "user_defined_symbols": ["<sep>", "ROMEO:", "th"]},
    "plain": {"add_dummy_prefix": False, "remove_extra_whitespaces": False, "normalization_rule_name": "identity"},
    "spaces": {"remove_extra_whitespaces": False, "split_by_whitespace": False, "normalization_rule_name": "identity"},
    "bytes": {"byte_fallback": True, "character_coverage": 0.98, "normalization_rule_name": "identity"},
}


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("kind", ["unigram", "bpe", "char"])
def test_trained_there(kind: str, name: str, tmp_path: Path, shared: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text((shared / "corpora" / "tinyshakespeare.txt").read_text()[:100_000])
    sentencepiece.SentencePieceTrainer.train(
        input=str(corpus),
        model_prefix=str(tmp_path / "m"),
        model_type=kind,
        vocab_size=600,
        hard_vocab_limit=False,
        num_threads=1,
        minloglevel=2,
        **OPTIONS[name],
    )
    model = tmp_path / "m.model"
    both = Both(model.read_bytes(), saved(bytemill.load(model), tmp_path / "tokenizer.json"))
    odd = ["<sep>a", " <sep> b", "a <sep>", "<cls><sep>the ROMEO: <c", "▁a ▁", "  a  b  ", "▁", " ", "", "th", "the"]
    assert both.differences(iter([*odd, *generated(300, specials=["<sep>", "ROMEO:", "the "])])) == []
    assert both.differences(iter(corpus.read_text().split("\n")[:300])) == []
    if kind == "bpe" and "user_defined_symbols" in OPTIONS[name]:
        again = saved(bytemill.load(tmp_path / "tokenizer.json"), tmp_path / "again.model")
        after = sentencepiece.SentencePieceProcessor(model_proto=again)
        for text in [*odd, *generated(300, specials=["<sep>", "ROMEO:", "the "]), corpus.read_text()[:5_000]]:
            assert after.encode(text) == both.model.encode(text)
            assert bytemill.load(tmp_path / "again.model").encode(text) == after.encode(text)


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("xlnet-base-cased/tokenizer.json.gz", "the normalizer replace where it stands"),
        ("openai-gpt2/tokenizer.json", "byte-pair encoding that does not start from characters"),
        ("bert-base-uncased/tokenizer.json", "a tokenizer of wordpieces that is not SentencePiece's"),
    ],
)
def test_what_a_model_cannot_say(file: str, reason: str, shared: Path) -> None:
    tok = bytemill.load(shared / "models" / file)
    with pytest.raises(bytemill.errors.FormatError, match="cannot express") as error:
        tok.to_bytes("model")
    assert reason in str(error.value)
