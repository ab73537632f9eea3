"""Fifty threads and a loop on one tokenizer of the stand-in, while others add tokens to it."""

from __future__ import annotations

import asyncio
import threading

import bytemill.compat.tokenizers as ours
from bytemill.compat.tokenizers import pre_tokenizers

TEXT = "abc ab a " * 20


def test_no_result_is_wrong_while_tokens_are_added() -> None:
    vocab = {letter: id for id, letter in enumerate("abcxyz")}
    tok = ours.Tokenizer(ours.models.BPE(vocab, []))
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    ids, text = tok.encode(TEXT).ids, tok.decode([0, 1, 2])
    wrong: list[object] = []

    def encode() -> None:
        for _ in range(20):
            wrong.extend(found for found in [tok.encode(TEXT).ids] if found != ids)
            wrong.extend(found for found in tok.encode_batch([TEXT, TEXT]) if found.ids != ids)
            wrong.extend(found for found in [tok.decode([0, 1, 2])] if found != text)

    def add(number: int) -> None:
        for i in range(10):
            tok.add_tokens([f"x{number}y{i}"])

    async def in_a_loop() -> None:
        encoded = await asyncio.gather(*(tok.async_encode(TEXT) for _ in range(20)))
        wrong.extend(found for found in encoded if found.ids != ids)

    threads = [threading.Thread(target=encode) for _ in range(45)]
    threads += [threading.Thread(target=add, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    asyncio.run(in_a_loop())
    for thread in threads:
        thread.join()
    assert not wrong
    added = {token for token in tok.get_vocab() if len(token) > 1}
    assert added == {f"x{number}y{i}" for number in range(5) for i in range(10)}
    assert len(set(tok.get_vocab().values())) == len(vocab) + 50
