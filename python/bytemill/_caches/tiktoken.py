"""OpenAI's encodings, as `tiktoken` keeps them: a file for each address, named by the SHA-1 of that."""

from __future__ import annotations

import base64
import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..errors import FormatError, NotFoundError

ADDRESS = "https://openaipublic.blob.core.windows.net/"


@dataclass(frozen=True)
class File:
    address: str
    sha256: str

    @property
    def cached_name(self) -> str:
        return hashlib.sha1(self.address.encode(), usedforsecurity=False).hexdigest()


def _ranks(name: str, sha256: str) -> File:
    return File(f"{ADDRESS}encodings/{name}.tiktoken", sha256)


_R50K = _ranks("r50k_base", "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930")
_P50K = _ranks("p50k_base", "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069")
_O200K = _ranks("o200k_base", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d")

#: The file of each encoding's ranks, and what it holds: encodings may share one and differ in their special tokens.
FILES = {
    "gpt2": _R50K,
    "r50k_base": _R50K,
    "p50k_base": _P50K,
    "p50k_edit": _P50K,
    "cl100k_base": _ranks("cl100k_base", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"),
    "o200k_base": _O200K,
    "o200k_harmony": _O200K,
}
#: Where `tiktoken` itself takes the ranks of gpt2 from. They are the same as those of r50k_base.
GPT2_MERGES = File(
    f"{ADDRESS}gpt-2/encodings/main/vocab.bpe", "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5"
)


def folder() -> Path | None:
    """Where the files are; None where the environment says that none are kept."""
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if variable in os.environ:
            return Path(os.environ[variable]) if os.environ[variable] else None
    return Path(tempfile.gettempdir(), "data-gym-cache")


@contextmanager
def find(name: str) -> Iterator[str]:
    """The file of an encoding's ranks."""
    path = _cached(FILES[name])
    if path is not None:
        yield str(path)
        return
    merges = _cached(GPT2_MERGES) if FILES[name] is _R50K else None
    if merges is None:
        raise NotFoundError(_absent(name))
    with tempfile.TemporaryDirectory(prefix="bytemill-") as made:
        ranks = Path(made, f"{name}.tiktoken")
        ranks.write_bytes(ranks_of_merges(merges.read_text(encoding="utf-8")))
        yield str(ranks)


def _cached(file: File) -> Path | None:
    """A file of the cache, if it is there; one that is not what OpenAI published is refused."""
    cache = folder()
    path = cache and cache / file.cached_name
    if path is None or not path.is_file():
        return None
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != file.sha256:
        raise FormatError(
            f"{path}: this is not what OpenAI published at {file.address} "
            f"(SHA-256 {found}, expected {file.sha256}); delete it, and download it again"
        )
    return path


def _absent(name: str) -> str:
    file, cache = FILES[name], folder()
    looked = (
        "the environment turns that cache off"
        if cache is None
        else f"{str(cache)!r} has no file {file.cached_name!r} (set TIKTOKEN_CACHE_DIR if the cache is elsewhere)"
    )
    return (
        f"the encoding {name!r} is not in the cache of tiktoken: {looked}; "
        f"call tiktoken.get_encoding({name!r}) once to have it there, or download {file.address} and load its path"
    )


def ranks_of_merges(merges: str) -> bytes:
    """The ranks of GPT-2 from its merges: single bytes in the order of its alphabet, then what each merge makes."""
    printable = [byte for byte in range(256) if chr(byte).isprintable() and chr(byte) != " "]
    others = [byte for byte in range(256) if byte not in printable]
    alphabet = {chr(byte): byte for byte in printable} | {chr(256 + i): byte for i, byte in enumerate(others)}
    pairs = (line for line in merges.split("\n")[1:] if line)
    made = (bytes(alphabet[character] for character in pair.replace(" ", "")) for pair in pairs)
    tokens = [*(bytes([byte]) for byte in (*printable, *others)), *made]
    return b"".join(b"%s %d\n" % (base64.b64encode(token), rank) for rank, token in enumerate(tokens))
