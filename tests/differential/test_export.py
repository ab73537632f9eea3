"""What we write as tokenizer.json loads in `tokenizers` and works the same there."""

from pathlib import Path

import pytest

import bytemill
from bytemill import Char, Word, normalizers, pretokenizers

from ..conftest import need

tokenizers = need("tokenizers")

from .texts import generated  # noqa: E402

pytestmark = pytest.mark.peer

CORPUS = [*generated(400, seed=5), "Hello, world! The cat (it's mine) costs $5 - well-known."]

CASES = {
    "char": (Char(), {}),
    "char, all options": (Char(min_frequency=2, lowercase=True, strip_accents=True, add_bos=True, add_eos=True), {}),
    "char, no roles": (Char(pad_token=None, bos_token=None, eos_token=None), {}),
    "char, split": (Char(), {"pretokenizer": "whitespace"}),
    "word": (Word(), {}),
    "word, all options": (Word(lowercase=True, strip_accents=True, split_cjk=True, add_bos=True, add_eos=True), {}),
    "word, small": (Word(vocab_size=40), {"special_tokens": ["<x>", "a b"]}),
    # What parses source code is refused, which is tested with the other things that a format cannot express.
    **{f"word, {name}": (Word(), {"pretokenizer": name}) for name in pretokenizers.NAMED if name != "code"},
    **{f"word, {name}": (Word(), {"normalizer": name}) for name in normalizers.NAMED},
}


@pytest.mark.parametrize("case", CASES)
def test_loads_and_encodes_identically(case: str, tmp_path: Path) -> None:
    spec, options = CASES[case]
    ours = bytemill.train(CORPUS, spec, progress=False, **options)
    ours.save(tmp_path / "tokenizer.json")
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    again = bytemill.load(tmp_path / "tokenizer.json")
    assert theirs.get_vocab_size() == ours.vocab_size
    for text in [*generated(150, seed=6), "<BOS>Hello<EOS> <x> a b", *CORPUS[-1:]]:
        expected = theirs.encode(text, add_special_tokens=False)
        assert ours.encode(text) == expected.ids == again.encode(text)
        found = ours(text, offsets=True)
        whole = theirs.encode(text)
        assert (found.ids, found.offsets) == (whole.ids, whole.offsets)
        assert ours.decode(whole.ids) == theirs.decode(whole.ids, skip_special_tokens=False)
        assert again.decode(whole.ids, skip_special_tokens=True) == theirs.decode(whole.ids)


def test_pairs_keep_their_template(tmp_path: Path) -> None:
    ours = bytemill.train(["a b c"], Word(add_bos=True, add_eos=True), progress=False)
    ours.save(tmp_path / "tokenizer.json")
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json")).encode("a b", "c")
    found = ours("a b", "c")
    assert (found.ids, found.type_ids) == (theirs.ids, theirs.type_ids)
    assert found.ids == [2, 4, 5, 3, 2, 6, 3]
