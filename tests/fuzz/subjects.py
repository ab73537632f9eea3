"""What can be called: everything public beside the methods of a tokenizer, and objects of every kind to call it on.

A subject is an object or a module. What it has is called with arguments that nobody should pass, in a folder of its
own, so that a name that is taken for a path does no harm.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import bytemill
from bytemill import code, normalizers, pretokenizers, surgery
from bytemill.compat import cs336, sentencepiece, tiktoken, tokenizers

from .files import CORPUS, trained
from .folders import folder

TEXT = "the cat sat"
GPT2 = r"'s|\p{L}+| ?[^\s\p{L}]+|\s+"
BYTES = {bytes([byte]): byte for byte in range(256)}


def counted() -> Any:
    return bytemill.count_pieces(CORPUS, progress=False)


def tokens() -> Any:
    Path("texts.txt").write_text("".join(CORPUS))
    trained(0).encode_files("texts.txt", "tokens.bin", progress=False)
    return bytemill.open_tokens("tokens.bin")


def shim() -> Any:
    return tokenizers.Tokenizer.from_str(trained(1).to_bytes("tokenizer.json").decode())


@cache
def model() -> bytes:
    spec = bytemill.SentencePiece(vocab_size=28)
    return bytemill.train(CORPUS, spec, progress=False).to_bytes("model")


def edited() -> Any:
    return surgery.add_tokens(trained(0), ["ca"])


#: By name: what makes one.
SUBJECTS: dict[str, Callable[[], Any]] = {
    "bytemill": lambda: bytemill,
    "surgery": lambda: surgery,
    "code": lambda: code,
    "normalizers": lambda: normalizers,
    "pretokenizers": lambda: pretokenizers,
    "Session": lambda: trained(0).session(TEXT),
    "SessionIds": lambda: trained(0).session(TEXT).ids,
    "DecodeStream": lambda: trained(0).stream(),
    "stream of ids": lambda: trained(0).encode_iterable([TEXT, TEXT]),
    "Encoding": lambda: trained(4)(TEXT, "a bab", offsets=True),
    "Ragged": lambda: trained(0).encode_batch([TEXT, "", "a"]),
    "PieceCounts": counted,
    "TokenData": tokens,
    "Explanation": lambda: trained(0).explain(TEXT),
    "RoundTrip": lambda: trained(0).check_round_trip(TEXT),
    "Edit": edited,
    "EmbeddingMap": lambda: edited().embedding_map,
    "Report": lambda: edited().report,
    "Comparison": lambda: bytemill.compare([trained(0), trained(1)], CORPUS),
    "Findings": lambda: bytemill.lint(trained(0)),
    "CodePieces": lambda: code.code_pieces("a = 1", "python"),
    "CodeEncoding": lambda: trained(0).encode_code("a = 1", language="python"),
    "Padding": lambda: bytemill.Padding(3),
    "Truncation": lambda: bytemill.Truncation(3),
    "BPE": lambda: bytemill.BPE(270),
    "Lowercase": lambda: normalizers.Lowercase(),
    "Split": lambda: pretokenizers.Split("a+", "isolated"),
    "cs336": lambda: cs336,
    "tokenizers": lambda: tokenizers,
    "tokenizers.models": lambda: tokenizers.models,
    "tokenizers.decoders": lambda: tokenizers.decoders,
    "tokenizers.normalizers": lambda: tokenizers.normalizers,
    "tokenizers.pre_tokenizers": lambda: tokenizers.pre_tokenizers,
    "tokenizers.processors": lambda: tokenizers.processors,
    "tokenizers.trainers": lambda: tokenizers.trainers,
    "tokenizers.Tokenizer": shim,
    "tokenizers.Encoding": lambda: shim().encode(TEXT, "a bab"),
    "tokenizers.NormalizedString": lambda: tokenizers.NormalizedString(TEXT),
    "tokenizers.PreTokenizedString": lambda: tokenizers.PreTokenizedString(TEXT),
    "tokenizers.Metaspace": lambda: tokenizers.pre_tokenizers.Metaspace(),
    "tokenizers.model": lambda: shim().model,
    "sentencepiece": lambda: sentencepiece,
    "sentencepiece.Processor": lambda: sentencepiece.SentencePieceProcessor(model_proto=model()),
    "sentencepiece.Trainer": lambda: sentencepiece.SentencePieceTrainer,
    "tiktoken": lambda: tiktoken,
    "tiktoken.Encoding": lambda: tiktoken.Encoding(
        "own", pat_str=GPT2, mergeable_ranks=BYTES, special_tokens={"<x>": 256}
    ),
}

#: They change the whole process, ask the network, or start what waits for a browser or a cluster.
LEFT_OUT = {"install", "uninstall", "engines", "playground", "push_to_hub", "from_pretrained", "get_encoding"}
LEFT_OUT |= {"encoding_for_model", "errors"}
#: The methods that Python calls for its operators and protocols.
PROTOCOLS = ["getitem", "contains", "len", "iter", "eq", "add", "lt", "call", "copy", "deepcopy", "reduce", "array"]
PROTOCOLS += ["setstate", "getstate", "init", "hash", "repr", "bool", "setattr", "format", "delitem", "setitem", "next"]
CALLED = {f"__{name}__" for name in PROTOCOLS}


def has(subject: Any) -> list[str]:
    """The names of what of a subject can be called."""
    names = [name for name in dir(subject) if name not in LEFT_OUT and (name in CALLED or not name.startswith("_"))]
    if inspect.ismodule(subject):
        chosen = [name for name in getattr(subject, "__all__", names) if name in names]
        found = [(name, getattr(subject, name)) for name in chosen if name not in CALLED]
        return [name for name, it in found if callable(it) and is_home(subject, it)]
    # Properties are not asked: some of them raise.
    return [name for name in names if callable(inspect.getattr_static(subject, name)) or name in CALLED]


def is_home(module: Any, it: Any) -> bool:
    """Whether it was made for the users of a module, and is not there because the module uses it."""
    home = str(getattr(it, "__module__", ""))
    return home.startswith("bytemill") and (hasattr(module, "__all__") or home.startswith(module.__name__))


@cache
def subject_of(name: str) -> Any:
    """One to ask for its parameters."""
    with folder():
        return SUBJECTS[name]()


@cache
def names_of(subject: str) -> tuple[str, ...]:
    return tuple(has(subject_of(subject)))


def parameters_of(called: Any) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(called).parameters.values())
    except (ValueError, TypeError):
        return []
