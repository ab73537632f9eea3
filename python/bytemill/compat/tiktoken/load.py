"""The files of encodings, from a cache or from where they are published."""

from __future__ import annotations

import base64
import hashlib
import importlib
import json
import os
import tempfile
from pathlib import Path
from types import ModuleType

from ..._caches.tiktoken import ranks_of_merges
from ..._whole_files import write_whole


def read_file(blobpath: str) -> bytes:
    """Returns what a path or an address holds. Addresses need `requests`, those of cloud storage `blobfile`."""
    if "://" not in blobpath:
        return Path(blobpath).read_bytes()
    if blobpath.startswith(("http://", "https://")):
        response = importlib.import_module("requests").get(blobpath)
        response.raise_for_status()
        content: bytes = response.content
        return content
    blob: bytes = _blobfile().read_bytes(blobpath)
    return blob


def check_hash(data: bytes, expected_hash: str) -> bool:
    """Whether data has a SHA-256."""
    return hashlib.sha256(data).hexdigest() == expected_hash


def read_file_cached(blobpath: str, expected_hash: str | None = None) -> bytes:
    """Returns what an address holds, from the cache if it is there. The environment says where that is."""
    given = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    if given == "":
        return read_file(blobpath)
    folder = Path(tempfile.gettempdir(), "data-gym-cache") if given is None else Path(given)
    cached = folder / hashlib.sha1(blobpath.encode(), usedforsecurity=False).hexdigest()
    if cached.exists():
        data = cached.read_bytes()
        if expected_hash is None or check_hash(data, expected_hash):
            return data
        cached.unlink(missing_ok=True)
    contents = read_file(blobpath)
    if expected_hash and not check_hash(contents, expected_hash):
        raise ValueError(
            f"Hash mismatch for data downloaded from {blobpath} (expected {expected_hash}): try again, since the "
            "download may have been damaged"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(cached, contents)
    except OSError:
        # Nobody asked for the usual folder, which may belong to someone else.
        if given is not None:
            raise
    return contents


def data_gym_to_mergeable_bpe_ranks(
    vocab_bpe_file: str,
    encoder_json_file: str,
    vocab_bpe_hash: str | None = None,
    encoder_json_hash: str | None = None,
    clobber_one_byte_tokens: bool = False,
) -> dict[bytes, int]:
    """Returns the ranks of GPT-2's files of merges and of tokens, which must agree."""
    merges = read_file_cached(vocab_bpe_file, vocab_bpe_hash).decode()
    ranks = _parsed(ranks_of_merges(merges), vocab_bpe_file)
    alphabet = _alphabet()
    listed = json.loads(read_file_cached(encoder_json_file, encoder_json_hash))
    tokens = {bytes(alphabet[character] for character in token): id for token, id in listed.items()}
    for special in (b"<|endoftext|>", b"<|startoftext|>"):
        tokens.pop(special, None)
    if clobber_one_byte_tokens:
        ranks |= {token: id for token, id in tokens.items() if len(token) == 1}
    assert ranks == tokens, f"{vocab_bpe_file} and {encoder_json_file} are not of the same encoding"
    return ranks


def dump_tiktoken_bpe(bpe_ranks: dict[bytes, int], tiktoken_bpe_file: str) -> None:
    """Writes ranks to a file. Addresses of cloud storage need `blobfile`."""
    lines = (b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in sorted(bpe_ranks.items(), key=_rank))
    if "://" in tiktoken_bpe_file:
        with _blobfile().BlobFile(tiktoken_bpe_file, "wb") as file:
            file.writelines(lines)
    else:
        write_whole(tiktoken_bpe_file, b"".join(lines))


def load_tiktoken_bpe(tiktoken_bpe_file: str, expected_hash: str | None = None) -> dict[bytes, int]:
    """Returns the ranks of a file: a token in base64 and its rank on each line."""
    return _parsed(read_file_cached(tiktoken_bpe_file, expected_hash), tiktoken_bpe_file)


def _parsed(contents: bytes, name: str) -> dict[bytes, int]:
    ranks = {}
    for line in contents.splitlines():
        if line:
            try:
                token, rank = line.split()
                ranks[base64.b64decode(token)] = int(rank)
            except Exception as error:
                raise ValueError(f"Error parsing line {line!r} in {name}") from error
    return ranks


def _alphabet() -> dict[str, int]:
    from ...reference.bpe import ALPHABET

    return {character: byte for byte, character in ALPHABET.items()}


def _rank(item: tuple[bytes, int]) -> int:
    return item[1]


def _blobfile() -> ModuleType:
    try:
        return importlib.import_module("blobfile")
    except ImportError as error:
        raise ImportError("blobfile is not installed. Please install it by running `pip install blobfile`.") from error
