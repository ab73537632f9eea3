"""The published tests of other libraries, from their source distributions, and the files that they read."""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import tarfile
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from bench.corpora import ROOT, SHARED, read
from pip._internal.models.index import PyPI

from bytemill._caches.tiktoken import ADDRESS

FOLDER = ROOT / ".cache" / "originals"


@dataclass(frozen=True)
class Suite:
    """The tests of one library, of the version that bytemill stands in for."""

    library: str
    version: str
    sha256: str
    #: Where pytest runs in the source distribution, and what it is given there.
    folder: str
    tests: tuple[str, ...]
    #: What has to fail, by the end of the test's name, and why.
    cannot_pass: dict[str, str]


SUITES = (
    Suite(
        "tiktoken",
        "0.14.0",
        "231dec90efcdccf1b565a1416107736f1e09b1a08fe736ef9d6363e626d03874",
        ".",
        ("tests",),
        {},
    ),
    Suite(
        "sentencepiece",
        "0.2.2",
        "3d2b5e824b5622038dc7b490897efe05ebbbb9e7350fc142f3ecc8789ef9bdf6",
        ".",
        ("test/sentencepiece_test.py", "test/numpy_test.py"),
        {},
    ),
    Suite(
        "tokenizers",
        "0.23.3",
        "cded33237c77caeef62944d32aa9a7ef42bdce2b3497e18d137e072a8c4be438",
        "bindings/python",
        ("tests",),
        {"test_multiprocessing_with_parallelism": "it demands that a forked child hangs"},
    ),
)

#: Where tiktoken's own loader gets its files from, below its host, and the same files here.
_RANKS = {
    "gpt-2/encodings/main/vocab.bpe": "openai-gpt2/merges.txt",
    "gpt-2/encodings/main/encoder.json": "openai-gpt2/vocab.json",
    "encodings/r50k_base.tiktoken": "openai-gpt2/r50k_base.tiktoken",
    "encodings/p50k_base.tiktoken": "openai-p50k/p50k_base.tiktoken",
    "encodings/cl100k_base.tiktoken": "openai-cl100k/cl100k_base.tiktoken",
    "encodings/o200k_base.tiktoken": "openai-o200k/o200k_base.tiktoken.gz",
}
#: What the tests of tokenizers would download, and the same files here.
_DOWNLOADS = {
    "roberta-base-vocab.json": "models/roberta-base/vocab.json",
    "roberta-base-merges.txt": "models/roberta-base/merges.txt",
    "bert-base-uncased-vocab.txt": "models/bert-base-uncased/vocab.txt",
    "openai-gpt-vocab.json": "models/openai-gpt1/vocab.json",
    "openai-gpt-merges.txt": "models/openai-gpt1/merges.txt",
    "big.txt": "corpora/norvig_big.txt.gz",
}
_SMALL = 500_000


def unpacked(suite: Suite) -> Path:
    """The folder in which the tests of a suite run, from the source distribution of its library."""
    root = FOLDER / f"{suite.library}-{suite.version}"
    if not root.exists():
        growing = FOLDER / "growing"
        shutil.rmtree(growing, ignore_errors=True)
        with tarfile.open(fileobj=io.BytesIO(_downloaded(suite))) as archive:
            archive.extractall(growing, filter="data")
        # Under its own name when it is whole.
        (growing / root.name).rename(root)
        _leave_tests_alone(root)
    return root / suite.folder


def _leave_tests_alone(root: Path) -> None:
    """Removes the library's own sources: its tests are to import what is installed."""
    for name in ("tiktoken", "tiktoken_ext", "src"):
        shutil.rmtree(root / name, ignore_errors=True)


def _downloaded(suite: Suite) -> bytes:
    page = urllib.parse.urljoin(PyPI.simple_url + "/", f"{suite.library}/")
    with urllib.request.urlopen(page) as answer:
        links = re.findall(r'href="([^"#]+)', answer.read().decode())
    name = f"{suite.library}-{suite.version}.tar.gz"
    link = next(link for link in links if link.endswith(f"/{name}"))
    with urllib.request.urlopen(urllib.parse.urljoin(page, link)) as answer:
        archive: bytes = answer.read()
    if hashlib.sha256(archive).hexdigest() != suite.sha256:
        raise SystemExit(f"{name} is not the file whose checksum is written here")
    return archive


def data_folder() -> Path:
    """A folder with the files that the tests of tokenizers download."""
    folder = FOLDER / "data"
    folder.mkdir(parents=True, exist_ok=True)
    for name, path in _DOWNLOADS.items():
        (folder / name).write_bytes(read(SHARED / path))
    big = (folder / "big.txt").read_bytes()
    (folder / "small.txt").write_bytes(big[: big.index(b"\n", _SMALL) + 1])
    return folder


def ranks_folder() -> Path:
    """A cache of tiktoken, which names files by the checksum of their address."""
    folder = FOLDER / "ranks"
    folder.mkdir(parents=True, exist_ok=True)
    for address, path in _RANKS.items():
        (folder / hashlib.sha1(f"{ADDRESS}{address}".encode()).hexdigest()).write_bytes(read(SHARED / "models" / path))
    return folder
