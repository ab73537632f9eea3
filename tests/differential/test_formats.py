"""vocab.json with merges.txt, tekken.json and foreign .tiktoken files: equal to the libraries that they come from."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path

import pytest

import bytemill

from ..conftest import need
from ..effort import MATRIX

tokenizers = need("tokenizers")
tiktoken = need("tiktoken")

from .shared_models import OTHER_FILES, Case, Library, Tiktoken, clip, gpt1, ranks, tekken  # noqa: E402
from .texts import files, generated  # noqa: E402

pytestmark = [pytest.mark.peer, pytest.mark.shared]


def assert_same(case: Case, shared: Path, full: bool = MATRIX) -> None:
    texts = [*files(shared, sample=None if full else 2_000), *enumerate(generated(20_000 if full else 500))]
    different = [(name, found) for name, text in texts if (found := case.differences(text))]
    assert different == []


@pytest.mark.parametrize("name", OTHER_FILES)
def test_every_shared_text(name: str, shared: Path) -> None:
    """A sample of them; matrix.py takes all."""
    assert_same(OTHER_FILES[name](shared / "models" / name), shared, full=False)


@pytest.mark.parametrize("name", ["openai-gpt2", "roberta-base", "codet5"])
def test_byte_level_files_are_written_as_they_were(name: str, shared: Path, tmp_path: Path) -> None:
    folder = shared / "models" / name
    ours = bytemill.load(folder / "vocab.json")
    ours.save(tmp_path, format="vocab.json")
    assert bytemill.load(tmp_path) == ours == bytemill.load(folder / "merges.txt")
    assert json.loads((tmp_path / "vocab.json").read_text()) == json.loads((folder / "vocab.json").read_text())


def test_the_special_tokens_of_gpt2(shared: Path) -> None:
    folder = shared / "models" / "openai-gpt2"
    ours = bytemill.load(folder / "vocab.json", special_tokens={"<|endoftext|>": 50256})
    theirs = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    text = "a<|endoftext|> b"
    assert ours.encode(text) == theirs.encode(text).ids


def test_gpt1_as_tokenizer_json(shared: Path, tmp_path: Path) -> None:
    ours = gpt1(shared / "models" / "openai-gpt1").ours
    ours.save(tmp_path / "tokenizer.json")
    assert_same(Library(tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json")), ours), shared)


def test_clip_is_decoded_by_its_suffix(shared: Path) -> None:
    ours = clip(shared / "models" / "clip").ours
    assert ours.decode(ours.encode("the cat, 東京")) == "the cat , 東京"


def test_tekken_from_a_folder_and_saved(shared: Path, tmp_path: Path) -> None:
    path = shared / "models" / "mistral-tekken" / "tekken_240718.json.gz"
    ours = bytemill.load(path)
    assert ours.vocab_size == 131072 and len(ours.special_tokens) == 1000
    (tmp_path / "tekken.json").write_bytes(gzip.decompress(path.read_bytes()))
    assert bytemill.load(tmp_path) == ours
    ours.save(tmp_path / "tokenizer.mill")
    assert bytemill.load(tmp_path / "tokenizer.mill") == ours


def test_tekken_written(shared: Path, tmp_path: Path) -> None:
    """What is written is, to `mistral-common`, the same tokenizer."""
    ours = bytemill.load(shared / "models" / "mistral-tekken" / "tekken_240718.json.gz")
    ours.save(tmp_path / "tekken.json")
    case = tekken(tmp_path / "tekken.json")
    assert case.ours == ours
    assert_same(case, shared)


CATEGORIES = [
    *("L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Ps", "Pe"),
    *("Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp", "Cc", "Cf", "Co"),
]
PATTERNS = [
    r"(?i:'s|'t|ll)|\p{Lu}+\p{Ll}*|\p{L}{2,3}?|\d|[\p{P}\-$^{]++(?!\S)|\s+(?<=\n)|.",
    r"\p{Ll}+(?=\p{Lu})|\S(?<!a)|[^\S\n]+",
    r"\x{4E2D}|(?:ab|a)+|\r?\n|[a-c\p{Nd}]*x",
]


@pytest.mark.parametrize("pattern", [*PATTERNS, *(rf"\p{{{name}}}" for name in CATEGORIES), r"\s", r"\d", "(?i:sk)"])
def test_other_patterns_of_tekken(pattern: str, tmp_path: Path) -> None:
    """On every character, and on what is hard."""
    tokens = [{"rank": n, "token_bytes": base64.b64encode(bytes([n])).decode(), "token_str": None} for n in range(256)]
    pairs = [b"ab", b"a ", b"'s", b"12", b"abc", b"\r\n"]
    tokens += [
        {"rank": 256 + n, "token_bytes": base64.b64encode(pair).decode(), "token_str": pair.decode()}
        for n, pair in enumerate(pairs)
    ]
    config = {"pattern": pattern, "num_vocab_tokens": len(tokens), "default_vocab_size": len(tokens) + 3}
    config |= {"default_num_special_tokens": 3, "version": "v13"}
    listed = [{"rank": n, "token_str": f"<{n}>", "is_control": True} for n in range(3)]
    path = tmp_path / "tekken.json"
    path.write_text(json.dumps({"config": config, "vocab": tokens, "special_tokens": listed}))
    case = tekken(path)
    every = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
    for text in [every, *generated(2000)]:
        ids = [id + case.moved for id in case.theirs.encode_ordinary(text)]
        assert case.ours.encode(text) == ids, text[:100]


def test_the_special_tokens_of_tekken(shared: Path) -> None:
    """The first ten as in the tokenizer.json of the same model, which numbers later ones otherwise than the original;
    never found in a text unless a call asks for it."""
    folder = shared / "models" / "mistral-tekken"
    ours = bytemill.load(folder / "tekken_240718.json.gz")
    converted = bytemill.load(folder / "tokenizer.json.gz")
    known = {token: id for token, id in converted.special_tokens.items() if id < 10}
    assert len(known) == 10 and known.items() <= ours.special_tokens.items()
    assert ours.token_to_id("<SPECIAL_999>") == 999
    assert len(ours.encode("[INST]")) > 1
    assert ours.encode("[INST]a</s>", specials="all") == [3, *ours.encode("a"), 2]


@pytest.mark.parametrize(
    ("path", "pattern", "specials"),
    [
        ("whisper/multilingual.tiktoken", "gpt2", {"<|endoftext|>": 50257, "<|startoftranscript|>": 50258}),
        ("qwen3/qwen.tiktoken.gz", "qwen2", {"<|endoftext|>": 151643, "<|im_start|>": 151644, "<|im_end|>": 151645}),
    ],
)
def test_foreign_tiktoken_files(path: str, pattern: str, specials: dict[str, int], shared: Path) -> None:
    file = shared / "models" / path
    text_of = {
        "gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        "qwen2": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
        r"\s*[\r\n]+|\s+(?!\S)|\s+",
    }
    theirs = tiktoken.Encoding("mine", pat_str=text_of[pattern], mergeable_ranks=ranks(file), special_tokens=specials)
    ours = bytemill.load(file, pattern=pattern, special_tokens=specials)
    assert ours.vocab_size == theirs.n_vocab
    assert_same(Tiktoken(theirs, ours), shared)
    text = "a".join(specials)
    assert ours.encode(text, specials="all") == theirs.encode(text, allowed_special="all")
