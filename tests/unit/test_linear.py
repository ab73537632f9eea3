"""Loading and using a file takes time in proportion to its size, whatever field is long; what takes more is refused.
So does splitting a source.

CPU time is compared with that of a quarter of the size, not with a clock: four times is linear, sixteen quadratic.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import bytemill
from bytemill.code import code_pieces
from bytemill.errors import FormatError, SpecError

Json = dict[str, Any]

TEXT = "ab x" * 50
#: Between linear and quadratic, with room for what a busy machine adds.
MOST = 9.0
#: Times below this tell nothing.
LEAST_SECONDS = 0.004


def bpe(**changes: Any) -> Json:
    vocab = {"[UNK]": 0, "a": 1, "b": 2, "x": 3, " ": 4, **changes.pop("vocab", {})}
    options = {"dropout": None, "unk_token": "[UNK]", "fuse_unk": False, "byte_fallback": False}
    marks = {"continuing_subword_prefix": None, "end_of_word_suffix": None}
    return {"type": "BPE", **options, **marks, "vocab": vocab, "merges": [], **changes}


def unigram(*tokens: str) -> Json:
    vocab = [["<unk>", 0.0], *([token, -1.0 - i] for i, token in enumerate(tokens))]
    return {"type": "Unigram", "unk_id": 0, "byte_fallback": False, "vocab": vocab}


def added(contents: list[str], **flags: bool) -> list[Json]:
    names = ("single_word", "lstrip", "rstrip", "normalized")
    plain = {**dict.fromkeys(names, False), "special": True, **flags}
    return [{"id": 100 + i, "content": content, **plain} for i, content in enumerate(contents)]


def use(text: str = TEXT, **parts: Any) -> None:
    """Loads a file, and does with it what one does."""
    stages = ("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder")
    file = {"version": "1.0", "added_tokens": [], **dict.fromkeys(stages), "model": bpe(), **parts}
    tok = bytemill.loads(json.dumps(file).encode())
    tok.decode(tok.encode(text))
    tok(text, offsets=True)
    list(tok.encode_iterable([text, text]))
    tok.to_bytes("mill")
    tok.to_bytes("tokenizer.json")


def characters(count: int) -> str:
    """As many, no two of them neighbours."""
    return "".join(map(chr, range(200, 200 + 2 * count, 2)))


def replace(pattern: str, content: str) -> Json:
    return {"type": "Replace", "pattern": {"String": pattern}, "content": content}


def split(pattern: str) -> Json:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def template(tokens: list[str]) -> Json:
    text = {"Sequence": {"id": "A", "type_id": 0}}
    single = [text, *({"SpecialToken": {"id": token, "type_id": 0}} for token in tokens)]
    known = {token: {"id": token, "ids": [3], "tokens": ["x"]} for token in tokens}
    pair = [text, {"Sequence": {"id": "B", "type_id": 1}}]
    return {"type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": known}


def steps(kind: str, step: Json, count: int) -> Json:
    return {"type": "Sequence", kind: [step] * count}


#: What is long, and a size at which a quadratic way would take seconds.
CASES: dict[str, tuple[int, Callable[[int], None]]] = {
    "unknown token": (50_000, lambda n: use(model=bpe(unk_token="x" * n, vocab={"x" * n: 5}))),
    "prefix": (50_000, lambda n: use(model=bpe(continuing_subword_prefix="x" * n))),
    "suffix": (50_000, lambda n: use(model=bpe(end_of_word_suffix="x" * n))),
    "special token": (4_000, lambda n: use(added_tokens=added(["x" * n]))),
    "ninety special tokens": (1_000, lambda n: use(added_tokens=added([f"{i}{'x' * n}" for i in range(90)]))),
    "special tokens": (8_000, lambda n: use(added_tokens=added([f"<{i}>" for i in range(n)]))),
    "special tokens that strip": (8_000, lambda n: use(added_tokens=added([f"<{i}>" for i in range(n)], lstrip=True))),
    "special tokens alike": (8_000, lambda n: use("<aaaa" * 50, added_tokens=added([f"<aaaa{i}>" for i in range(n)]))),
    "special spaces": (50_000, lambda n: use(" " * n, added_tokens=added([" "], lstrip=True, rstrip=True))),
    "special spaces on the left": (50_000, lambda n: use(" " * n, added_tokens=added([" "], lstrip=True))),
    "spaces before a token": (50_000, lambda n: use(" " * n, added_tokens=added(["<m>"], lstrip=True))),
    "class of characters": (8_000, lambda n: use(pre_tokenizer=split(f"[{characters(n)}]"))),
    "text of one piece": (50_000, lambda n: use("x" * n, pre_tokenizer=split("x+(?=y)"))),
    "replaced string": (4_000, lambda n: use("x" * n, normalizer=replace("x" * n, "y"))),
    "replacement": (50_000, lambda n: use(normalizer=replace("q", "x" * n))),
    "what is prepended": (50_000, lambda n: use(normalizer={"type": "Prepend", "prepend": "x" * n})),
    "normalizers": (8_000, lambda n: use(normalizer=steps("normalizers", {"type": "Lowercase"}, n))),
    "pretokenizers": (4_000, lambda n: use(pre_tokenizer=steps("pretokenizers", {"type": "Whitespace"}, n))),
    "template of one token": (8_000, lambda n: use(post_processor=template(["x"] * n))),
    "template of many tokens": (8_000, lambda n: use(post_processor=template([f"x{i}" for i in range(n)]))),
    "decoder's prefix": (50_000, lambda n: use(decoder={"type": "WordPiece", "prefix": "x" * n, "cleanup": True})),
    "tokens of a Unigram model": (8_000, lambda n: use(model=unigram("a", "b", *(f"a{i}" for i in range(n))))),
    "marks on one letter": (20_000, lambda n: use("a" + "\u0301\u0323" * n, normalizer={"type": "NFC"})),
    "C# strings that do not end": (120_000, lambda n: code_pieces(('"${' * n)[:n], "csharp")),
    "C# brackets that do not end": (120_000, lambda n: code_pieces("(" * n, "csharp")),
    "Bash brackets that do not end": (120_000, lambda n: code_pieces(("${[" * n)[:n], "bash")),
    "C# that is base64": (120_000, lambda n: code_pieces(("QUJD" * n)[:n], "csharp")),
    "unknown token of a spec": (4_000, lambda n: train(bytemill.Char(unk_token="x" * n))),
    "unknown piece": (4_000, lambda n: train(bytemill.SentencePiece(7, model="char", unk_token="x" * n))),
    "symbol of the user": (4_000, lambda n: train(bytemill.Unigram(8, user_defined_symbols=["x" * n]))),
    "misspelt name": (50_000, lambda n: refused(lambda: bytemill.BPE(300, ties="x" * n))),
}  # fmt: skip


def refused(call: Callable[[], object]) -> None:
    with pytest.raises(SpecError):
        call()


def train(spec: Any) -> None:
    bytemill.train(["abc"], spec, progress=False)


def seconds(work: Callable[[int], None], size: int) -> float:
    start = time.process_time()
    work(size)
    return time.process_time() - start


@pytest.mark.parametrize("name", CASES)
def test_time_grows_with_the_size(name: str) -> None:
    size, work = CASES[name]
    # Noise only adds: if any attempt is linear, the work is.
    ratios = (seconds(work, size) / max(seconds(work, size // 4), LEAST_SECONDS) for _ in range(4))
    tried = list(itertools.islice(ratios, 1))
    while tried[-1] > MOST and (ratio := next(ratios, None)) is not None:
        tried.append(ratio)
    assert min(tried) <= MOST, tried


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"added_tokens": added(["x" * 5_000])}, "a token has 5000 bytes"),
        ({"model": unigram("x" * 5_000)}, "a token has 5000 bytes"),
        ({"decoder": steps("decoders", {"type": "Fuse"}, 40_000)}, "40000 decoders one after the other are too many"),
        ({"pre_tokenizer": split("a{5000}")}, "4096 steps"),
    ],
)
def test_what_has_a_bound_is_refused(parts: Json, message: str) -> None:
    with pytest.raises((FormatError, SpecError), match=message):
        use(**parts)


def test_a_limit_of_threads_is_kept() -> None:
    tok = bytemill.train(["ab"], bytemill.Char(), progress=False)
    assert tok.encode_batch(["ab"] * 5_000, threads=100_000).to_list() == [tok.encode("ab")] * 5_000


@pytest.mark.parametrize(
    "spec",
    [
        bytemill.Unigram(10, unk_token="x" * 5_000),
        bytemill.SentencePiece(10, model="bpe", bos_token="x" * 5_000),
        bytemill.SentencePiece(model="word", user_defined_symbols=["x" * 5_000]),
        bytemill.Char(unk_token="x" * 5_000),
    ],
    ids=lambda spec: type(spec).__name__,
)
def test_a_spec_is_refused_before_a_text_is_read(spec: Any) -> None:
    def texts() -> Iterator[str]:
        yield "abc"  # What is given is told from file names by its beginning.
        raise AssertionError("the text was read")

    with pytest.raises(SpecError, match="a token has 5000 bytes"):
        bytemill.train(texts(), spec, progress=False)


def test_rounds_of_a_training_have_a_bound() -> None:
    with pytest.raises(SpecError, match="sub_iterations is from 1 to 1000, not 2147483648"):
        train(bytemill.Unigram(10, sub_iterations=2**31))
