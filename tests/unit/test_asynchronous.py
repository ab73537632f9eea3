"""Calls for an asyncio loop: the same results, and a loop that goes on."""

import asyncio

import pytest

import bytemill
from bytemill import BPE, Tokenizer


@pytest.fixture(scope="module")
def tok() -> Tokenizer:
    return bytemill.train(["the cat sat on the mat"], BPE(vocab_size=258))


def test_the_same_results(tok: Tokenizer) -> None:
    async def all_of_them() -> tuple[list[int], list[list[int]], str, list[str]]:
        ids, rows = await asyncio.gather(tok.async_encode("the cat"), tok.async_encode_batch(["the", "mat"], threads=1))
        texts = await tok.async_decode_batch([ids, ids])
        return ids, [list(row) for row in rows], await tok.async_decode(ids), texts

    ids, rows, text, texts = asyncio.run(all_of_them())
    assert (ids, rows) == (tok.encode("the cat"), [tok.encode("the"), tok.encode("mat")])
    assert (text, texts) == ("the cat", ["the cat", "the cat"])


def test_the_loop_goes_on_meanwhile(tok: Tokenizer) -> None:
    async def ticks() -> int:
        # A thread that starts may be done before a busy machine goes on with who started it: this one is there before.
        await tok.async_encode("the cat")
        work = asyncio.ensure_future(tok.async_encode_batch(["the cat sat " * 1_000_000], threads=1))
        number = 0
        while not work.done():
            await asyncio.sleep(0)
            number += 1
        await work
        return number

    assert asyncio.run(ticks()) > 3


def test_errors_reach_who_waits(tok: Tokenizer) -> None:
    with pytest.raises(bytemill.errors.UnknownIdError):
        asyncio.run(tok.async_decode([10**6]))
    with pytest.raises(TypeError, match="encode"):
        asyncio.run(tok.async_encode())  # type: ignore[call-arg]
    assert tok.async_encode.__name__ == "async_encode"
