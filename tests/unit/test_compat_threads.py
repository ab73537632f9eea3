"""Fifty threads and an event loop that share a stand-in: every result is that of a single call."""

from __future__ import annotations

import asyncio
import io
import threading
from collections.abc import Callable
from typing import Any

from bytemill.compat import sentencepiece, tiktoken

THREADS, ROUNDS = 50, 20
WORDS = ["the", "he", " the", "in", "ing", " cat", "at", " sat"]
TEXTS = [f"the cat {number} sat in{'g' * number} <|end|>" for number in range(12)]


def encoding() -> Any:
    tokens = [*(bytes([byte]) for byte in range(256)), *(word.encode() for word in WORDS)]
    ranks = {token: rank for rank, token in enumerate(tokens)}
    special = {"<|end|>": 1000, "<|other|>": 1001}
    return tiktoken.Encoding("threads", pat_str=r" ?\w+|\W", mergeable_ranks=ranks, special_tokens=special)


def processor() -> Any:
    written = io.BytesIO()
    lines = ["the cat sat in the hat", "sitting and singing"] * 9
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=written, vocab_size=36, model_type="bpe"
    )
    return sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())


def calls() -> list[Callable[[str], Any]]:
    enc, sp = encoding(), processor()
    return [
        lambda text: enc.encode(text, allowed_special={"<|end|>"}),
        lambda text: enc.encode(text, disallowed_special=()),
        lambda text: enc.decode(enc.encode(text, allowed_special="all")),
        lambda text: enc.encode_with_unstable(text, allowed_special="all"),
        lambda text: enc._encode_bytes(text.encode() + b"\xff"),
        lambda text: sp.encode(text),
        lambda text: sp.encode(text, out_type=str),
        lambda text: sp.decode(sp.encode(text)),
        lambda text: sp.encode([text, text], out_type="offset_mapping"),
    ]


def test_fifty_threads_get_what_one_gets() -> None:
    expected = [[call(text) for text in TEXTS] for call in calls()]
    shared = calls()  # What is made once is made by the thread that comes first.
    wrong: list[object] = []
    start = threading.Barrier(THREADS)

    def work(number: int) -> None:
        start.wait()
        for step in range(ROUNDS):
            which, text = (number + step) % len(shared), (number * 7 + step) % len(TEXTS)
            found = shared[which](TEXTS[text])
            if found != expected[which][text]:
                wrong.append((which, text, found))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_an_event_loop_gets_what_one_call_gets() -> None:
    shared = calls()
    expected = [[call(text) for text in TEXTS] for call in shared]

    async def all_of_them() -> list[list[Any]]:
        return [await asyncio.gather(*(asyncio.to_thread(call, text) for text in TEXTS)) for call in shared]

    assert asyncio.run(all_of_them()) == expected
