"""The playground without a browser: what the server answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

import bytemill
from bytemill.see.web.server import Playground
from bytemill.see.web.tokens import DIFFERS, PARTIAL, SPECIAL, UNKNOWN
from tests.samples import CORPUS, words

BPE = bytemill.train(CORPUS, bytemill.BPE(270), special_tokens=["<EOS>"], progress=False)
UNIGRAM = bytemill.train(CORPUS * 3, bytemill.Unigram(80), progress=False)
PAGE = Playground({"bpe": BPE, "words": words(), "unigram": UNIGRAM})


def ask(name: str, **question: Any) -> Any:
    status, body = PAGE.answer(name, json.dumps(question).encode())
    assert status == 200, body
    return json.loads(body)


def tokens(text: str, start: int = 0, end: int = 1 << 20, **more: Any) -> list[dict[str, Any]]:
    return ask("tokens", text=text, **{"from": start, "to": end, **more})


def test_tokens_are_those_of_the_tokenizer() -> None:
    row = tokens("the cat sat 🙂")[0]
    assert [token[0] for token in row["tokens"]] == BPE.encode("the cat sat 🙂")
    assert row["count"] == len(row["tokens"]) and row["bytes"] == 16
    assert bytes.fromhex("".join(token[5] for token in row["tokens"])).decode() == "the cat sat 🙂"


def test_marks() -> None:
    bpe, word, _ = tokens("the<EOS>zebra 語", specials=True)
    flags = {token[0]: token[4] for token in bpe["tokens"]}
    assert flags[BPE.special_tokens["<EOS>"]] & SPECIAL
    assert any(token[4] & PARTIAL for token in bpe["tokens"]) and any(token[4] & UNKNOWN for token in word["tokens"])
    assert any(token[4] & DIFFERS for token in bpe["tokens"])


def test_a_view_has_the_tokens_of_the_whole_text() -> None:
    text = "the 🙂 cat " * 500
    row = tokens(text, 2_000, 2_100)[0]
    every = BPE.encode(text)
    assert row["count"] == len(every)
    assert [token[0] for token in row["tokens"]] == every[row["first"] : row["first"] + len(row["tokens"])]
    assert 20 < len(row["tokens"]) < 200


def test_an_unknown_token_as_long_as_the_text_is_shortened() -> None:
    (token,) = (token for token in tokens("字" * 5_000)[2]["tokens"] if token[4] & UNKNOWN)
    assert len(token[1]) < 250 and token[1].endswith("… (5,000 characters)")


def test_half_a_pair_of_surrogates_is_replaced() -> None:
    status, body = PAGE.answer("tokens", b'{"text": "a\\ud800b", "from": 0, "to": 10}')
    assert status == 200 and json.loads(body)[0]["bytes"] == 5


def test_merges_end_in_the_tokens() -> None:
    found = ask("merges", model="bpe", text="the cat", place=4)
    assert found["kind"] == "merges" and found["piece"] == "·cat"
    assert found["states"][-1] == [text for _, text in found["tokens"]]
    assert len(found["states"]) == len(found["steps"]) + 1
    assert ask("merges", model="bpe", text="x" * 5_000, place=4)["kind"] == "long"
    assert ask("merges", model="bpe", text="<EOS>", place=1, specials=True)["kind"] == "added"
    assert ask("merges", model="bpe", text="", place=0)["kind"] == "none"


def test_rivals_have_probabilities() -> None:
    found = ask("merges", model="unigram", text="the cat", place=5)
    assert found["kind"] == "rivals" and found["piece"] == "cat"
    shares = [row["probability"] for row in found["rows"]]
    assert shares == sorted(shares, reverse=True) and 0 < sum(shares) <= 1 + 1e-6


def test_stages() -> None:
    found = ask("stages", model="unigram", text="ﬁne")
    assert found["changed"] and [row[0] for row in found["normalized"]] == [*"▁fine"]
    assert [row[1] for row in found["normalized"]] == [0, 0, 0, 1, 2]
    assert [row[0] for row in ask("stages", model="bpe", text="the cat")["pieces"]] == ["the", "·cat"]


def test_syntax() -> None:
    found = ask("syntax", model="bpe", text="def f():\n    return 'x'\n", language="python")
    assert {row[2] for row in found["tokens"]} >= {"keyword", "string"}
    assert json.loads(PAGE.answer("syntax", b'{"model": "bpe", "text": "x", "language": "latin"}')[1])["error"]


def test_a_chat_needs_a_template() -> None:
    assert "template" in ask("chat", model="bpe", messages=[{"role": "user", "content": "hi"}])["error"]


@pytest.mark.parametrize(
    ("mode", "query", "token"),
    [("text", "the", "the"), ("bytes", "74 68 65", "the"), ("id", "0", "<EOS>"), ("script", "latin", "a")],
)
def test_the_vocabulary_is_searched(mode: str, query: str, token: str) -> None:
    found = ask("vocabulary", model="bpe", query=query, mode=mode, first=0)
    assert token in [row[1] for row in found["rows"]] and 0 < found["total"] < len(BPE)
    assert ask("vocabulary", model="bpe", query="", mode="text", first=0)["total"] == len(BPE)


def test_what_is_no_question_is_refused() -> None:
    for name, body in [
        ("vocabulary", b'{"model": "bpe", "query": "zz", "mode": "bytes", "first": 0}'),
        ("tokens", b"{}"),
        ("tokens", b"["),
        ("merges", b'{"model": "x"}'),
    ]:
        status, answer = PAGE.answer(name, body)
        assert status == 400 and json.loads(answer)["error"]


def test_a_shared_page_stands_alone_and_shows_text_as_text() -> None:
    page = ask("share", text="<script>alert(1)</script> \u202e \x00", specials=False)["html"]
    assert (
        "<script>" not in page
        and "\u202e" not in page
        and "\x00" not in page
        and "http" not in page.replace("http-equiv", "")
    )
