"""Repositories of the Hugging Face hub, as `huggingface_hub` keeps them, or downloaded by it where it is installed."""

from __future__ import annotations

import importlib
import os
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies

from ..errors import NotFoundError

#: What holds a tokenizer, the best first; where two files are named, both are needed.
USUAL = (
    ("tokenizer.json",),
    ("tekken.json",),
    ("vocab.json", "merges.txt"),
    ("vocab.txt",),
    ("tokenizer.model",),
    ("spiece.model",),
    ("sentencepiece.bpe.model",),
)


def folder() -> Path:
    """Where repositories are kept."""
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if os.environ.get(variable):
            return _expanded(os.environ[variable])
    home = os.environ.get("HF_HOME")
    if not home:
        home = str(Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface")
    return _expanded(home) / "hub"


def _expanded(path: str) -> Path:
    return Path(os.path.expandvars(path)).expanduser()


def is_offline() -> bool:
    said = os.environ.get("HF_HUB_OFFLINE") or os.environ.get("TRANSFORMERS_OFFLINE") or ""
    return said.upper() in {"1", "ON", "YES", "TRUE"}


def find(name: str, revision: str | None, near: str | None) -> str:
    """The file of a repository's tokenizer. `near` is another name that may have been meant."""
    found = cached(name, revision)
    if found is not None:
        return str(found)
    meant = f"; did you mean {near!r}?" if near else ""
    nothing = f"there is no file or folder {name!r}"
    looked = f"no tokenizer of that name{_of(revision)} is in the cache of huggingface_hub, {str(folder())!r}"
    if is_offline():
        raise NotFoundError(
            f"{nothing}; {looked}, and HF_HUB_OFFLINE forbids to download it: "
            f"unset that, or download its tokenizer.json and load its path{meant}"
        )
    try:
        hub = importlib.import_module("huggingface_hub")
        errors = importlib.import_module("huggingface_hub.errors")
    except ImportError:
        raise NotFoundError(
            f'{nothing}; {looked}: pip install "bytemill[hub]" to have it downloaded, '
            f"or download its tokenizer.json and load its path{meant}"
        ) from None
    try:
        return _download(name, revision, hub, errors)
    except NotFoundError as error:
        raise NotFoundError(f"{nothing}, and {error}{meant}") from error.__cause__


def _of(revision: str | None) -> str:
    return "" if revision is None else f" at the revision {revision!r}"


def cached(name: str, revision: str | None) -> Path | None:
    """The tokenizer in the repository's snapshot of a revision: a commit, or the commit that a ref names."""
    repository = folder() / f"models--{name.replace('/', '--')}"
    revision = "main" if revision is None else revision
    ref = repository / "refs" / revision
    snapshot = repository / "snapshots" / (ref.read_text().strip() if ref.is_file() else revision)
    for names in USUAL:
        if all((snapshot / each).is_file() for each in names):
            return snapshot / names[0]
    return None


def has_address() -> bool:
    """Whether the hub's name can be looked up. Its library would try again and again for half a minute."""
    if getproxies():
        return True
    address = urlsplit(os.environ.get("HF_ENDPOINT") or "https://huggingface.co")
    try:
        return bool(socket.getaddrinfo(address.hostname, address.port or 443))
    except OSError:
        return False


def _download(name: str, revision: str | None, hub: Any, errors: Any) -> str:
    if not has_address():
        raise NotFoundError("the hub cannot be reached")
    for names in USUAL:
        try:
            paths = [str(hub.hf_hub_download(name, each, revision=revision)) for each in names]
            return paths[0]
        except errors.LocalEntryNotFoundError as error:  # An EntryNotFoundError, but that of a cache without a network.
            raise NotFoundError("the hub cannot be reached") from error
        except errors.EntryNotFoundError:
            continue
        except (errors.HfHubHTTPError, errors.HFValidationError) as error:
            raise NotFoundError(f"the hub does not give it{_of(revision)}: {error}") from error
    known = ", ".join(" with ".join(names) for names in USUAL)
    raise NotFoundError(
        f"the repository of that name{_of(revision)} has none of {known}; download its file and load that"
    )
