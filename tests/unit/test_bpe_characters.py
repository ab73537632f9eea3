"""BPE over characters, from small tokenizer.json files: each option fails a test when it is ignored."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

import bytemill

VOCAB = ["<unk>", "a", "b", "ab", "<0xC3>", "<0xA9>", "##b", "##a", "b</w>", "ab</w>", "abab", "aa"]


def load(tmp_path: Path, merges: list[str], pretokenizer: str | None = "WhitespaceSplit", **model: Any) -> Any:
    vocab = {token: id for id, token in enumerate(VOCAB)}
    path = tmp_path / "tokenizer.json"
    file = {
        "version": "1.0",
        "normalizer": None,
        "pre_tokenizer": pretokenizer and {"type": pretokenizer},
        "post_processor": None,
        "decoder": None,
        "model": {"type": "BPE", "vocab": vocab, "merges": merges, **model},
    }
    path.write_text(json.dumps(file))
    return bytemill.load(path)


@pytest.mark.parametrize(
    ("merges", "options", "text", "tokens"),
    [
        (["a b"], {}, "abxa", ["ab", "a"]),
        (["a b"], {"unk_token": "<unk>"}, "abxxa", ["ab", "<unk>", "<unk>", "a"]),
        (["a b"], {"unk_token": "<unk>", "fuse_unk": True}, "abxxa", ["ab", "<unk>", "a"]),
        (["a b"], {"unk_token": "<unk>", "byte_fallback": True}, "xéa", ["<0xC3>", "<0xA9>", "<unk>", "a"]),
        (["a b"], {"byte_fallback": True}, "aéx", ["a", "<0xC3>", "<0xA9>"]),
        (["a ##b"], {"continuing_subword_prefix": "##"}, "abb aa", ["ab", "##b", "a", "##a"]),
        (["a b</w>", "a b"], {"end_of_word_suffix": "</w>"}, "abab", ["ab", "ab</w>"]),
        ([], {"ignore_merges": True}, "abab aba", ["abab", "a", "b", "a"]),
        ([], {}, "abab", ["a", "b", "a", "b"]),
        (["a a", "a b"], {}, "aab", ["aa", "b"]),
        (["a a", "a b", "a a"], {}, "aab", ["a", "ab"]),
    ],
)
def test_options(merges: list[str], options: dict[str, Any], text: str, tokens: list[str], tmp_path: Path) -> None:
    tok = load(tmp_path, merges, **options)
    assert tok.tokenize(text) == tokens
    for format in ("mill", "mill.json", "tokenizer.json"):
        again = bytemill.Tokenizer(bytemill._core.from_bytes(tok.to_bytes(format)))
        assert again == tok and again.tokenize(text) == tokens


def test_offsets_count_what_the_library_counts(tmp_path: Path) -> None:
    tok = load(tmp_path, ["a b"], unk_token="<unk>", fuse_unk=True)
    assert tok("xé ab", offsets=True).offsets == [(0, 2), (3, 5)]
    # A dropped character leaves no gap: what follows it moves up.
    assert load(tmp_path, ["a b"])("xab", offsets=True).offsets == [(0, 2)]


def test_a_text_that_is_one_piece_takes_time_in_proportion(tmp_path: Path) -> None:
    tok = load(tmp_path, ["a b", "ab ab"], pretokenizer=None, unk_token="<unk>", fuse_unk=True)
    for text in ("ab" * 500_000, "x" * 1_000_000, "axb" * 333_333):
        started = time.perf_counter()
        ids = tok.encode(text)
        assert tok(text, offsets=True).ids == ids
        assert time.perf_counter() - started < 10
    assert len(tok.encode("ab" * 500_000)) == 250_000
    assert tok.encode("x" * 1_000_000) == [0]
