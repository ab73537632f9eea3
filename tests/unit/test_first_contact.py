"""What people met in their first minutes: nothing is silently wrong, and every message names a way out."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bytemill
from bytemill import BPE, Char, Code, Ragged, Unigram, Word, errors
from tests.samples import chars, words

TEXT = ["she sells sea shells by the sea shore " * 5]


def bpe(size: int = 270, **options: Any) -> bytemill.Tokenizer:
    return bytemill.train(TEXT, BPE(size, **options), progress=False)


# append= takes a special token, a role or an id.


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("sea shells")
    return tmp_path / "a.txt"


@pytest.mark.parametrize("append", ["<|endoftext|>", "eos", 0, np.int64(0)])
def test_a_special_token_a_role_and_an_id_can_be_appended(append: Any, corpus: Path) -> None:
    tok = bytemill.train(TEXT, BPE(270), special_tokens=["<|endoftext|>"], progress=False)
    assert tok.encode_files(corpus, append=append).to_list() == [[*tok.encode("sea shells"), 0]]


def test_an_ordinary_token_is_appended_by_its_id_alone(corpus: Path) -> None:
    tok = bytemill.train(TEXT, BPE(270), special_tokens=["<|endoftext|>"], progress=False)
    id = tok.token_to_id("he")
    assert id is not None
    with pytest.raises(errors.SpecError, match=rf"'he' is an ordinary token.*append={id} .*<\|endoftext\|>"):
        tok.encode_files(corpus, append="he")
    assert tok.encode_files(corpus, append=id)[0][-1] == id


@pytest.mark.parametrize(
    ("append", "message"),
    [
        ("<|endoftxt|>", r"did you mean '<\|endoftext\|>'\?"),
        ("bos", r"append='bos': this tokenizer has no such token \(special tokens: <\|endoftext\|>\)"),
        ("nothing like it", r"is no special token \(special tokens: <\|endoftext\|>\)"),
    ],
)
def test_what_cannot_be_appended_is_refused(append: Any, message: str, corpus: Path) -> None:
    tok = bytemill.train(TEXT, BPE(270), special_tokens=["<|endoftext|>"], progress=False)
    with pytest.raises(errors.SpecError, match=message):
        tok.encode_files(corpus, append=append)


# Ragged.pad takes the pad token.


def test_rows_are_padded_with_the_pad_token(corpus: Path) -> None:
    tok = bytemill.train(TEXT, Word(pad_token="<nothing>"), special_tokens=["<x>"], progress=False)
    rows = tok.encode_batch(["sea shells", "sea"])
    assert rows.pad()[1].tolist() == [tok.token_to_id("sea"), tok.pad_id] and rows.pad_id == 0
    assert rows[1:].pad(length=2)[0, 1] == tok.pad_id
    assert tok.encode_files(corpus).pad(length=3)[0, 2] == tok.pad_id
    assert rows.pad(7)[1, 1] == 7


def test_without_a_pad_token_padding_asks_for_an_id() -> None:
    rows = bpe().encode_batch(["sea shells", "sea"])
    with pytest.raises(errors.SpecError, match=r"no pad token; pass the id to fill rows with, as in pad\(tok.eos_id\)"):
        rows.pad()
    assert rows.pad(0).shape[0] == 2
    with pytest.raises(errors.SpecError, match="no pad token"):
        Ragged(np.array([1], np.uint32), np.array([0, 1])).pad()


# Messages.


def test_a_tokenizer_is_not_made_from_a_path() -> None:
    with pytest.raises(TypeError, match=r"not made from 't.mill'; bytemill.load\(path\) reads one"):
        bytemill.Tokenizer("t.mill")  # type: ignore[arg-type]


def test_the_content_of_a_file_is_not_its_path() -> None:
    with pytest.raises(TypeError, match=r"not bytes; bytemill.loads reads the content of a file"):
        bytemill.load(b"{}")  # type: ignore[arg-type]


def test_a_vocabulary_that_is_too_small_says_how_large_it_must_be() -> None:
    with pytest.raises(errors.SpecError, match="must be at least 257, or byte_level=False starts from the characters"):
        bytemill.train(TEXT, BPE(vocab_size=100), special_tokens=["<x>"], progress=False)
    with pytest.raises(errors.SpecError, match=r"must be at least .*, or limit_alphabet="):
        bytemill.train(TEXT, BPE(vocab_size=5, byte_level=False), progress=False)
    with pytest.raises(errors.SpecError, match="must be at least 4"):
        bytemill.train(TEXT, Char(vocab_size=3), progress=False)
    with pytest.raises(errors.SpecError, match=r"must be at least .*, or character_coverage smaller"):
        bytemill.train(TEXT, Unigram(vocab_size=5), progress=False)


def test_the_tokens_that_code_reserves_are_explained() -> None:
    with pytest.raises(errors.SpecError) as caught:
        bytemill.train(["x = 1"], BPE(300), pretokenizer="code", progress=False)
    message = str(caught.value)
    assert "tokens that the pretokenizer Code reserves for keywords, indentation and markers" in message
    least = int(message.split("must be at least ")[1].split(",")[0])
    tok = bytemill.train(["x = 1"], BPE(least), pretokenizer="code", progress=False)
    assert tok.vocab_size == least


def test_a_rank_file_says_how_to_load_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tok = bytemill.train(TEXT, BPE(270, ties="tiktoken"), special_tokens=["<|endoftext|>"], progress=False)
    with pytest.warns(bytemill.tokenizer.LeftOut) as caught:
        tok.save("x.tiktoken")
    call = str(caught[0].message).split("this loads it: ")[1]
    assert eval(call, {"bytemill": bytemill}) == tok
    split = bytemill.train(
        TEXT,
        BPE(270, ties="tiktoken"),
        pretokenizer=bytemill.pretokenizers.Split(r"\w+|\W", "isolated"),
        progress=False,
    )
    with pytest.warns(bytemill.tokenizer.LeftOut) as caught:
        split.save("y.tiktoken")
    again = eval(str(caught[0].message).split("this loads it: ")[1], {"bytemill": bytemill})
    assert again.encode(TEXT[0]) == split.encode(TEXT[0])


# vocab().


def test_the_names_of_all_tokens_can_be_written_and_found_again() -> None:
    tok = bytemill.train(["héllo wörld 漢字 🙂 " * 9], BPE(270), progress=False)
    vocab = tok.vocab()
    assert len(vocab) == tok.vocab_size == len(tok.vocab_bytes())
    json.dumps(vocab, ensure_ascii=False).encode()
    assert {name: tok.token_to_id(name) for name in vocab} == vocab
    assert vocab["<0xE2>"] == tok.token_to_id(b"\xe2")
    for id in range(tok.vocab_size):
        token = tok.id_to_token(id)
        assert token is not None and tok.token_to_id(token) == id
        assert tok.vocab_bytes()[tok.id_to_bytes(id)] == id  # type: ignore[index]


def test_partial_characters_have_one_notation() -> None:
    tok = bytemill.train(["abc"], BPE(256), progress=False)
    assert tok.tokenize("aé") == tok("aé").tokens == ["a", "<0xC3>", "<0xA9>"]


def test_a_text_that_looks_like_a_byte_does_not_take_its_name() -> None:
    tok = bytemill.train(["<0xE2> " * 9], BPE(261, min_frequency=1), pretokenizer="whitespace_split", progress=False)
    vocab = tok.vocab()
    assert len(vocab) == tok.vocab_size
    assert vocab["<0xE2>"] == tok.encode("<0xE2>")[0] and vocab["<0xe2>"] == tok.token_to_id(b"\xe2")


# Files.


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("\ufeffsea shells".encode())
    tok = bytemill.train(tmp_path / "a.txt", Word(), progress=False)
    assert list(tok.vocab())[4:] == ["sea", "shells"]
    assert tok.encode_files(tmp_path / "a.txt").to_list() == [tok.encode("sea shells")]
    assert list(bytemill.count_pieces(tmp_path / "a.txt", pretokenizer="bert", progress=False)) == ["sea", "shells"]
    # A text from a program is what it is.
    assert tok.encode("\ufeffsea") != tok.encode("sea")


def test_places_in_a_file_are_counted_from_its_first_byte(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfsea<x>")
    (tmp_path / "b.txt").write_bytes(b"\xef\xbb\xbfsea\xff")
    tok = words(TEXT, special_tokens=["<x>"])
    with pytest.raises(errors.SpecialTokenError, match="at byte 6"):
        tok.encode_files(tmp_path / "a.txt", specials="refuse")
    for work in (tok.encode_files, lambda path: bytemill.train(path, Word(), progress=False)):
        with pytest.raises(errors.TextError, match=r"byte 6 of .*b.txt is 0xff"):
            work(tmp_path / "b.txt")  # type: ignore[operator]
    with pytest.raises(errors.TextError, match="byte 3 of the text is 0xff"):
        tok.encode(b"sea\xff")


# The interpreter's lock, and help.


def test_decoding_much_does_not_hold_the_interpreters_lock() -> None:
    tok = bpe()
    ids = np.tile(np.array(tok.encode(TEXT[0]), np.uint32), 60_000)
    tok.decode_bytes(ids[:1000])
    longest, done = 0.0, threading.Event()

    def watch() -> None:
        nonlocal longest
        before = time.perf_counter()
        while not done.is_set():
            time.sleep(0.001)
            now = time.perf_counter()
            longest, before = max(longest, now - before), now

    watcher = threading.Thread(target=watch)
    watcher.start()
    started = time.perf_counter()
    tok.decode_bytes(ids)
    took = time.perf_counter() - started
    done.set()
    watcher.join()
    assert longest < 0.75 * took + 0.02, (longest, took)


def test_every_public_method_is_documented() -> None:
    bare = [
        f"{kind.__name__}.{name}"
        for kind in (bytemill.Tokenizer, bytemill.Encoding, bytemill.DecodeStream, Ragged, bytemill.PieceCounts)
        for name in dir(kind)
        if (not name.startswith("_") or name == "__call__") and not (getattr(kind, name).__doc__ or "").strip()
    ]
    assert [name for name in bare if name not in ("Ragged.ids", "Ragged.offsets", "Ragged.pad_id")] == []
    assert "template" in (bytemill.Tokenizer.__call__.__doc__ or "")


# Names.


@pytest.mark.parametrize(
    ("name", "language"),
    [("js", "javascript"), ("c#", "csharp"), ("py", "python"), ("C++", "cpp"), ("Rust", "rust"), ("golang", "go")],
)
def test_languages_have_the_names_that_people_use(name: str, language: str) -> None:
    assert Code(name) == Code(language) and Code(name).language == language
    assert bytemill.code.keywords(name) == bytemill.code.keywords(language)


def test_a_suggestion_is_near_or_there_is_none() -> None:
    with pytest.raises(errors.SpecError, match="did you mean 'python'"):
        Code("pyhton")
    for name in ("jo", "klingon", "x"):
        with pytest.raises(errors.SpecError) as caught:
            bytemill.code.keywords(name)
        assert "did you mean" not in str(caught.value) and "(known: bash, " in str(caught.value)


def test_sizes_may_be_written_short() -> None:
    assert BPE("32k").vocab_size == 32_000 and BPE("50,257").vocab_size == 50_257 and Word("1M").vocab_size == 10**6
    for size in ("much", "1.2345k", "32GB", "-1", ""):
        with pytest.raises(errors.SpecError, match="no number of tokens; write it as in 32000, 32k or 1M"):
            BPE(size)


@pytest.mark.parametrize("memory", [12, "12", 999_999])
def test_a_small_amount_of_memory_lacks_its_unit(memory: Any) -> None:
    with pytest.raises(errors.SpecError, match=rf"memory={memory} has no unit .*; write it as in {memory}GB"):
        bytemill.train(TEXT, Word(), memory=memory, progress=False)


def test_names_of_options_are_known_in_any_case() -> None:
    assert BPE(ties="HuggingFace").ties == "huggingface"  # type: ignore[arg-type]
    assert bytemill.SentencePiece(model="BPE").model == "bpe"  # type: ignore[arg-type]


def test_chars_keep_what_they_were() -> None:
    assert chars(["ab"]).special_tokens == {"<PAD>": 0, "<UNK>": 1, "<BOS>": 2, "<EOS>": 3}
